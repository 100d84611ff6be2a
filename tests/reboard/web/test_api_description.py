"""The OpenAPI description: valid, complete and true. Every test with `Described` compares its answers with it, too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from starlette.routing import Mount, Route

from reboard.accessories.chart import HEIGHTS_PX, THEMES, WIDTHS_PX
from reboard.accessories.installed import all_requests, check_request
from reboard.errors import ControlSocketError
from reboard.vocabulary.checks import arguments_of
from reboard.web.charts import ZONES_MIN
from reboard.web.host import COOKIE
from reboard.web.responses import EventStreams
from reboard.web.table_page import make_app
from tests.reboard.web.api_description import DOC, check_answer
from tests.reboard.web.app_client import PIN
from tests.reboard.web.served_page import ServedPage
from tests.waiting import PATIENCE_S

CHANGING = {
    do: {each.name: each for each in arguments_of(request)} for do, request in all_requests().items() if request.changes
}
DO = DOC["paths"]["/api/host/do"]["post"]["requestBody"]["content"]["application/json"]["schema"]


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


def test_it_describes_every_request_of_the_host() -> None:
    described = {
        do: DOC["components"]["schemas"][ref.split("/")[-1]] for do, ref in DO["discriminator"]["mapping"].items()
    }
    assert [schema["$ref"] for schema in DO["oneOf"]] == [*DO["discriminator"]["mapping"].values()]
    assert described.keys() == CHANGING.keys()
    for do, schema in described.items():
        assert schema["properties"].keys() == CHANGING[do].keys() | {"do"}
        needed = {name for name, argument in CHANGING[do].items() if not argument.is_optional}
        assert set(schema["required"]) == needed | {"do"}
        assert schema["properties"]["do"] == {"const": do}
    assert DOC["components"]["securitySchemes"]["host"]["name"] == COOKIE


REQUESTS_TO_COMPARE: list[dict[str, Any]] = [
    {"do": "volume", "level": 4}, {"do": "volume", "level": 5}, {"do": "quiet", "on": True}, {"do": "quiet", "on": 1},
    {"do": "new_game", "game": 3, "edition": "world"}, {"do": "new_game", "edition": "wor\x00ld"},
    {"do": "end_game", "game": 3, "worths": {"1": 0, "8": 500_000}}, {"do": "end_game", "game": 3, "worths": {"9": 0}},
    {"do": "end_game", "game": 3, "worths": {"1": -1}}, {"do": "undo"}, {"do": "undo", "transfer": 0},
    {"do": "name", "card": 8, "name": ""}, {"do": "name", "card": 9, "name": "Anna"},
    {"do": "name", "card": 8, "name": "An\nna"}, {"do": "snapshot"},
    {"do": "ask_payment", "payment": "12345678", "game": 3, "from": 0, "to": 8, "amount": "1.5M"},
    {"do": "ask_payment", "payment": "1234567", "game": 3, "from": 0, "to": 8},
    {"do": "ask_payment", "payment": "12345678", "game": 3, "from": 9, "to": 8, "amount": ""},
    {"do": "confirm_payment", "payment": "12345678"}, {"do": "reject_payment"},
]  # fmt: skip


@pytest.mark.parametrize("request_", REQUESTS_TO_COMPARE, ids=str)
def test_it_allows_what_the_control_socket_allows(request_: dict[str, Any]) -> None:
    allowed = Draft202012Validator({**DOC, "allOf": [DO]}).is_valid(request_)
    try:
        check_request(request_)
    except ControlSocketError:
        assert not allowed
    else:
        assert allowed == (request_["do"] in CHANGING)


def test_it_describes_the_parameters_of_every_chart() -> None:
    charts = [path for path in DOC["paths"] if path.startswith("/api/chart/") and path.endswith(".svg")]
    for path in charts:
        parameters = {
            parameter["name"]: parameter["schema"].get("enum")
            or parameter["schema"].get("pattern")
            or [parameter["schema"][end] for end in ("minimum", "maximum")]
            for parameter in DOC["paths"][path]["get"]["parameters"]
        }
        zones = [ZONES_MIN[0], ZONES_MIN[-1]]
        sizes = {"width": [*WIDTHS_PX], "height": [*HEIGHTS_PX]}
        assert parameters == {**sizes, "theme": [*THEMES], "lang": "^[a-z]{2,3}$", "zone": zones}


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
    assert send(page, "GET", "/api/host", b"", {})[2] == b'{"enabled":true,"host":false,"power":[]}'
