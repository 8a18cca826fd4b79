"""The package without the frameworks that its adapters are for."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import requires

import pytest

ADAPTERS = {
    "agent_framework": ("agent_framework", "agent-framework"),
    "langchain": ("langchain", "langchain"),
    "mcp": ("mcp", "mcp"),
    "openai_agents": ("agents", "openai-agents"),
    "pydantic_ai": ("pydantic_ai", "pydantic-ai"),
    "telemetry": ("opentelemetry", "telemetry"),
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_without_its_framework_says_what_to_install(name: str) -> None:
    module, extra = ADAPTERS[name]
    # A fresh interpreter, in which the framework is not there, whatever this environment has.
    script = f"import sys; sys.modules[{module!r}] = None; import toolmend.{name}"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.returncode == 1
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ImportError: `toolmend.{name}` needs `{module}")
    assert last.endswith(f'pip install "toolmend[{extra}]"')


def test_plain_toolmend_needs_nothing() -> None:
    needed = requires("toolmend") or []
    assert all("extra ==" in requirement for requirement in needed)
    extras = {requirement.partition("extra == ")[2].strip("\"' ") for requirement in needed}
    assert extras == {extra for _, extra in ADAPTERS.values()}


def test_plain_toolmend_loads_no_adapter_and_no_toolbox() -> None:
    script = "import sys, toolmend; print([name for name in sys.modules if name.startswith('toolmend.')])"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert ended.stdout.strip() == str(
        ["toolmend._core", "toolmend._schema_makers", "toolmend._compile", "toolmend._errors"]
    )
