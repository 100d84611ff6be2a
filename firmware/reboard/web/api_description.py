"""The OpenAPI description of the table page, made from its routes and from the vocabulary of the accessories."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence

from starlette.routing import BaseRoute

from reboard.accessories.installed import accessories, all_requests
from reboard.accessories.table_vocabulary import Table
from reboard.errors import PLUG_IN_ERRORS, Repeats
from reboard.vocabulary.declared import Request
from reboard.vocabulary.schema import Schema, Schemas
from reboard.web.described import JSON, Answer, Body, DescribedRoute, Operation, Problem, problem_of

log = logging.getLogger(__name__)
_bugs = Repeats()

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
    routes: Iterable[BaseRoute], file: Operation, *, info: Schema = INFO, cookie: str = "", parts: Sequence[type] = ()
) -> Schema:
    """Return the OpenAPI description of those *routes* that describe themselves.

    *file* describes the paths below ``/static/``, *info* the whole, and *cookie* is the name of the host's cookie.
    *parts* are further keys of the table.
    """
    schemas = Schemas(PLACE)
    schemas.refer(Table, *_parts(schemas), *parts)
    described = {route.path: route.operations for route in routes if isinstance(route, DescribedRoute)}
    described["/static/{file}"] = {"get": file}
    paths = {
        path: {method: _operation(operation, schemas) for method, operation in operations.items()}
        for path, operations in described.items()
    }
    components = {"schemas": schemas.definitions}
    if cookie:
        components["securitySchemes"] = {"host": {"type": "apiKey", "in": "cookie", "name": cookie}}
    return {"openapi": "3.1.0", "info": info, "servers": [{"url": "/"}], "paths": paths, "components": components}


def changing_requests(schemas: Schemas) -> Schema:
    """Return the schema of the requests that change the table."""
    return _one_of({do: kind for do, kind in all_requests().items() if kind.changes}, schemas)


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
