"""The OpenAPI description: valid, complete and true. Every test with `Described` compares its answers with it, too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Annotated, Any, TypedDict
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from starlette.routing import Mount, Route

from reboard.accessories.installed import all_requests, check_request
from reboard.accessories.question_block.accessory import QUESTION_BLOCK
from reboard.errors import ControlSocketError
from reboard.kit import Between, Game, GameAccessory, Request, Section
from reboard.vocabulary.checks import arguments_of
from reboard.web.responses import EventStreams
from reboard.web.table_page import described_api, make_app
from tests.plugged_in import LairConfig, installed
from tests.reboard.web.api_description import DOC, check_answer
from tests.reboard.web.app_client import PIN
from tests.reboard.web.served_page import ServedPage
from tests.waiting import PATIENCE_S

DO = DOC["paths"]["/api/host/do"]["post"]["requestBody"]["content"]["application/json"]["schema"]
VALIDATOR = Draft202012Validator({**DOC, "allOf": [DO]})


def test_it_describes_every_route_and_no_other(tmp_path: Path) -> None:
    validate(DOC)
    routes: set[tuple[str, str]] = set()
    for route in make_app(tmp_path / "table.sock", EventStreams(), names=()).routes:
        if isinstance(route, Mount | Route) and route.path.startswith("/static/"):
            routes.add(("/static/{file}", "get"))
        elif isinstance(route, Route):
            assert route.methods
            routes |= {(route.path, method.lower()) for method in route.methods - {"HEAD"}}
    assert routes == {(path, method) for path, operations in DOC["paths"].items() for method in operations}


LETTERS = st.characters(min_codepoint=32, max_codepoint=126) | st.sampled_from("äéßŁЖ€")
STRANGE = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 12), st.sampled_from([10**15 + 1, 2**63 - 1, 2**63, 10**30]),
    st.floats(0.1, 0.9),
    st.text(LETTERS | st.sampled_from("\0\n\x7f\x85\xa0"), max_size=210).filter(lambda text: text[-1:] != "\n"),
    st.just([]),
    st.dictionaries(st.sampled_from(["1", "8", "9", "11", "x"]), st.integers(-1, 1) | st.booleans(), max_size=3),
)  # fmt: skip
"""JSON schema takes 1.0 for a whole number, which the table does not: no other number is in question.

