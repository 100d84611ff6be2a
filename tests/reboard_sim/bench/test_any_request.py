"""Whatever is asked of the bench over HTTP, it is refused in words or done, and the bench serves on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing
from http.client import HTTPConnection
from typing import Any, BinaryIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reboard_sim.bench.pace import PACES, Pace
from reboard_sim.bench.scene_wish import SceneWish

pytestmark = pytest.mark.realtime

PATIENCE_S = 10.0
PATHS = [
    "/api/table",
    "/api/bench/do",
    "/api/bench/time",
    "/api/bench/scene",
    "/api/bench/ledger",
    "/api/bench/export/pins.vcd",
    "/static/main.js",
    "/static/../app.py",
    "/",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
BODIES = st.one_of(
    st.binary(max_size=200),
    JSON.map(lambda value: json.dumps(value).encode()),
    st.lists(JSON, max_size=4).map(lambda lines: json.dumps({"lines": lines}).encode()),
    st.dictionaries(st.sampled_from(["edition", "wiring", "left", "right", "seed", "lines"]), JSON, max_size=4).map(
        lambda scene: json.dumps(scene).encode()
    ),
    JSON.map(lambda pace: json.dumps({"pace": pace, "step": pace}).encode()),
)
HEADERS = st.dictionaries(
    st.sampled_from(["Content-Type", "Origin", "Accept", "Last-Event-ID", "X-Forwarded-For", "Expect", "Range"]),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30) | st.just("application/json"),
    max_size=3,
)


class PaperTable:
    """Does everything at once."""

    def table(self) -> dict[str, Any]:
        return {"edition": "world"}

    def hardware(self) -> dict[str, Any]:
        return {"t": 0.0, "pace": 1, "rate": 1.0}

    def do(self, lines: list[str], hand: str = "") -> Future[bool]:
        assert all(isinstance(line, str) for line in lines)
        done: Future[bool] = Future()
        done.set_result(True)
        return done

    def choose_pace(self, pace: Pace) -> Future[None]:
        assert pace in PACES
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def step(self) -> Future[None]:
        return self.choose_pace(0)

    def scene(self) -> dict[str, Any]:
        return {"number": 1}

    def set_scene(self, wish: SceneWish, seed: int, lines: list[str]) -> Future[None]:
        return self.choose_pace(0)

    def subscribe_events(self, callback: Callable[[dict[str, Any]], None], /) -> Callable[[], None]:
        return lambda: None

    def subscribe_sound(self, callback: Callable[[float, bytes], None], /) -> Callable[[], None]:
        return lambda: None

    def subscribe_refusals(self, callback: Callable[[str], None], /) -> Callable[[], None]:
        return lambda: None

    def look_inside(self) -> Callable[[], dict[str, Any] | None]:
        return lambda: {"t": 0.0}

    def ledger(self) -> dict[str, Any]:
        return {"columns": [], "rows": [], "problem": None}

    def export(self, name: str, file: BinaryIO, /) -> None:
        file.write(name.encode())

    def vocabulary(self) -> list[dict[str, str]]:
        return []


@pytest.fixture
def address(serve: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    with serve(PaperTable()) as url:
        yield url.split("/")[2]


def asked(address: str, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    """A client that minds no rule of what a path or a header may be."""
    with closing(HTTPConnection(address, timeout=PATIENCE_S)) as line:
        line.request(method, path, body, headers)
        answer = line.getresponse()
        return answer.status, answer.read()


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    method=st.sampled_from(["GET", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"]),
    path=st.sampled_from(PATHS) | st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30),
    body=BODIES,
    headers=HEADERS,
)
def test_whatever_is_asked_it_is_done_or_refused_in_words(
    address: str, method: str, path: str, body: bytes, headers: dict[str, str]
) -> None:
    status, text = asked(address, method, f"/{path.lstrip('/')}", body, **headers)
    assert status < 500, text
    assert b"Traceback" not in text
    assert asked(address, "GET", "/api/table") == (200, b'{"edition":"world"}')
