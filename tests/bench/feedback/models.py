"""The schemas of `refusals.json` as a user of pydantic writes them: a model a refusal, by name.

What pydantic has no field for is a validator, with the words that one would choose.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, EmailStr, Field, model_validator


class Open(BaseModel):
    """An object that takes other keys too."""


class Closed(BaseModel):
    """An object that takes no other keys."""

    model_config = ConfigDict(extra="forbid")


class Search(Closed):
    query: str
    limit: int = Field(ge=1, le=100)
    include_archived: bool | None = None


class Ticket(Closed):
    title: str
    body: str
    labels: list[str] | None = None


class Address(Closed):
    street: str
    floor: int
    city: str


class Order(Closed):
    order: str
    address: Address


class File(Closed):
    file_path: str
    contents: str
    overwrite: bool | None = None


class Range(Closed):
    first: int | None = None
    last: int | None = None
    step: int | None = None


class Rows(Closed):
    table: str
    range: Range | None = None


class Task(Closed):
    summary: str
    priority: Literal["low", "medium", "high", "blocker"]
    assignee: str | None = None


class Session(Closed):
    protocol: Literal["2024-11"]
    session: str


class Sampling(Closed):
    page: int = Field(ge=1)
    confidence: float = Field(lt=1)
    interval: int = Field(multiple_of=15)


class Comment(Closed):
    ticket: str = Field(pattern="^[A-Z]{2,5}-[0-9]+$")
    comment: str


class Profile(Closed):
    handle: str = Field(min_length=3)
    headline: str = Field(max_length=40)


class Metric(Closed):
    metric: str
    window: list[str] = Field(min_length=2, max_length=5)


def unique(items: list[str]) -> list[str]:
    if len(set(items)) < len(items):
        raise ValueError("items must be unique")
    return items


class Channel(Closed):
    channel: str
    members: Annotated[list[str], AfterValidator(unique)]


class Command(Closed):
    command: str
    timeout: float


class Labels(Closed):
    issue: int
    labels: list[str]


class Write(Closed):
    path: str
    content: str


class Weather(Closed):
    city: str


class Delete(Closed):
    path: str
    recursive: bool | None = None


class Circle(Closed):
    kind: Literal["circle"]
    radius: float


class Square(Closed):
    kind: Literal["square"]
    side: float


class Rectangle(Closed):
    kind: Literal["rectangle"]
    width: float
    height: float


class Line(Closed):
    kind: Literal["line"]
    dash: Literal["solid", "dotted", "dashed"]
    weight: int


class Arrow(Closed):
    kind: Literal["arrow"]
    head: str


class Text(Closed):
    kind: Literal["text"]
    content: str


class Image(Closed):
    kind: Literal["image"]
    url: str


class Star(Closed):
    kind: Literal["star"]
    spikes: int


class Polygon(Closed):
    kind: Literal["polygon"]
    corners: int


class Frame(Closed):
    kind: Literal["frame"]
    caption: str


class Sticky(Closed):
    kind: Literal["sticky"]
    note: str


class Group(Closed):
    kind: Literal["group"]
    children: list[str]


Shape = Circle | Square | Rectangle | Line | Arrow | Text | Image | Star | Polygon | Frame | Sticky | Group


class Board(Closed):
    board: str
    shape: Shape = Field(discriminator="kind")


class ById(Closed):
    user_id: int


class ByEmail(Closed):
    email: str
    display_name: str | None = None


class Message(Closed):
    message: str
    recipient: ById | ByEmail


class Cron(Closed):
    cron: str


class Delay(Closed):
    delay_minutes: int


class Job(Closed):
    job: str
    when: Literal["now"] | Cron | Delay


class Created(Open):
    type: Literal["created"]
    at: str


class Renamed(Open):
    type: Literal["renamed"]
    at: str


class Removed(Open):
    type: Literal["removed"]
    at: str


class Event(Open):
    event: Created | Renamed | Removed = Field(discriminator="type")


class Disk(Open):
    store: Literal["disk"]
    path: str


class Bucket(Open):
    store: Literal["bucket"]
    path: str


class Archive(Open):
    store: Literal["archive"]
    path: str


class Backup(Open):
    destination: Disk | Bucket | Archive = Field(discriminator="store")


class Service(Closed):
    name: str
    region: Literal["eu-west", "us-east", "ap-south"]
    replicas: int = Field(le=20)
    image: str
    ports: list[int]
    env: dict[str, str] | None = None


class Canary(Open):
    weight: int = Field(ge=0, le=100)
    pause: str | None = None


class Strategy(Open):
    canary: Canary


class Deploy(Open):
    strategy: Strategy


class Pipeline(Open):
    deploy: Deploy


class Release(Open):
    pipeline: Pipeline


class OrderLine(Closed):
    sku: str
    quantity: int = Field(ge=1)
    unit: Literal["piece", "box", "pallet"]


class Purchase(Closed):
    customer: str
    lines: list[OrderLine]


class Child(Closed):
    task: str
    parent: int | None


class Payment(Closed):
    amount: float
    card: str | None = None
    billing_address: str | None = None

    @model_validator(mode="after")
    def card_has_address(self) -> Payment:
        if self.card is not None and self.billing_address is None:
            raise ValueError("billing_address is required when card is given")
        return self


DUTCH = "^[0-9]{4} [A-Z]{2}$"


class Home(Open):
    country: str
    postcode: str

    @model_validator(mode="after")
    def dutch_postcode(self) -> Home:
        if self.country == "NL" and not re.search(DUTCH, self.postcode):
            raise ValueError(f"postcode must match {DUTCH} when country is NL")
        return self


class Meeting(Closed):
    subject: str
    starts: datetime
    organizer: EmailStr


class Experiment(Closed):
    experiment: str
    shares: dict[str, Annotated[float, Field(ge=0)]]


MODELS: dict[str, type[BaseModel]] = {
    "wrong type": Search,
    "missing key": Ticket,
    "missing nested key": Order,
    "misspelled required key": File,
    "unknown nested key": Rows,
    "enum": Task,
    "const": Session,
    "three bounds": Sampling,
    "pattern": Comment,
    "two lengths": Profile,
    "array size": Metric,
    "duplicate items": Channel,
    "number with a unit": Command,
    "comma list": Labels,
    "cut text": Write,
    "two objects": Weather,
    "duplicate key": Delete,
    "one of twelve branches, one wrong field": Board,
    "union without a tag": Message,
    "union of which no branch was meant": Job,
    "missing tag": Event,
    "wrong tag": Backup,
    "five errors at once": Service,
    "deep path": Release,
    "list index": Purchase,
    "nullable": Child,
    "dependent required": Payment,
    "if and then": Home,
    "format": Meeting,
    "value of a map": Experiment,
}
