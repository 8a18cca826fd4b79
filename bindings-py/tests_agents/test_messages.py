"""The messages of the shared cases as the objects of the services' own SDKs: the calls in them are the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import Message as AnthropicMessage
from google.genai.types import Candidate, Content, GenerateContentResponse
from mcp.types import CallToolRequest, CallToolRequestParams
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from openai.types.responses import Response, ResponseFunctionToolCall
from pydantic import ValidationError
from toolmend import compile_tools

MCP = {"jsonrpc", "id", "method", "params", "name", "arguments", "_meta"}
MESSAGES = Path(__file__).parents[2] / "tests" / "agents" / "messages.jsonl"


def sdk_object(given: Any) -> Any:  # noqa: PLR0911 - a shape a line
    """Make the SDK's own object of a message, without validation, as SDKs make them of what a service sends."""
    if not isinstance(given, dict):
        return None
    if given.get("object") in {"chat.completion", "response"} and "error" not in given:
        given = {"id": "1", **given}
    if given.get("object") == "chat.completion":
        return ChatCompletion.construct(None, **given)
    if given.get("object") == "response":
        return Response.construct(None, **given)
    if "finish_reason" in given and "message" in given:
        return Choice.construct(None, **given)
    if given.get("type") == "function_call":
        return ResponseFunctionToolCall.construct(None, **given)
    if given.get("type") == "message" and isinstance(given.get("content"), list):
        return AnthropicMessage.construct(None, **given)
    if given.get("role") == "assistant" and ("tool_calls" in given or "function_call" in given):
        return ChatCompletionMessage.construct(None, **given)
    try:
        return google_or_mcp(given)
    except ValidationError:
        # An SDK that validates has no object of what its service does not send.
        return None


def google_or_mcp(given: dict[str, Any]) -> Any:
    if "candidates" in given:
        return GenerateContentResponse.model_validate(given)
    if "content" in given and "finishReason" in given:
        return Candidate.model_validate(given)
    if "parts" in given:
        return Content.model_validate(given)
    # These SDKs leave out what they do not know.
    if given.get("method") == "tools/call" and "arguments" not in given and {*given, *given["params"]} <= MCP:
        return CallToolRequest.model_validate({key: given[key] for key in ("method", "params")})
    if "arguments" in given and "name" in given and set(given) <= MCP:
        return CallToolRequestParams.model_validate(given)
    return None


CASES = [json.loads(line) for line in MESSAGES.read_text().splitlines()]
OBJECTS = [(case["name"], case["message"], sdk_object(case["message"])) for case in CASES]
OBJECTS = [each for each in OBJECTS if each[2] is not None]


def told(message: Any) -> Any:
    """Give what is read out of a message, or that it is none."""
    names = [name for case in CASES for name in (call["name"] for call in case.get("calls", []))]
    toolbox = compile_tools({name: {"type": "object"} for name in names}, policy="adapter")
    try:
        return [(call.id, call.name, call.outcome.to_dict()) for call in toolbox.repair_message(message)]
    except ValueError:
        return "no message"


@pytest.mark.parametrize(("message", "made"), [each[1:] for each in OBJECTS], ids=[each[0] for each in OBJECTS])
def test_an_object_says_what_its_dict_says(message: Any, made: Any) -> None:
    is_request = isinstance(made, CallToolRequest)
    want = [(None, *rest) for _, *rest in told(message)] if is_request else told(message)
    assert told(made) == want


def test_every_sdk_has_its_objects() -> None:
    kinds = {type(made).__module__.partition(".")[0] for _, _, made in OBJECTS}
    assert kinds == {"openai", "anthropic", "google", "mcp_types"}
    assert len(OBJECTS) > 25
