"""Pydantic's classes and adapters, and `TypedDict`, in the place of a schema."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypedDict

import pytest
import toolmend

if TYPE_CHECKING:
    import pydantic
else:
    pydantic = pytest.importorskip("pydantic")

if sys.version_info >= (3, 12):
    Base = TypedDict
else:
    # What pydantic asks for before Python 3.12.
    from typing_extensions import TypedDict as Base


class Search(pydantic.BaseModel):
    names: list[str]
    limit: int = 3


class Query(Base):
    names: list[str]


@pytest.mark.parametrize("maker", [Search, pydantic.TypeAdapter(Search), Query, pydantic.TypeAdapter(Query)])
def test_makers(maker: object) -> None:
    contract = toolmend.compile(maker)
    assert contract.repair('{"names": "a"}').value == {"names": ["a"]}
    assert not contract.repair('{"names": 3}').ok


def test_the_value_fits_the_model() -> None:
    outcome = toolmend.compile(Search).repair('{"names": "a"}')
    assert Search(**outcome.value) == Search(names=["a"])


def test_an_instance_is_no_schema() -> None:
    with pytest.raises(TypeError, match="not `Search`"):
        toolmend.compile(Search(names=[]))


def test_a_typed_dict_needs_pydantic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(TypeError, match=r"the schema of a TypedDict \(`Query`\) needs pydantic"):
        toolmend.compile(Query)
