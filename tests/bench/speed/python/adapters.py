"""Who is measured in Python, and how each is asked as its users ask it.

Each adapter loads its library when it is told to, so that a cold start can be timed, and gives `text(workload)`, a
function of the arguments as JSON text, and mostly `data(workload)`, a function of the arguments as a dict. Both answer
`(ok, value, number of errors)`.
"""

from __future__ import annotations

import json

# Nothing else is imported here, `typing` least of all: a cold start begins with this module, and what is loaded already
# would cost the libraries nothing.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Answer = tuple[bool, Any, int]
    Call = Callable[[Any], Answer]
    Prepare = Callable[[dict[str, Any]], Call]


class Library:
    """A loaded library."""

    def __init__(self, text: Prepare, data: Prepare | None = None) -> None:
        self.text = text
        self.data = data


class Adapter:
    """How a library is loaded; a floor does no validation."""

    def __init__(self, load: Callable[[], Library], package: str | None = None, *, is_floor: bool = False) -> None:
        self.load = load
        self.package = package
        self.is_floor = is_floor


def parsed(prepare: Prepare, parse: Callable[[str], Any]) -> Prepare:
    """A validator of data as one of text."""

    def of_text(workload: dict[str, Any]) -> Call:
        validate = prepare(workload)

        def call(text: str) -> Answer:
            try:
                value = parse(text)
            except ValueError:
                return False, None, 1
            return validate(value)

        return call

    return of_text


def _toolmend() -> Library:
    import toolmend

    def contract(workload: dict[str, Any]) -> Call:
        options = {name: workload[name] for name in ("policy", "limits") if name in workload}
        repair = toolmend.compile(workload["schema"], **options).repair

        def call(given: object) -> Answer:
            outcome = repair(given)
            return (True, outcome.value, 0) if outcome.ok else (False, None, len(outcome.issues))

        return call

    return Library(contract, contract)


def _json() -> Library:
    return Library(parsed(lambda _: lambda value: (True, value, 0), json.loads))


def _orjson() -> Library:
    import orjson

    return Library(parsed(lambda _: lambda value: (True, value, 0), orjson.loads))


def _jsonschema_rs_is_valid() -> Library:
    import jsonschema_rs
    import orjson

    def prepare(workload: dict[str, Any]) -> Call:
        is_valid = jsonschema_rs.validator_for(workload["schema"]).is_valid
        return lambda value: (True, value, 0) if is_valid(value) else (False, None, 0)

    return Library(parsed(prepare, orjson.loads), prepare)


def _jsonschema_rs_iter_errors() -> Library:
    import jsonschema_rs
    import orjson

    def prepare(workload: dict[str, Any]) -> Call:
        iter_errors = jsonschema_rs.validator_for(workload["schema"]).iter_errors

        def call(value: object) -> Answer:
            errors = list(iter_errors(value))
            return (False, None, len(errors)) if errors else (True, value, 0)

        return call

    return Library(parsed(prepare, orjson.loads), prepare)


def _fastjsonschema() -> Library:
    import fastjsonschema

    def prepare(workload: dict[str, Any]) -> Call:
        validate = fastjsonschema.compile(workload["schema"])

        def call(value: object) -> Answer:
            try:
                return True, validate(value), 0
            except fastjsonschema.JsonSchemaException:
                return False, None, 1

        return call

    return Library(parsed(prepare, json.loads), prepare)


def _pydantic(*, to_dict: bool) -> Library:
    import pydantic

    from models import pydantic_type

    def prepare(workload: dict[str, Any], method: str) -> Call:
        adapter = pydantic.TypeAdapter(pydantic_type(workload["schema"]))
        validate = getattr(adapter, method)
        dump = adapter.dump_python

        def call(given: object) -> Answer:
            try:
                value = validate(given)
            except pydantic.ValidationError as error:
                return False, None, len(error.errors())
            return True, dump(value, exclude_unset=True, by_alias=True) if to_dict else value, 0

        return call

    return Library(
        lambda workload: prepare(workload, "validate_json"),
        lambda workload: prepare(workload, "validate_python"),
    )


def _msgspec() -> Library:
    import msgspec

    from models import msgspec_type

    def guarded(convert: Callable[[Any], Any]) -> Call:
        def call(given: object) -> Answer:
            try:
                return True, msgspec.to_builtins(convert(given)), 0
            except msgspec.ValidationError:
                return False, None, 1
            except msgspec.DecodeError:
                return False, None, 1

        return call

    def text(workload: dict[str, Any]) -> Call:
        return guarded(msgspec.json.Decoder(msgspec_type(workload["schema"])).decode)

    def data(workload: dict[str, Any]) -> Call:
        wanted = msgspec_type(workload["schema"])
        return guarded(lambda given: msgspec.convert(given, wanted))

    return Library(text, data)


def _json_repair() -> Library:
    import json_repair

    def prepare(workload: dict[str, Any]) -> Call:
        schema = workload["schema"]

        def call(text: str) -> Answer:
            try:
                return True, json_repair.loads(text, schema=schema), 0
            except ValueError:
                return False, None, 1

        return call

    return Library(prepare)


ADAPTERS = {
    "json.loads": Adapter(_json, is_floor=True),
    "orjson.loads": Adapter(_orjson, "orjson", is_floor=True),
    "toolmend": Adapter(_toolmend),
    "jsonschema-rs is_valid": Adapter(_jsonschema_rs_is_valid, "jsonschema-rs"),
    "jsonschema-rs iter_errors": Adapter(_jsonschema_rs_iter_errors, "jsonschema-rs"),
    "pydantic": Adapter(lambda: _pydantic(to_dict=False), "pydantic"),
    "pydantic, dict out": Adapter(lambda: _pydantic(to_dict=True), "pydantic"),
    "msgspec, dict out": Adapter(_msgspec, "msgspec"),
    "fastjsonschema": Adapter(_fastjsonschema, "fastjsonschema"),
    "json_repair with schema": Adapter(_json_repair, "json-repair"),
}

if __name__ == "__main__":
    # For the program that starts the workers.
    from importlib.metadata import version

    facts = {
        name: {"floor": one.is_floor, "version": version(one.package) if one.package else None}
        for name, one in ADAPTERS.items()
    }
    print(json.dumps(facts))
