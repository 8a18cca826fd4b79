"""One contract that many threads use at once."""

from concurrent.futures import ThreadPoolExecutor

import toolmend
from check import USUAL, check

THREADS = 8
CALLS = 2_000

contract = toolmend.compile(USUAL)
with ThreadPoolExecutor(THREADS) as pool:
    # `list` raises what a thread raised.
    list(pool.map(check, [contract] * CALLS))
