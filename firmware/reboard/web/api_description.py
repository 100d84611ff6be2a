"""The OpenAPI description of the table page. Each route has its operations beside its function.

The rest is made from the vocabulary of the accessories.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from reboard.accessories.installed import accessories, all_requests
from reboard.accessories.table_vocabulary import Table
from reboard.errors import PLUG_IN_ERRORS, Repeats
from reboard.record import Record
from reboard.vocabulary.declared import Request
from reboard.vocabulary.limits import Between, Length
from reboard.vocabulary.schema import Schema, Schemas

log = logging.getLogger(__name__)
_bugs = Repeats()

JSON = "application/json"
SVG = "image/svg+xml"
STREAM = "text/event-stream"

Body = type | Callable[[Schemas], Schema]
"""What describes a JSON value: its class, or a function that returns its schema."""

Endpoint = Callable[[HttpRequest], Awaitable[Response] | Response]


class Problem(TypedDict):
    """An error."""

    error: Annotated[str, Length(1), "what is wrong and what to do"]


class Refusal(Problem):
    """A rejection."""

    why: NotRequired[Annotated[str, "the reason, as in the event refused"]]


class TryLater(Refusal):
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


FILE = Operation(
    "file",
    "The files of the page.",
    {
        200: Answer(
            "The file.",
            None,
            *("text/css", "text/javascript", "application/javascript", SVG, "image/png"),
            *("application/manifest+json", "text/html"),
        ),
        304: Answer("It has not changed."),
        404: Answer("There is no such file.", None, "text/plain"),
    },
    parameters=[path_parameter("file")],
)
PLACE = "#/components/schemas"
INFO = {
    "title": "reboard's table page",
    "version": "1",
    "license": {"name": "MIT", "identifier": "MIT"},
    "description": "The HTTP interface of `reboard page`. Other paths are answered with 404; other methods with 405 "
    "and the allowed ones in the header `Allow`. Invalid HTTP is answered with 400, and one connection too many with "
    "503, both in plain text.",
}
CLOSED = {"additionalProperties": False}
STRANGE_HOST = Answer("The name in the header Host is not one of the page's.", None, "text/plain")
BAD = Answer("The request is wrong, or (as text) the name in the header Host.", Problem, "text/plain")
OF_EVERY_OPERATION = {403: problem_of("The request comes from a page of another site.")}
OF_A_BODY = {
    408: problem_of("The body did not arrive in time."),
    413: problem_of("The body is too long."),
    415: problem_of("The content type is not application/json."),
}
OF_THE_HOST = {401: problem_of("This browser is not the host.")}


def description(
    routes: Iterable[BaseRoute], *, info: Schema = INFO, cookie: str = "", parts: Sequence[type] = ()
) -> Schema:
    """Return the OpenAPI description of those *routes* that describe themselves.

    *info* describes the whole, and *cookie* is the name of the host's cookie.
    *parts* are further keys of the table.
    """
    schemas = Schemas(PLACE)
    schemas.refer(Table, *_parts(schemas), *parts)
    described = {route.path: route.operations for route in routes if isinstance(route, DescribedRoute)}
    described["/static/{file}"] = {"get": FILE}
    paths = {
        path: {method: _operation(operation, schemas) for method, operation in operations.items()}
        for path, operations in described.items()
    }
    components = {"schemas": schemas.definitions}
    if cookie:
        components["securitySchemes"] = {"host": {"type": "apiKey", "in": "cookie", "name": cookie}}
    return {"openapi": "3.1.0", "info": info, "servers": [{"url": "/"}], "paths": paths, "components": components}


def hosts_requests(schemas: Schemas) -> Schema:
    """Return the schema of the requests of the host: those that change the table, and those of players."""
    return _one_of({do: kind for do, kind in all_requests().items() if kind.changes or kind.is_for_players}, schemas)


def players_requests(schemas: Schemas) -> Schema:
    """Return the schema of the requests of players."""
    return _one_of({do: kind for do, kind in all_requests().items() if kind.is_for_players}, schemas)


def players_answers(schemas: Schemas) -> Schema:
    """Return the schema of the answers to requests of players."""
    kinds = [kind for kind in all_requests().values() if kind.is_for_players]
    answers = [schemas.refer(kind.answer) if kind.answer else {} for kind in kinds]
    return {"type": "object", "properties": {"ok": {"anyOf": answers}}, "required": ["ok"], **CLOSED}


def _one_of(requests: Mapping[str, type[Request]], schemas: Schemas) -> Schema:
    referred = {do: schemas.refer(kind) for do, kind in requests.items()}
    mapping = {do: reference["$ref"] for do, reference in referred.items()}
    return {"oneOf": [*referred.values()], "discriminator": {"propertyName": "do", "mapping": mapping}}


def _parts(schemas: Schemas) -> Iterator[type]:
    for name, accessory in accessories().items():
        part = accessory.vocabulary.snapshot
        if part is not None:
            try:
                schemas.object(part)
            except PLUG_IN_ERRORS as error:
                _bugs.report(log, f"the description of the page has no keys of {name}, because of a bug", error)
            else:
                yield part


def _operation(it: Operation, schemas: Schemas) -> Schema:
    usual = {**OF_EVERY_OPERATION, **(OF_A_BODY if it.body else {}), **(OF_THE_HOST if it.is_hosts else {})}
    made: Schema = {"operationId": it.id, "summary": it.summary}
    if it.is_hosts:
        made["security"] = [{"host": []}]
    if it.parameters:
        made["parameters"] = [*it.parameters]
    if it.body:
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": _of(it.body, schemas)}}}
    is_checked = it.body or any(each["in"] == "query" for each in it.parameters)
    answers = {400: BAD if is_checked else STRANGE_HOST, **usual, **it.answers}
    made["responses"] = {str(status): _answer(answers[status], schemas) for status in sorted(answers)}
    return made


def _answer(it: Answer, schemas: Schemas) -> Schema:
    made: Schema = {"description": it.words}
    if it.headers:
        made["headers"] = {name: {"required": True, "schema": schema} for name, schema in it.headers.items()}
    content = {JSON: {"schema": _of(it.body, schemas)}} if it.body else {}
    content |= {media: {"schema": {"type": "string"}} for media in it.media}
    return {**made, "content": content} if content else made


def _of(body: Body, schemas: Schemas) -> Schema:
    return schemas.refer(body) if isinstance(body, type) else body(schemas)
