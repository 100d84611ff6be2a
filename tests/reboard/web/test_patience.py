from __future__ import annotations

import asyncio
import gc
import socket
import threading
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from reboard.web import patience
from reboard.web.event_stream import EventStreams
from reboard.web.server import WebServer, listening

pytestmark = pytest.mark.realtime

PATIENCE_S = 15.0
STREAMED = 1024 * b"x"


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """That of a server in a hurry."""
    monkeypatch.setattr(patience, "LONGEST_HEAD_S", 0.3)
    monkeypatch.setattr(patience, "LONGEST_SILENCE_MS", 500)
    with serving() as port:
        yield port


@contextmanager
def serving() -> Iterator[int]:
    """A server's port, until it has ended."""
    gone.clear()

    async def hello(_: Request) -> Response:
        return PlainTextResponse("hello")

    async def endless(_: Request) -> Response:
        async def ever() -> AsyncIterator[bytes]:
            try:
                while True:
                    yield STREAMED
                    await asyncio.sleep(0)
            finally:
                gone.set()

        return StreamingResponse(ever())

    streams = EventStreams()
    with listening("127.0.0.1", 0, option="--port") as taken:
        server = WebServer(Starlette(routes=[Route("/", hello), Route("/endless", endless)]), streams.end_all)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
        thread.start()
        try:
            yield taken.getsockname()[1]
        finally:
            server.stop()
            thread.join(PATIENCE_S)
        assert not thread.is_alive()


gone = threading.Event()
"""Set when the endless answer has ended."""


def line_to(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: me\r\n"])
def test_who_connects_and_asks_for_nothing_is_not_waited_for(port: int, said: bytes) -> None:
    with line_to(port) as line:
        line.sendall(said)
        assert line.recv(1000) == b""


def test_nor_is_who_asks_ever_so_slowly(port: int) -> None:
    with line_to(port) as line:
        line.settimeout(0.05)
        for _ in range(int(PATIENCE_S / 0.05)):
            try:
                line.sendall(b"x")
                if line.recv(1000) == b"":
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        else:
            pytest.fail("it waits on")


def test_a_head_that_is_too_long_is_refused_though_it_comes_in_one_piece(port: int) -> None:
    for length, status in ((15_000, b"200"), (30_000, b"400")):
        with line_to(port) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: me\r\nCookie: " + length * b"x" + b"\r\n\r\n")
            assert line.recv(1000).split()[1] == status


def test_nor_is_who_was_answered_and_begins_to_ask_again(port: int) -> None:
    with line_to(port) as line:
        for _ in range(2):
            line.sendall(b"GET / HTTP/1.1\r\nHost: me\r\n\r\n")
            answer = b""
            while not answer.endswith(b"hello"):
                answer += line.recv(1000)
        line.sendall(b"GET ")
        assert line.recv(1000) == b""


def test_an_answer_may_take_as_long_as_it_likes(port: int) -> None:
    with line_to(port) as line:
        line.sendall(b"GET /endless HTTP/1.1\r\nHost: me\r\n\r\n")
        begun = time.monotonic()
        while time.monotonic() < begun + 3 * patience.LONGEST_HEAD_S:
            assert line.recv(65536)


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system gives up on its own terms")
def test_who_never_reads_is_given_up(port: int) -> None:
    with line_to(port) as line:
        line.sendall(b"GET /endless HTTP/1.1\r\nHost: me\r\n\r\n")
        assert gone.wait(PATIENCE_S)


def test_the_rest_of_what_was_answered_already_is_not_waited_for(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        assert line.recv(1000).startswith(b"HTTP/1.1 405")
        line.sendall(b"x")
        while line.recv(1000):
            pass


def test_a_server_that_ends_closes_the_lines_of_those_too_who_take_nothing() -> None:
    gc.collect()
    with warnings.catch_warnings(record=True) as told, socket.socket() as line:
        warnings.simplefilter("always")
        with serving() as port:
            line.connect(("127.0.0.1", port))
            line.sendall(b"GET /endless HTTP/1.1\r\nHost: me\r\n\r\n")
            line.recv(1)
        gc.collect()
    assert [str(warning.message) for warning in told if str(port) in str(warning.message)] == []
