"""Whatever is asked of the page over HTTP, the answer is one that is described, and the page serves on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reboard.door.words import REQUESTS
from reboard.host_pin import HostPin
from tests.reboard.page.described import DOC, check_answer
from tests.reboard.page.served_page import PATIENCE_S, ServedPage

pytestmark = pytest.mark.realtime

PIN = HostPin.of("4711")
METHODS = ["GET", "GET", "POST", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "FLY"]
PRINTED = st.characters(min_codepoint=33, max_codepoint=126)
PATHS = [path.replace("{file}", "look.css") for path in DOC["paths"]] * 2 + [
    "/static/../app.py",
    "/static/%2e%2e/app.py",
    "/static/%00",
    "/static/" + 300 * "x",
    "/static//etc/passwd",
    "/api/table/",
    "//api/table",
    "/api/chart/balances.svg?width=1&theme=x&lang=%ff",
    "/%ff%fe",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = sorted({"id", "by", "pin"}.union(*REQUESTS.values()))
REQUESTED = st.fixed_dictionaries(
    {"do": st.sampled_from([*REQUESTS]) | JSON},
    optional=dict.fromkeys(NAMES, st.integers(0, 9) | st.booleans() | st.text(max_size=9) | JSON),
)
BODIES = st.one_of(
    st.just(b""),
    st.binary(max_size=200),
    (JSON | REQUESTED | st.builds(dict, pin=JSON)).map(lambda value: json.dumps(value).encode()),
    st.just(b"[" * 4000),
    st.just(b" " * 70_000),
)
OF_A_BROWSER = ["Accept", "Connection", "Content-Type", "Cookie", "Expect", "Host", "If-None-Match", "Origin", "Range"]
OF_A_MACHINE = ["Accept-Encoding", "Forwarded", "If-Modified-Since", "Last-Event-ID", "Upgrade", "X-Forwarded-For"]
HEADERS = st.dictionaries(
    st.sampled_from(OF_A_BROWSER + OF_A_MACHINE),
    st.text(PRINTED, max_size=30) | st.sampled_from(["application/json", "bytes=0-1,3-4", "websocket", "*"]),
    max_size=3,
)
AS_JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPage]:
    with ServedPage(tmp_path_factory.mktemp("page"), pin=PIN) as page:
        yield page


@pytest.fixture(scope="module")
def cookie(page: ServedPage) -> str:
    status, headers, _ = asked(
        page, "POST", "/api/host/session", b'{"pin": "4711"}', {"Content-Type": "application/json"}
    )
    assert status == 204
    return headers["set-cookie"].partition(";")[0]


def asked(
    page: ServedPage, method: str, target: str, body: bytes, headers: dict[str, str]
) -> tuple[int, dict[str, str], bytes | None]:
    """A client that minds no rule of what a path or a header may be."""
    with closing(HTTPConnection(page.address, timeout=PATIENCE_S)) as line:
        line.request(method, target, body, headers)
        answer = line.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        goes_on = told.get("content-type", "").startswith("text/event-stream")
        return answer.status, told, None if goes_on else answer.read()


@settings(max_examples=150, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(METHODS),
    target=st.sampled_from(PATHS) | st.text(PRINTED, max_size=30).map("/{}".format),
    body=BODIES,
    headers=HEADERS | HEADERS.map(lambda headers: headers | AS_JSON),
    is_host=st.booleans(),
)
@example("POST", "/api/host/do", b'{"do": "volume", "level": 1e999}', AS_JSON, True)
@example("POST", "/api/host/do", b'{"do": "name", "card": 1, "name": "\\ud800"}', AS_JSON, True)
@example("POST", "/api/host/do", b'{"do": "undo", "transfer": 9, "\\ud800": 1}', AS_JSON, True)
@example("PUT", "/api/host/session", b"", {}, False)
@example("POST", "/static/look.css", b"", {}, False)
@example("GET", "/", b"", {"Range": "bytes=0-1,3-4"}, False)
def test_whatever_is_asked_the_answer_is_one_that_is_described(
    page: ServedPage, cookie: str, method: str, target: str, body: bytes, headers: dict[str, str], is_host: bool
) -> None:
    status, told, text = asked(page, method, target, body, headers | ({"Cookie": cookie} if is_host else {}))
    check_answer(method, unquote(target.partition("?")[0]), status, told, text)
    assert b"Traceback" not in (text or b"")
    assert asked(page, "GET", "/api/host", b"", {})[2] == b'{"enabled":true,"host":false}'


def test_a_request_with_too_much_before_its_body_is_not_read_to_its_end(page: ServedPage) -> None:
    for path, headers in (("/api/host", {"Cookie": 1_000_000 * "x"}), ("/api/host?" + 1_000_000 * "x", {})):
        # whether the 400 can still be read is up to the system: more is on its way than anybody reads
        with suppress(ConnectionError):
            assert asked(page, "GET", path, b"", headers)[0] == 400
        assert asked(page, "GET", "/api/host", b"", {})[0] == 200
