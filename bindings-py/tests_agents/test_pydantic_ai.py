"""Pydantic AI's own agent loop, with its `FunctionModel`."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import Tool
from toolmend import compile_tools
from toolmend.pydantic_ai import Mend

from script import CORRECTED, MENDED, NAMES, NESTED, NESTED_CALL, NESTED_VALUE, REFUSED, VALID, Received


class Scripted:
    """A model that makes one call after the other, each in a reply of its own, and then says that it is done."""

    def __init__(self, *calls: tuple[str, str]) -> None:
        self.script = list(calls)
        self.told: list[str] = []

    def __call__(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        for part in messages[-1].parts:
            if isinstance(part, (ToolReturnPart, RetryPromptPart)):
                self.told.append(str(part.content))
        if not self.script:
            return ModelResponse(parts=[TextPart("done")])
        name, arguments = self.script.pop(0)
        return ModelResponse(parts=[ToolCallPart(name, arguments, tool_call_id=f"call_{len(self.script)}")])


def tools(received: Received) -> list[Tool[Any]]:
    def from_schema(function: Any, name: str, schema: Any) -> Tool[Any]:
        tool = Tool.from_schema(function, name, "d", schema)
        tool.max_retries = 5
        return tool

    return [from_schema(received.index, "index", NAMES), from_schema(received.order, "order", NESTED)]


def play(*calls: tuple[str, str], mend: Mend | None = None) -> tuple[list[Any], list[str]]:
    received, model = Received(), Scripted(*calls)
    agent = Agent(FunctionModel(model), tools=tools(received), capabilities=[mend or Mend()])
    asyncio.run(agent.run("go"))
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


def test_an_identical_resend_is_stopped() -> None:
    toolbox = compile_tools({"index": NAMES})
    for mend in (Mend(), Mend(toolbox)):
        received, told = play(("index", REFUSED), ("index", REFUSED), ("index", VALID), mend=mend)
        assert received == [{"data_source_names": ["dotnet/eshop"]}]
        assert "refused before" in told[1]
        assert [play(("index", REFUSED), mend=mend)[1][0].startswith("Not run.") for _ in range(2)] == [True, True]


def test_a_typed_tool_gets_what_its_types_say() -> None:
    got: list[Any] = []

    def add(numbers: list[int], label: str) -> str:
        got.append((numbers, label))
        return "added"

    model = Scripted(("add", '{"numbers": 123456789012345678, "label": "x"}'))
    asyncio.run(Agent(FunctionModel(model), tools=[add], capabilities=[Mend()]).run("go"))
    assert got == [([123456789012345678], "x")]
