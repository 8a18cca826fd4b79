"""The OpenAI Agents SDK's own runner, with a model that plays a script."""

from __future__ import annotations

import asyncio
from typing import Any

from agents import Agent, FunctionTool, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from toolmend.openai_agents import mend

from script import CORRECTED, MENDED, NAMES, NESTED, NESTED_CALL, NESTED_VALUE, REFUSED, VALID, Received

set_tracing_disabled(True)


class Scripted(Model):
    """A model that makes one call after the other, each in a reply of its own, and then says that it is done."""

    def __init__(self, *calls: tuple[str, str]) -> None:
        self.script = list(calls)
        self.told: list[str] = []

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002
        if isinstance(input, list) and input[-1].get("type") == "function_call_output":
            self.told.append(input[-1]["output"])
        output: Any
        if self.script:
            name, arguments = self.script.pop(0)
            call_id = f"call_{len(self.script)}"
            output = ResponseFunctionToolCall(call_id=call_id, name=name, arguments=arguments, type="function_call")
        else:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            output = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[output], usage=Usage(requests=1), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def tools(received: Received) -> list[Any]:
    import json

    async def index(_: Any, arguments: str) -> str:
        return received.index(**json.loads(arguments))

    async def order(_: Any, arguments: str) -> str:
        return received.order(**json.loads(arguments))

    return [
        FunctionTool("index", "d", NAMES, index, strict_json_schema=False),
        FunctionTool("order", "d", NESTED, order, strict_json_schema=False),
    ]


def play(*calls: tuple[str, str]) -> tuple[list[Any], list[str]]:
    received, model = Received(), Scripted(*calls)
    agent = Agent(name="a", model=model, tools=mend(tools(received)))
    asyncio.run(Runner.run(agent, "go"))
    return list(received), model.told


def test_the_loop() -> None:
    received, told = play(
        ("index", VALID), ("index", MENDED), ("index", REFUSED), ("index", CORRECTED), ("order", NESTED_CALL)
    )
    assert received == [
        {"data_source_names": ["dotnet/eshop"]},
        {"data_source_names": ["dotnet/eshop"]},
        {"data_source_names": ["dotnet/eshop", "dotnet/runtime"]},
        NESTED_VALUE,
    ]
    assert told[2].startswith("Not run. Resend the whole call")
    assert told[3:] == ["indexed", "ordered"]


def test_an_identical_resend_is_stopped_and_each_run_has_attempts_of_its_own() -> None:
    received, model = Received(), Scripted(("index", REFUSED), ("index", REFUSED), ("index", VALID))
    agent = Agent(name="a", model=model, tools=mend(tools(received)))
    asyncio.run(Runner.run(agent, "go"))
    assert list(received) == [{"data_source_names": ["dotnet/eshop"]}]
    assert "refused before" in model.told[1]
    model.script = [("index", REFUSED)]
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
