"""The OpenAPI description of the bench: valid, complete and true."""

from __future__ import annotations

import httpx
import pytest
from openapi_spec_validator import validate
from starlette.routing import Mount, Route

from reboard_sim.bench.app import Streams, described_api, make_app
from reboard_sim.bench.table_thread import TableThread
from tests.reboard.web.api_description import Description

pytestmark = pytest.mark.realtime

CALLS: list[tuple[str, str, object, int]] = [
    ("GET", "/", None, 200),
    ("GET", "/api/table", None, 200),
    ("GET", "/api/openapi.json", None, 200),
    ("GET", "/api/panels", None, 200),
    ("GET", "/api/bench", None, 200),
    ("PUT", "/api/bench", None, 405),
    ("GET", "/api/bench/ledger", None, 200),
    ("GET", "/api/bench/export/session.play", None, 200),
    ("GET", "/api/bench/export/pins.vcd", None, 200),
    ("GET", "/api/bench/export/none", None, 404),
    ("GET", "/api/bench/wiring.svg", None, 200),
    ("GET", "/api/bench/scene", None, 200),
    ("POST", "/api/bench/do", {"lines": ["press block"], "hand": "left"}, 200),
    ("POST", "/api/bench/do", {"lines": ["dance"]}, 400),
    ("POST", "/api/bench/do", {"lines": [""] * 201}, 413),
    ("POST", "/api/bench/do", "text", 415),
    ("POST", "/api/bench/demo", {"accessory": "none"}, 400),
    ("POST", "/api/bench/time", {"pace": 0}, 200),
    ("POST", "/api/bench/do", {"lines": ["press block"]}, 202),
    ("POST", "/api/bench/time", {"step": True}, 200),
    ("POST", "/api/bench/scene", {"edition": "world", "seed": 7, "check": True}, 200),
    ("POST", "/api/bench/scene", {"edition": "none"}, 400),
    ("POST", "/api/bench/scene", {"lines": ["insert left 1", "expect display never"]}, 400),
    ("POST", "/api/bench/scene", {"wiring": "own", "left": "pn532", "right": "none", "lines": []}, 200),
]


def test_it_describes_every_route_and_no_other(table: TableThread) -> None:
    app = make_app(table, Streams())
    doc = described_api(app)
    validate(doc)
    routes = {("/static/{file}", "get")}
    for route in app.routes:
        if isinstance(route, Route) and not route.path.startswith("/static/"):
            routes |= {(route.path, method.lower()) for method in (route.methods or set()) - {"HEAD"}}
        else:
            assert not isinstance(route, Mount) or route.path.startswith("/static")
    assert routes == {(path, method) for path, operations in doc["paths"].items() for method in operations}


def test_every_answer_is_as_described(url: str, table: TableThread) -> None:
    description = Description(described_api(make_app(table, Streams())))
    with httpx.Client(base_url=url, timeout=30) as client:
        for method, path, body, status in CALLS:
            if isinstance(body, str):
                answer = client.request(method, path, content=body, headers={"Content-Type": "text/plain"})
            else:
                answer = client.request(method, path, json=body)
            assert answer.status_code == status, f"{method} {path}: {answer.text}"
            description.check_answer(method, path, status, answer.headers, answer.content)
