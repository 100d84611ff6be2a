"""Whatever is asked of the bench over HTTP, it is refused in words or done, and the bench serves on."""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


@pytest.fixture
def address(url: str) -> str:
    return url.split("/")[2]


def asked(address: str, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    """Send a request without any check of the path and the headers."""
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
def test_any_request_gets_an_answer_and_the_bench_keeps_running(
    address: str, method: str, path: str, body: bytes, headers: dict[str, str]
) -> None:
    status, text = asked(address, method, f"/{path.lstrip('/')}", body, **headers)
    assert status < 500, text
    assert b"Traceback" not in text
    assert asked(address, "GET", "/api/table")[0] == 200
