"""Routes that describe themselves: each has its operations in the OpenAPI description beside its function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reboard.record import Record
from reboard.vocabulary.limits import Between, Length
from reboard.vocabulary.schema import Schema, Schemas

JSON = "application/json"
SVG = "image/svg+xml"
STREAM = "text/event-stream"

Body = type | Callable[[Schemas], Schema]
"""What describes a JSON value: its class, or a function that returns its schema."""

Endpoint = Callable[[Request], Awaitable[Response] | Response]


class Problem(TypedDict):
    """An error."""

    error: Annotated[str, Length(1), "what is wrong and what to do"]


class Refusal(Problem):
    """A rejection."""

    why: NotRequired[Annotated[str, "the reason, as in the event refused"]]


class TryLater(Problem):
    """Too many requests."""

    retry_after_s: Annotated[int, Between(1, None)]


class Answer:
    """An answer in *words*, with its JSON *body* or a text of one of the *media* types. Without both, it is empty."""

    def __init__(self, words: str, body: Body | None = None, *media: str, headers: Mapping[str, Schema] = {}) -> None:
        self.words = words
        self.body = body
        self.media = media
        self.headers = headers


def an_object(_: Schemas) -> Schema:
    """Return the schema of any JSON object."""
    return {"type": "object"}


def problem_of(words: str) -> Answer:
    """Return the answer with a `Problem`, in *words*."""
    return Answer(words, Problem)


def refusal(words: str = "The table refuses, with the reason.") -> Answer:
    """Return the answer with a `Refusal`, in *words*."""
    return Answer(words, Refusal)


def too_often(words: str) -> Answer:
    """Return the answer with a `TryLater`, in *words*."""
    return Answer(words, TryLater, headers={"Retry-After": {"type": "integer", "minimum": 1}})


BUSY = problem_of("The table is busy or does not answer. It may have carried out the request.")


class Operation(Record):
    """An operation of a route: its *id*, its *summary*, and its *answers* by status.

    *body* is the JSON that is sent, and *parameters* are those of query and path. The answers that many operations have
    follow from these, and from *is_hosts*: whether only the host may send it.
    """

    id: str
    summary: str
    answers: Mapping[int, Answer]
    body: Body | None = None
    is_hosts: bool = False
    parameters: Sequence[Schema] = ()


class DescribedRoute(Route):
    """A route with its *operations*, keyed by method in lower case."""

    def __init__(self, path: str, endpoint: Endpoint, /, **operations: Operation) -> None:
        super().__init__(path, endpoint, methods=[method.upper() for method in operations])
        self.operations = operations


def path_parameter(name: str) -> Schema:
    """Return the description of a part of the path."""
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def query_parameter(name: str, schema: Mapping[str, Any], description: str = "") -> Schema:
    """Return the description of an optional parameter of the query."""
    parameter = {"name": name, "in": "query", "schema": schema}
    return {**parameter, "description": description} if description else parameter