Unlike that of JSON schema, Python's ``$`` also matches before a newline at the end.
"""


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that a *schema* of an argument allows."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "boolean":
        return st.booleans()
    if schema["type"] == "integer":
        return st.integers(schema["minimum"], schema["maximum"])
    if schema["type"] == "string":
        return st.text(LETTERS, min_size=schema.get("minLength", 0), max_size=schema["maxLength"])
    keys = st.from_regex(schema["propertyNames"]["pattern"], fullmatch=True)
    return st.dictionaries(keys, values(schema["additionalProperties"]), max_size=3)


@pytest.mark.parametrize("do", [do for do, kind in all_requests().items() if kind.changes])
@settings(max_examples=40)
@given(data=st.data())
def test_it_allows_what_the_control_socket_allows(do: str, data: st.DataObject) -> None:
    schema = DOC["components"]["schemas"][DO["discriminator"]["mapping"][do].split("/")[-1]]
    arguments = {name: values(each) for name, each in schema["properties"].items() if name != "do"}
    left_out = [name for name in arguments if name not in schema["required"] and data.draw(st.booleans())]
    request = {"do": do, **{name: data.draw(of, name) for name, of in arguments.items() if name not in left_out}}
    check_request(request)
    if data.draw(st.booleans(), "with something else"):
        request[data.draw(st.sampled_from([*arguments, "strange", "do"]))] = data.draw(STRANGE)
    else:
        request.pop(data.draw(st.sampled_from([*arguments, "do"])), None)
    try:
        check_request(request)
        is_allowed = True
    except ControlSocketError:
        is_allowed = False
    assert VALIDATOR.is_valid(request) == is_allowed


class Dig(Request, do="dig"):
    """Dig."""

    deep_m: Annotated[float, Between(0, 3)]


Snapshot = TypedDict("Snapshot", {"burrow": "Unknown"})  # type: ignore[name-defined]  # noqa: F821, UP013


class Burrow(GameAccessory[LairConfig]):
    name = "burrow"
    title = "Burrow"
    section = Section(LairConfig)

    async def answer(self, game: Game[LairConfig], request: Request) -> None:
        raise AssertionError("a description asks for nothing")


def test_requests_of_a_plug_in_are_described_and_its_wrong_snapshot_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with installed(QUESTION_BLOCK, Burrow()):
        schemas = described_api(make_app(Path("no.sock"), EventStreams(), names=()))["components"]["schemas"]
    assert schemas["Dig"]["properties"]["deep_m"] == {"type": "number", "minimum": 0, "maximum": 3}
    assert {"block", "burrow"} & schemas["Table"]["properties"].keys() == {"block"}
    assert "the description of the page has no keys of burrow" in caplog.text


# any request whatsoever

METHODS = ["GET", "GET", "POST", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "FLY"]
PRINTABLE = st.characters(min_codepoint=33, max_codepoint=126)
PATHS = [path.replace("{file}", "look.css") for path in DOC["paths"]] * 2
PATHS += ["/static/../app.py", "/static/panels/apple/%2e%2e/apple.py", "/static/%00", "/static/" + 300 * "x"]
PATHS += ["/static//etc/passwd", "/api/table/", "//api/table", "/api/chart/odds.svg?width=1&lang=%ff", "/%ff%fe"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = sorted(
    {"id", "by", "pin"}.union(*({each.name for each in arguments_of(request)} for request in all_requests().values()))
)
REQUESTS = st.fixed_dictionaries(
    {"do": st.sampled_from([*all_requests()]) | JSON},
    optional=dict.fromkeys(NAMES, st.integers(0, 9) | st.booleans() | st.text(max_size=9) | JSON),
)
BODIES = st.one_of(
    st.just(b""),
    st.binary(max_size=200),
    (JSON | REQUESTS | st.builds(dict, pin=JSON)).map(lambda value: json.dumps(value).encode()),
    st.just(b" " * 70_000),
)
HEADER_NAMES = """Accept Connection Content-Type Cookie Expect Host If-None-Match Origin Range Accept-Encoding
    Forwarded If-Modified-Since Last-Event-ID Upgrade X-Forwarded-For"""
HEADER_VALUES = st.text(PRINTABLE, max_size=30) | st.sampled_from(["application/json", "bytes=0-1,3-4", "websocket"])
HEADERS = st.dictionaries(st.sampled_from(HEADER_NAMES.split()), HEADER_VALUES, max_size=3)
AS_JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPage]:
    with ServedPage(tmp_path_factory.mktemp("page"), pin=PIN, players_ask=True) as page:
        yield page


@pytest.fixture(scope="module")
def cookie(page: ServedPage) -> str:
    status, headers, _ = send(page, "POST", "/api/host/session", b'{"pin": "4711"}', AS_JSON)
    assert status == 204
    return headers["set-cookie"].partition(";")[0]


def send(
    page: ServedPage, method: str, target: str, body: bytes, headers: dict[str, str]
) -> tuple[int, dict[str, str], bytes | None]:
    """Send any path and any header, valid or not."""
    with closing(HTTPConnection(page.address, timeout=PATIENCE_S)) as connection:
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        received = {name.lower(): value for name, value in answer.getheaders()}
        is_stream = received.get("content-type", "").startswith("text/event-stream")
        return answer.status, received, None if is_stream else answer.read()


@pytest.mark.realtime
@settings(max_examples=100, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(METHODS),
    target=st.sampled_from(PATHS) | st.text(PRINTABLE, max_size=30).map("/{}".format),
    body=BODIES,
    headers=HEADERS | HEADERS.map(lambda headers: headers | AS_JSON),
    is_host=st.booleans(),
)
@example("POST", "/api/host/do", b'{"do": "volume", "level": 1e999}', AS_JSON, True)
@example("POST", "/api/host/do", b'{"do": "undo", "transfer": 9, "\\ud800": 1}', AS_JSON, True)
@example("PUT", "/api/host/session", b"", {}, False)
@example("POST", "/static/look.css", b"", {}, False)
@example("GET", "/api/panels", b"", {}, False)
@example("GET", "/", b"", {"Range": "bytes=0-1,3-4"}, False)
def test_the_answer_to_any_request_is_described(
    page: ServedPage, cookie: str, method: str, target: str, body: bytes, headers: dict[str, str], is_host: bool
) -> None:
    status, received, text = send(page, method, target, body, headers | ({"Cookie": cookie} if is_host else {}))
    check_answer(method, unquote(target.partition("?")[0]), status, received, text)
    assert b"Traceback" not in (text or b"")
    assert send(page, "GET", "/api/host", b"", {})[2] == b'{"enabled":true,"needs_pin":true,"host":false,"power":[]}'
