"""Processes of every kind that the system has: a forked one goes on with the contract that its parent compiled."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import toolmend
from check import USUAL, check, check_all

contract = toolmend.compile(USUAL)


def work(_: int) -> None:
    """Checks the module's contract, and compiles again."""
    check(contract)
    check_all()


if __name__ == "__main__":
    check(contract)
    for method in multiprocessing.get_all_start_methods():
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            list(pool.map(work, range(20)))
        print(method)
