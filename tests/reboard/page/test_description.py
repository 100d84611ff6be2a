"""The OpenAPI description: valid, whole, and true of a real table."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from starlette.routing import Mount, Route

from reboard.door.words import CHANGES, check
from reboard.errors import DoorError
from reboard.page.app import make_app
from reboard.page.chart_answers import ZONES_MIN
from reboard.page.chart_look import COLOURS, WIDTHS
from reboard.page.chart_words import WORDS
from reboard.page.host import COOKIE
from reboard.web.event_stream import EventStreams
from tests.reboard.page.described import DOC, check_answer, described_path


def test_it_is_openapi() -> None:
    validate(DOC)


def test_it_describes_every_route_and_no_other(tmp_path: Any) -> None:
    routes: set[tuple[str, str]] = set()
    for route in make_app(tmp_path / "table.sock", EventStreams(), names=()).routes:
        if isinstance(route, Mount):
            routes.add((f"{route.path}/{{file}}", "get"))
        elif isinstance(route, Route):
            assert route.methods
            routes |= {(route.path, method.lower()) for method in route.methods - {"HEAD"}}
    assert routes == {(path, method) for path, operations in DOC["paths"].items() for method in operations}


def test_it_describes_what_the_host_can_ask_for() -> None:
    body = DOC["paths"]["/api/host/do"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    described = {
        do: DOC["components"]["schemas"][ref.split("/")[-1]] for do, ref in body["discriminator"]["mapping"].items()
    }
    assert [schema["$ref"] for schema in body["oneOf"]] == [*body["discriminator"]["mapping"].values()]
    assert described.keys() == CHANGES.keys()
    for do, schema in described.items():
        assert schema["properties"].keys() == CHANGES[do].keys() | {"do"}
        needed = {name for name, argument in CHANGES[do].items() if not argument.may_be_left_out}
        assert set(schema["required"]) == needed | {"do"}
        assert schema["properties"]["do"] == {"const": do}
    assert DOC["components"]["securitySchemes"]["host"]["name"] == COOKIE


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "volume", "level": 4},
        {"do": "quiet", "on": True},
        {"do": "new_game"},
        {"do": "new_game", "game": 3, "edition": "world"},
        {"do": "end_game", "game": 3},
        {"do": "end_game", "game": 3, "worths": {"1": 0, "8": 500_000}},
        {"do": "undo", "transfer": 9},
        {"do": "name", "card": 8, "name": ""},
        {"do": "volume", "level": 5},
        {"do": "quiet", "on": 1},
        {"do": "undo"},
        {"do": "undo", "transfer": 0},
        {"do": "end_game", "game": 3, "worths": {"9": 0}},
        {"do": "end_game", "game": 3, "worths": {"1": -1}},
        {"do": "name", "card": 9, "name": "Anna"},
        {"do": "name", "card": 8, "name": "An\nna"},
        {"do": "new_game", "edition": "wor\x00ld"},
        {"do": "snapshot"},
    ],
)
def test_it_allows_what_the_door_allows(request_: dict[str, Any]) -> None:
    body = DOC["paths"]["/api/host/do"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    allowed = Draft202012Validator({**DOC, "allOf": [body]}).is_valid(request_)
    try:
        check(request_)
    except DoorError:
        assert not allowed
    else:
        assert allowed == (request_["do"] in CHANGES)


ENDS = ("minimum", "maximum")


def test_it_describes_every_look_of_a_chart() -> None:
    for path in ("/api/chart/balances.svg", "/api/chart/odds.svg"):
        looks = {
            parameter["name"]: parameter["schema"].get("enum") or [parameter["schema"][end] for end in ENDS]
            for parameter in DOC["paths"][path]["get"]["parameters"]
        }
        zones = [ZONES_MIN[0], ZONES_MIN[-1]]
        assert looks == {"width": [*WIDTHS], "theme": [*COLOURS], "lang": [*WORDS], "zone": zones}


@pytest.mark.parametrize(
    ("method", "path", "status", "kind", "body"),
    [
        ("GET", "/api/table", 418, "application/json", b"{}"),
        ("GET", "/api/table", 200, "text/plain", b"{}"),
        ("GET", "/api/table", 200, "application/json", b"{}"),
        ("GET", "/api/host", 200, "application/json", b'{"enabled": 1, "host": false}'),
        ("GET", "/api/host", 200, "application/json", b'{"enabled": true, "host": false, "pin": "4711"}'),
        ("POST", "/api/host/session", 429, "application/json", b'{"error": "wait", "retry_after_s": 5}'),
        ("DELETE", "/api/host/session", 204, "application/json", b"{}"),
        ("PUT", "/api/table", 200, "application/json", b"{}"),
        ("GET", "/api/tables", 200, "application/json", b"{}"),
    ],
)
def test_an_answer_that_is_not_described_is_found_out(
    method: str, path: str, status: int, kind: str, body: bytes
) -> None:
    with pytest.raises(AssertionError, match=path):
        check_answer(method, path, status, {"content-type": kind}, body)


def test_a_path_is_known_by_its_pattern() -> None:
    assert described_path("/static/art/apple.svg") == "/static/{file}"
    assert described_path("/api/tableXjson") is None
    assert described_path("/apiXtable") is None
