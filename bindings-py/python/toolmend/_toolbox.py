"""`compile_tools`: all tools of an agent, each with a verdict, a policy and guards of its own, and called by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from . import _core
from ._attempts import Attempts, Decision
from ._compile import compile as compile_schema
from ._errors import SchemaError
from ._guards import Guard, guarded, guarded_async
from ._messages import calls_in
from ._schema_makers import definition_of

if TYPE_CHECKING:
    from ._core import Contract, Outcome
    from ._types import Finish, FormatsMode, Limits, Override, PolicyName, Redact, RuleName, UndeclaredMode

Effect = Literal["read", "write", "destructive"]
"""What a tool does to the world, as its definition says (`annotations` of the Model Context Protocol)."""


class ToolOptions(TypedDict, total=False):
    """What holds for one tool: options of `compile`, and those of a toolbox."""

    policy: PolicyName
    rules: dict[RuleName, bool]
    overrides: dict[str, Override]
    undeclared: UndeclaredMode
    formats: FormatsMode
    schemas: dict[str, Any]
    limits: Limits
    redact: Redact
    output: Any
    """The schema of the tool's results."""
    guards: Guard | Sequence[Guard]
    """What is checked after validation and before the tool."""
    effect: Effect
    """What the tool does, if its definition does not say so."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One entry of the list that is no tool to call."""

    name: str | None
    """Its name, where there is one."""
    index: int
    """Its place in the list, from 0."""
    path: str
    """JSON Pointer into the definition; `""` where it is not the definition that is wrong, but an option."""
    message: str
    """What is wrong there."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a message, answered."""

    id: Any
    """Its own id, where it has one."""
    name: str
    """The name that the model called."""
    outcome: Outcome
    """The answer."""


@dataclass(frozen=True, slots=True)
class Event:
    """One answered call, for who observes a toolbox."""

    tool: str | None
    """The tool; `None` for a name that there is no tool of: it is the model's own word."""
    outcome: Outcome
    """The answer."""
    decision: Decision | None
    """What followed from it, if the call was one of an `Attempts`."""
    after: Literal["refused"] | None
    """`"refused"` if the call before it in the same row was refused."""


@dataclass(frozen=True, slots=True)
class _Tool:
    contract: Contract
    effect: Effect | None
    output: Contract | None
    guards: tuple[Guard, ...]


def compile_tools(
    definitions: Any,
    /,
    *,
    tools: Mapping[str, ToolOptions] | None = None,
    mode: Literal["enforce", "report"] = "enforce",
    policy: PolicyName = "narrow",
    rules: dict[RuleName, bool] | None = None,
    undeclared: UndeclaredMode = "warn",
    formats: FormatsMode = "warn",
    schemas: dict[str, Any] | None = None,
    limits: Limits | None = None,
    redact: Redact | None = None,
) -> Toolbox:
    """Compile all tools of an agent. One bad schema never hides the others: see `Toolbox.faults`.

    >>> toolbox = compile_tools({"read": {"type": "object", "properties": {"paths": {"type": "array"}}}})
    >>> toolbox.repair("read", '{"paths": "a.txt"}').value
    {'paths': ['a.txt']}
    >>> toolbox.repair("raed", "{}").issues[0].code
    'unknown_tool'

    Args:
        definitions: A list of tool definitions in any shape that `compile` takes, pydantic models or typed functions;
            `{"tools": [...]}`; Gemini's `functionDeclarations` with any number of functions; or a dict of definitions,
            schemas, models or functions by name.
        tools: What holds for single tools, by name.
        mode: `"enforce"`, or `"report"`: what would have been done is told, and every call goes on as it came. Guards
            are asked as ever, and what one raises is raised.
        policy: How far a repair may go. Calls of a tool whose definition says that it may destroy
            (`destructiveHint: true`) are never repaired beyond `"narrow"`, unless `tools` gives it a policy of its own.
        rules: As for `compile`, for all tools.
        undeclared: As for `compile`.
        formats: As for `compile`.
        schemas: As for `compile`.
        limits: As for `compile`.
        redact: As for `compile`.

    Raises:
        SchemaError: `definitions` is no list of tools at all.
        ValueError: An option cannot be understood, or `tools` names a tool that there is none of.
        TypeError: An option is of a type that it cannot have.

    """
    if mode not in {"enforce", "report"}:
        raise ValueError(f"unknown mode `{mode}`: expected `enforce` or `report`")
    common: dict[str, Any] = {
        "policy": policy,
        "rules": rules,
        "undeclared": undeclared,
        "formats": formats,
        "schemas": schemas,
        "limits": limits,
        "redact": redact,
    }
    common = _said(common)
    # Bad options are the host's mistake and not a fault of some tool.
    compile_schema(True, **common)  # noqa: FBT003 - the schema that takes everything
    own: dict[str, ToolOptions] = _said(tools or {})
    compiled: dict[str, _Tool] = {}
    faults: list[Fault] = []
    for found in _core.definitions(_read(definitions)):
        if "message" in found:
            faults.append(Fault(found.get("name"), found["index"], "", found["message"]))
            continue
        name: str = found["name"]
        try:
            compiled[name] = _compiled(found, common, own.get(name, {}))
        except SchemaError as error:
            faults.append(Fault(name, found["index"], error.path, error.message))
    known = {*compiled, *(fault.name for fault in faults)}
    for name in own:
        if name not in known:
            raise ValueError(f"`tools` has options for `{name}`, and there is no such tool")
    return Toolbox(compiled, tuple(faults), mode)


