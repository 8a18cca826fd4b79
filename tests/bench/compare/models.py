"""The schemas of `rows.jsonl` as a user of pydantic writes them: a model a row, by name."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Closed(BaseModel):
    """An object that takes no other keys."""

    model_config = ConfigDict(extra="forbid")


class Label(Closed):
    labels: list[str]


class Build(Closed):
    paths: list[str]


class Invite(Closed):
    to: list[str]


class Pick(Closed):
    ids: list[int]


class Read(Closed):
    path: str


class Clear(Closed):
    keep: list[str]


class Weather(Closed):
    city: str


class Open(Closed):
    filePath: str  # noqa: N815 - the tool's own name


class Delete(Closed):
    path: str


class Send(Closed):
    to: str


class Push(Closed):
    force: bool


class Show(Closed):
    n: int
    ref: int | str


class Search(Closed):
    query: str
    limit: int = 10


class Look(Closed):
    id: int


class Book(Closed):
    room: int


class Start(Closed):
    region: Literal["us-east-1", "eu-west-1"]


class Pay(Closed):
    amount: float


MODELS = {
    "one text for a list": Label,
    "a list sent as JSON text": Build,
    "text with a comma for a list": Invite,
    "a text among integers": Pick,
    "cut off in a text": Read,
    "cut off in a list": Clear,
    "a code fence": Weather,
    "a key in another case": Open,
    "a key that is not declared": Delete,
    "a key given twice": Send,
    '`"false"` for a boolean': Push,
    "valid text beside what is not": Show,
    "null for an optional integer": Search,
    "19 digits": Look,
    "19 digits as text": Look,
    "leading zeros": Book,
    "a near miss of an enum": Start,
    "NaN": Pay,
}
