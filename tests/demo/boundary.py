"""The Python half: reads calls as JSON lines, writes what the wheel says to each."""

import json
import sys

import toolmend

for line in sys.stdin:
    call = json.loads(line)
    contract = toolmend.compile(call["tool"], policy=call["policy"], undeclared=call["undeclared"])
    outcome = contract.repair(call["text"])
    print(json.dumps({"wire": outcome.to_json(), "feedback": outcome.feedback()}))