def _read(definitions: Any) -> Any:
    """Turn what makes schemas into definitions."""
    if isinstance(definitions, (list, tuple)):
        return [definition_of(each) for each in definitions]
    if not isinstance(definitions, Mapping):
        return definitions
    listed = definitions.get("tools")
    if isinstance(listed, (list, tuple)):
        return {"tools": [definition_of(each) for each in listed]}
    return {name: definition_of(each, named=False) for name, each in definitions.items()}


def _said(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options without those that are `None`: such an option says nothing."""
    return {name: value for name, value in options.items() if value is not None}


def _compiled(found: dict[str, Any], common: dict[str, Any], given: ToolOptions) -> _Tool:
    own = _said(given)
    options = {**common, **own}
    output, guards = options.pop("output", None), options.pop("guards", ())
    effect = options.pop("effect", found.get("effect"))
    if effect not in {None, "read", "write", "destructive"}:
        raise ValueError(f"unknown effect `{effect}`: expected `read`, `write` or `destructive`")
    if effect == "destructive":
        _narrow(options, common, own)
    return _Tool(
        compile_schema(found["definition"], **options, name=found["name"]),
        effect,
        _output(found, output),
        (guards,) if callable(guards) else tuple(guards),
    )


def _output(found: dict[str, Any], own: Any) -> Contract | None:
    """Give the contract of a tool's results. What is wrong with its schema is told by its place in the definition."""
    output = found.get("output") if own is None else own
    if output is None:
        return None
    try:
        return compile_schema(output, policy="strict", name=found["name"])
    except SchemaError as error:
        if own is None:
            raise SchemaError(f"{_output_place(found['definition'])}{error.path}", error.message) from None
        at = f" at {error.path}" if error.path else ""
        raise SchemaError("", f"the option `output`{at}: {error.message}") from None


def _output_place(definition: str) -> str:
    """Say where the schema of the results stands in a definition, as a JSON Pointer."""
    told: dict[str, Any] = json.loads(definition)
    inner = next((key for key in ("function", "toolSpec") if key in told), "")
    around = [(place, each) for place, each in (("", told), (f"/{inner}", told.get(inner))) if isinstance(each, dict)]
    for key in ("outputSchema", "output_schema"):
        holder = next(((place, each[key]) for place, each in around if key in each), None)
        if holder is not None and isinstance(holder[1], dict):
            return f"{holder[0]}/{key}"
    return ""


def _narrow(options: dict[str, Any], common: dict[str, Any], own: dict[str, Any]) -> None:
    """Keep what is said of all tools from widening the repairs of a tool that may destroy."""
    policy = common.get("policy", "narrow")
    # One that there is none of has been refused already.
    if "policy" not in own and _core.POLICIES.index(policy) > _core.POLICIES.index("narrow"):
        options["policy"] = "narrow"
    if "rules" not in own and common.get("rules"):
        options["rules"] = {rule: on for rule, on in common["rules"].items() if not on}


_Listeners = dict[object, Callable[["Event"], None]]
"""Who observes, by an object of each one's own: two observers may be one function, and threads set keys and take them
away at once without losing one."""

_everywhere: _Listeners = {}


def observe_all(listener: Callable[[Event], None]) -> Callable[[], None]:
    """Call `listener` for every answered call of every toolbox, those of adapters too; what this returns ends that."""
    return _observed(_everywhere, listener)


def _observed(listeners: _Listeners, listener: Callable[[Event], None]) -> Callable[[], None]:
    one = object()
    listeners[one] = listener

    def stop() -> None:
        listeners.pop(one, None)

    return stop


_MOST_ATTEMPTS = 2**32 - 1
"""What every module and every host can count to."""


def _check_budget(budget: int) -> None:
    if not isinstance(budget, int) or isinstance(budget, bool):
        raise TypeError(f"`budget` must be of type `int`, not `{type(budget).__name__}`")
    if not 1 <= budget <= _MOST_ATTEMPTS:
        raise ValueError(f"`budget` must be a whole number from 1 to {_MOST_ATTEMPTS}")


class Toolbox:
    """Many compiled tools; made by `compile_tools`. Free to be shared between threads."""

    __slots__ = ("_listeners", "_tools", "faults", "mode")

    faults: tuple[Fault, ...]
    """What of the list is no tool to call, and why."""
    mode: Literal["enforce", "report"]
    """Whether the answers are to be followed, or only told."""

    def __init__(self, tools: dict[str, _Tool], faults: tuple[Fault, ...], mode: Literal["enforce", "report"]) -> None:
        self._tools = tools
        self._listeners: _Listeners = {}
        self.faults = faults
        self.mode = mode

    @property
    def names(self) -> list[str]:
        """The names of the tools that can be called, in the order of the list."""
        return list(self._tools)

    def contract(self, name: str) -> Contract | None:
        """Give the contract of a tool; `None` where there is no such tool."""
        tool = self._tools.get(name)
        return None if tool is None else tool.contract

    def effect(self, name: str) -> Effect | None:
        """Say what a tool does to the world, if its definition or an option does."""
        tool = self._tools.get(name)
        return None if tool is None else tool.effect

    def repair(self, name: str, arguments: Any = None, *, finish: Finish | None = None) -> Outcome:
        """Repair the arguments of a call, and ask the tool's guards.

        `arguments` and `finish` are those of `Contract.repair`. A name that there is no tool of, or a tool that did not
        compile, is refused with `unknown_tool`.

        Raises:
            TypeError: A guard of the tool is asynchronous; `repair_async` awaits it.

        """
        outcome = self._answer(name, arguments, finish)
        self._tell(name, outcome, None)
        return outcome

    async def repair_async(self, name: str, arguments: Any = None, *, finish: Finish | None = None) -> Outcome:
        """Do what `repair` does, and await asynchronous guards."""
        outcome = await self._answer_async(name, arguments, finish)
        self._tell(name, outcome, None)
        return outcome

    def repair_message(self, message: Any, *, finish: Finish | None = None) -> list[Call]:
        """Repair every call in a message of a model, in their order.

        `message` is a message or a whole reply of OpenAI (chat and responses), Anthropic or Gemini, or a request of the
        Model Context Protocol: as dicts, or as the SDK's own objects. Where it says why it ended, that counts beside
        `finish`: what either of them calls cut is refused.

        Raises:
            ValueError: This is no message of a model, or more than one; a piece of a stream; or it has calls where no
                shape that is known has them.

        """
        return [
            Call(call.id, call.name, self.repair(call.name, call.arguments, finish=call.finish))
            for call in calls_in(message, finish)
        ]

    def check(self, name: str, result: Any) -> Outcome | None:
        """Validate a result of a tool against the schema of its output; `None` where there is none."""
        tool = self._tools.get(name)
        return None if tool is None or tool.output is None else tool.output.check(result)

    def attempts(self, budget: int = 3, *, state: Mapping[str, Any] | None = None) -> Attempts:
        """Begin the log of one run of an agent, or go on with one that `Attempts.to_dict` gave.

        `budget` is how many calls of a tool in a row may be refused until there is no retry, from 1 to 4294967295; a
        log that is gone on with has its own.

        Raises:
            ValueError: The budget is another number, or `state` is no log.
            TypeError: The budget is no `int`.

        """
        _check_budget(budget)
        if state is not None and type(kept := state.get("budget")) is int:
            _check_budget(kept)
        return Attempts(self, _core.attempts(budget, None if state is None else json.dumps(state)))

    def observe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` for every answered call from now on; what this returns ends that.

        A listener is called where the call was made, and what it raises is raised there.
        """
        return _observed(self._listeners, listener)

    def _answer(self, name: str, arguments: Any, finish: Finish | None) -> Outcome:
        tool = self._tools.get(name)
        if tool is None:
            return self._unknown(name)
        outcome = tool.contract.repair(arguments, finish=finish)
        return guarded(tool.contract, tool.guards, outcome) if outcome.ok and tool.guards else outcome

    async def _answer_async(self, name: str, arguments: Any, finish: Finish | None) -> Outcome:
        tool = self._tools.get(name)
        if tool is None:
            return self._unknown(name)
        outcome = tool.contract.repair(arguments, finish=finish)
        return await guarded_async(tool.contract, tool.guards, outcome) if outcome.ok and tool.guards else outcome

    def _unknown(self, name: str) -> Outcome:
        return _core.unknown_tool(name, self.names)

    def _tell(self, name: str, outcome: Outcome, decision: Decision | None) -> None:
        if not self._listeners and not _everywhere:
            return
        # Copies are made at once, whatever other threads do.
        listeners = (*self._listeners.copy().values(), *_everywhere.copy().values())
        after: Literal["refused"] | None = "refused" if decision is not None and decision.attempt > 1 else None
        event = Event(name if name in self._tools else None, outcome, decision, after)
        for listener in listeners:
            listener(event)
