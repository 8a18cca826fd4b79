"""The right answers, from the wheel as it is installed: raises if one is wrong."""

import toolmend

USUAL = {
    "type": "object",
    "properties": {"names": {"type": "array", "items": {"type": "string"}}},
    "required": ["names"],
    "additionalProperties": False,
}
# A keyword that only the full validator understands.
BEYOND = {"type": "object", "properties": {"a": {"type": "string"}}, "unevaluatedProperties": False}


def check(contract: toolmend.Contract) -> None:
    """Checks the answers of a contract of `USUAL`."""
    outcome = contract.repair('{"names": "dotnet/eshop"}')
    same(outcome.value, {"names": ["dotnet/eshop"]})
    same([(repair.rule, repair.path) for repair in outcome.repairs], [("wrap_in_array", "/names")])
    same(contract.repair({"names": ["a"]}).status, "unchanged")
    refused = contract.repair('{"names": "a, b"}')
    same((refused.ok, refused.issues[0].code, "names" in refused.feedback()), (False, "ambiguous", True))


def check_all() -> None:
    """Checks both validators, and what the package says of itself."""
    check(toolmend.compile(USUAL))
    contract = toolmend.compile(BEYOND)
    same(contract.repair('{"a": "x"}').status, "unchanged")
    same(contract.repair('{"b": "x"}').issues[0].code, "unknown_property")


def same(found: object, wanted: object) -> None:
    """Raises if what was found is not what was wanted."""
    if found != wanted:
        message = f"{found!r} instead of {wanted!r}"
        raise AssertionError(message)


if __name__ == "__main__":
    check_all()
