"""The OpenAI Agents SDK's own runner, with a model that plays a script."""

from __future__ import annotations

import asyncio
import gc
import json
from decimal import Decimal
from typing import Any

import pytest
from agents import (
    Agent,
    FunctionTool,
    Model,
    ModelBehaviorError,
    ModelProvider,
    ModelResponse,
    RunConfig,
    Runner,
    Usage,
    WebSearchTool,
    function_tool,
    set_tracing_disabled,
)
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
)
from script import (
    CORRECTED,
    HARD,
    HARD_VALUE,
    MENDED,
    NAMES,
    NESTED,
    NESTED_CALL,
    NESTED_VALUE,
    REFUSED,
    VALID,
    Received,
)
from toolmend import compile_tools, observe_all
from toolmend.openai_agents import mend, mend_model

set_tracing_disabled(True)


class Scripted(Model):
    """A model that makes one call after the other, each in a reply of its own, and then says that it is done.

    A list in the script is one reply with several calls. A call is a name, arguments, and an id if it is to have one.
    """

    def __init__(self, *calls: Any, status: Any = "completed") -> None:
        self.script = list(calls)
        self.status = status
        self.told: list[str] = []

    def reply(self, given: Any) -> list[Any]:
        outputs = given if isinstance(given, list) else []
        self.told = [item["output"] for item in outputs if item.get("type") == "function_call_output"]
        if not self.script:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            return [ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")]
        reply = self.script.pop(0)
        return [
            ResponseFunctionToolCall(
                call_id=own_id[0] if own_id else f"call_{len(self.script)}_{index}",
                name=name,
                arguments=arguments,
                type="function_call",
                status=self.status,
            )
            for index, (name, arguments, *own_id) in enumerate(reply if isinstance(reply, list) else [reply])
        ]

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002
        return ModelResponse(output=self.reply(input), usage=Usage(requests=1), response_id=None)

    async def stream_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:  # noqa: A002
        output = self.reply(input)
        for index, item in enumerate(output):
            yield ResponseOutputItemDoneEvent(
                item=item, output_index=index, sequence_number=index, type="response.output_item.done"
            )
        response = Response(
            id="r",
            created_at=0,
            model="m",
            object="response",
            output=output,
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(response=response, sequence_number=len(output), type="response.completed")


def tools(received: Received) -> list[Any]:
    async def index(_: Any, arguments: str) -> str:
        return received.index(**json.loads(arguments))

    async def order(_: Any, arguments: str) -> str:
        return received.order(**json.loads(arguments))

    return [
        FunctionTool("index", "d", NAMES, index, strict_json_schema=False),
        FunctionTool("order", "d", NESTED, order, strict_json_schema=False),
    ]


def play(*calls: Any, stream: bool = False, is_model_mended: bool = False, **of: Any) -> tuple[list[Any], list[str]]:
    received, model = Received(), Scripted(*calls, **of)
    own = mend(tools(received))
    agent = Agent(name="a", model=mend_model(model, own) if is_model_mended else model, tools=own)

    async def run() -> None:
        if stream:
            async for _ in Runner.run_streamed(agent, "go").stream_events():
                pass
        else:
            await Runner.run(agent, "go")

    asyncio.run(run())
    return list(received), model.told


@pytest.mark.parametrize("is_model_mended", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_the_loop(stream: bool, is_model_mended: bool) -> None:
    received, told = play(
        ("index", VALID),
        ("index", MENDED),
        ("index", REFUSED),
        ("index", CORRECTED),
        ("order", NESTED_CALL),
        stream=stream,
        is_model_mended=is_model_mended,
    )
    assert received == [
        {"data_source_names": ["dotnet/eshop"]},
        {"data_source_names": ["dotnet/eshop"]},
        {"data_source_names": ["dotnet/eshop", "dotnet/runtime"]},
        NESTED_VALUE,
    ]
    assert told[2].startswith("Not run. Resend the whole call")
    assert [*told[:2], *told[3:]] == ["indexed", "indexed", "indexed", "ordered"]


def test_an_identical_resend_is_stopped_and_each_run_has_attempts_of_its_own() -> None:
    received, model = Received(), Scripted(("index", REFUSED), ("index", REFUSED), ("index", VALID))
    agent = Agent(name="a", model=model, tools=mend(tools(received)))
    asyncio.run(Runner.run(agent, "go"))
    assert list(received) == [{"data_source_names": ["dotnet/eshop"]}]
    assert "refused before" in model.told[1]
    model.script = [("index", REFUSED)]
    model.told = []
    asyncio.run(Runner.run(agent, "go"))
    assert model.told[-1].startswith("Not run. Resend")


def test_a_typed_function_gets_what_its_types_say() -> None:
    got: list[Any] = []

    @function_tool
    def add(numbers: list[int], label: str) -> str:
        got.append((numbers, label))
        return "added"

    model = Scripted(("add", '{"numbers": 123456789012345678, "label": "x"}'))
    asyncio.run(Runner.run(Agent(name="a", model=model, tools=mend([add])), "go"))
    assert got == [([123456789012345678], "x")]
    assert model.told == ["added"]


def test_an_approval_sees_canonical_arguments_if_the_model_is_mended() -> None:
    seen: list[Any] = []
    got: list[Any] = []

    async def needs_approval(_: Any, params: dict[str, Any], call_id: str) -> bool:
        seen.append((params, call_id))
        return True

    @function_tool(needs_approval=needs_approval)
    def add(numbers: list[int]) -> str:
        got.append(numbers)
        return "added"

    class Provider(ModelProvider):
        def get_model(self, model_name: str | None) -> Model:
            return Scripted(("add", '{"numbers": 5}'))

    own = mend([add])
    statuses: list[str] = []
    stop = observe_all(lambda event: statuses.append(event.outcome.status))
    agent = Agent(name="a", tools=own)
    provider = Provider()
    config = RunConfig(model_provider=mend_model(provider, own))

    async def run() -> None:
        result = await Runner.run(agent, "go", run_config=config)
        (asked,) = result.interruptions
        assert asked.arguments == '{"numbers":[5]}'
        state = result.to_state()
        state.approve(asked)
        await Runner.run(agent, state, run_config=RunConfig(model=Scripted()))

    asyncio.run(run())
    stop()
    assert [params for params, _ in seen][:1] == [{"numbers": [5]}]
    assert got == [[5]]
    assert statuses == ["repaired"], "what the model sent is what is told"


def test_calls_of_one_reply_are_one_attempt() -> None:
    received, told = play(
        [("index", REFUSED), ("index", '{"data_source_names": null}'), ("order", NESTED_CALL)], ("index", VALID)
    )
    assert received == [NESTED_VALUE, {"data_source_names": ["dotnet/eshop"]}]
    assert ["last attempt" in text for text in told] == [False] * 4
    assert [text.startswith("Not run. Resend") for text in told] == [True, True, False, False]


def test_a_call_that_was_cut_does_not_run() -> None:
    assert play(("index", VALID), status="incomplete")[0] == []


def test_what_is_no_function_and_what_a_toolbox_does_not_know_is_left_alone() -> None:
    search = WebSearchTool()
    index, order = tools(Received())
    given = mend([search, index, order], compile_tools({"index": NAMES}))
    assert given[0] is search
    assert given[1] is not index
    assert given[2] is order
    assert mend_model(Scripted(), given) is not None


A, B = {"data_source_names": ["a"]}, {"data_source_names": ["b"]}
SENT_A, SENT_B = '{"data_source_names": "a"}', '{"data_source_names": "b"}'


@pytest.mark.parametrize("is_model_mended", [False, True])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("call_id", ["same", ""])
def test_calls_that_their_ids_do_not_tell_apart_never_get_what_is_anothers(
    call_id: str, stream: bool, is_model_mended: bool
) -> None:
    """The SDK itself ends a run whose calls have no ids of their own."""
    for texts in ((SENT_A, SENT_B), (REFUSED, SENT_B), (SENT_A, REFUSED)):
        received = Received()
        own = mend(tools(received))
        model: Model = Scripted([("index", text, call_id) for text in texts])
        agent = Agent(name="a", model=mend_model(model, own) if is_model_mended else model, tools=own)

        async def run(agent: Any) -> None:
            if stream:
                async for _ in Runner.run_streamed(agent, "go").stream_events():
                    pass
            else:
                await Runner.run(agent, "go")

        with pytest.raises(ModelBehaviorError):
            asyncio.run(run(agent))
        assert list(received) == []


@pytest.mark.parametrize("stream", [False, True])
def test_what_is_told_of_a_call_is_what_was_sent_for_it(stream: bool) -> None:
    """Two runs at the same time with the same ids, and the same canonical arguments."""
    received = Received()
    own = mend(tools(received))
    told: list[tuple[Any, str]] = []
    stop = observe_all(lambda event: told.append((event.tool, event.outcome.status)))
    texts = [SENT_A, json.dumps(A, separators=(",", ":"))] * 10

    async def run(text: str) -> None:
        agent = Agent(name="a", model=mend_model(Scripted(("index", text, "c")), own), tools=own)
        if stream:
            async for _ in Runner.run_streamed(agent, "go").stream_events():
                pass
        else:
            await Runner.run(agent, "go")

    async def runs() -> None:
        await asyncio.gather(*(run(text) for text in texts))

    asyncio.run(runs())
    stop()
    gc.collect()
    index: Any = own[0]
    assert index.on_invoke_tool.toolmend._logs == {}, "of a run that has ended nothing is kept"  # noqa: SLF001
    assert list(received) == [A] * 20
    assert sorted(told) == [("index", "repaired")] * 10 + [("index", "unchanged")] * 10


def test_an_agent_as_a_tool_has_attempts_of_its_own() -> None:
    received = Received()
    own = mend(tools(received))
    inner = Scripted(("index", REFUSED, "c"), ("index", SENT_A, "d"))
    helper = Agent(name="helper", model=mend_model(inner, own), tools=own)
    as_tool = helper.as_tool("ask", "d")
    script = (
        [("index", REFUSED, "c")],
        [("ask", '{"input": "x"}', "a")],
        [("index", REFUSED, "e")],
        ("index", SENT_B, "f"),
    )
    outer = Scripted(*script)
    asyncio.run(Runner.run(Agent(name="a", model=mend_model(outer, own), tools=[*own, as_tool]), "go"))
    assert list(received) == [A, B]
    assert [text.startswith("Not run. Resend") for text in inner.told] == [True, False]
    assert "refused before" in outer.told[2]


def test_a_mended_model_is_the_model_in_all_but_its_replies() -> None:
    ended: list[Any] = []

    class Own(Scripted):
        async def _cleanup_on_run_end(self, owner: Any) -> None:
            ended.append(owner)

        def get_retry_advice(self, request: Any) -> Any:
            return "advice"

    class Provider(ModelProvider):
        model = Own(("index", MENDED))

        def get_model(self, model_name: str | None) -> Model:
            return self.model

    received = Received()
    own = mend(tools(received))
    provider = mend_model(Provider(), own)
    agent = Agent(name="a", tools=own)
    asyncio.run(Runner.run(agent, "go", run_config=RunConfig(model_provider=provider)))
    assert list(received) == [{"data_source_names": ["dotnet/eshop"]}]
    assert len(ended) == 1, "the SDK tells a model, once, by a method of its own that a run has ended"
    assert isinstance(provider.get_model(None), Model)
    model: Any = provider.get_model(None)
    assert model.get_retry_advice(None) == "advice"
    assert model.script == []
    assert model is provider.get_model(None)


def test_digits_and_characters_arrive_untouched() -> None:
    for is_model_mended in (False, True):
        assert play(("order", HARD), is_model_mended=is_model_mended)[0] == [HARD_VALUE]


def test_a_typed_tool_gets_every_digit() -> None:
    got: list[Any] = []

    @function_tool
    def pay(id: int, amount: Decimal, memos: list[str]) -> str:  # noqa: A002
        got.append((id, amount, memos))
        return "paid"

    own = mend([pay])
    call = '{"id": 123456789012345678901234567890, "amount": "0.12345678901234567890", "memos": "\\ud83d\\ude00"}'
    asyncio.run(Runner.run(Agent(name="a", model=mend_model(Scripted(("pay", call)), own), tools=own), "go"))
    assert got == [(123456789012345678901234567890, Decimal("0.12345678901234567890"), ["\U0001f600"])]
