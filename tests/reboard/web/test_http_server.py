"""The limits and timeouts of the server, with real sockets."""

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

from reboard.web import http_server
from reboard.web.http_server import ListenError, WebServer, listening
from reboard.web.responses import EventStreams
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime

stream_ended = threading.Event()


@contextmanager
def serving() -> Iterator[int]:
    """Yield the port of a server, which stops at the end."""
    stream_ended.clear()

    async def hello(_: Request) -> Response:
        return PlainTextResponse("hello")

    async def endless(_: Request) -> Response:
        async def blocks() -> AsyncIterator[bytes]:
            try:
                while True:
                    yield 1024 * b"x"
                    await asyncio.sleep(0)
            finally:
                stream_ended.set()

        return StreamingResponse(blocks())

    with listening("127.0.0.1", 0, option="--port") as taken:
        app = Starlette(routes=[Route("/", hello), Route("/endless", endless)])
        server = WebServer(app, EventStreams().end_all)
        server.config.timeout_keep_alive = 1
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
        thread.start()
        try:
            yield taken.getsockname()[1]
        finally:
            server.stop()
            thread.join(PATIENCE_S)
        assert not thread.is_alive()


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server with short timeouts."""
    monkeypatch.setattr(http_server, "LONGEST_HEAD_S", 0.3)
    monkeypatch.setattr(http_server, "LONGEST_SILENCE_MS", 500)
    with serving() as port:
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


COMPLETE = b"GET / HTTP/1.1\r\nHost: me\r\n\r\n"


@pytest.mark.parametrize("pieces", [[], [COMPLETE[:-2]], [COMPLETE + b"GET "], [COMPLETE, b"GET "]])
def test_a_request_that_is_not_complete_in_time_is_given_up(port: int, pieces: list[bytes]) -> None:
    with connect(port) as client:
        for piece in pieces:
            client.sendall(piece)
            if piece == COMPLETE:
                assert client.recv(1000)
        while client.recv(1000):
            pass


def test_a_request_that_trickles_in_is_given_up(port: int) -> None:
    with connect(port) as client:
        client.settimeout(0.05)
        for _ in range(int(PATIENCE_S / 0.05)):
            try:
                client.sendall(b"x")
                if client.recv(1000) == b"":
                    return
            except TimeoutError:
                continue
            except ConnectionError:
                return
        pytest.fail("the server still waits")


def test_a_head_that_is_too_long_is_refused_even_in_one_piece(port: int) -> None:
    for length, status in ((15_000, b"200"), (30_000, b"400")):
        with connect(port) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: me\r\nCookie: " + length * b"x" + b"\r\n\r\n")
            assert client.recv(1000).split()[1] == status


def test_a_long_answer_is_not_cut_off_by_the_timeout(port: int) -> None:
    with connect(port) as client:
        client.sendall(b"GET /endless HTTP/1.1\r\nHost: me\r\n\r\n")
        began = time.monotonic()
        while time.monotonic() < began + 3 * http_server.LONGEST_HEAD_S:
            assert client.recv(65536)


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="needs TCP_USER_TIMEOUT")
def test_a_client_that_reads_nothing_is_given_up(port: int) -> None:
    with connect(port) as client:
        client.sendall(b"GET /endless HTTP/1.1\r\nHost: me\r\n\r\n")
        assert stream_ended.wait(PATIENCE_S)


def test_the_rest_of_a_body_is_not_read_after_the_answer(port: int) -> None:
    with connect(port) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 405")
        client.sendall(b"x")
        while client.recv(1000):
            pass


def test_a_server_that_stops_closes_every_connection() -> None:
    gc.collect()
    with warnings.catch_warnings(record=True) as caught, socket.socket() as client:
        warnings.simplefilter("always")
        with serving() as port:
            client.connect(("127.0.0.1", port))
            client.sendall(b"GET /endless HTTP/1.1\r\nHost: me\r\n\r\n")
            client.recv(1)
        gc.collect()
    assert [str(warning.message) for warning in caught if str(port) in str(warning.message)] == []


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid"])
def test_an_address_of_another_machine_is_an_error(host: str) -> None:
    with pytest.raises(ListenError, match=host.replace(".", r"\.")):
        listening(host, 8080, option="--listen")
