"""Many look on, and some of them never read: it costs the table nothing, and those who read nothing but their turn."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from reboard.web import patience
from tests.reboard.page.fake_table import SNAPSHOT
from tests.reboard.page.served_page import PATIENCE_S, ServedPage

pytestmark = pytest.mark.realtime

READING, DEAF = 80, 20
ROUNDS = 40
A_LOT = 40 * ["x" * 200]
"""Of which a deaf spectator's buffers are soon full."""


@pytest.fixture
def page(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedPage]:
    monkeypatch.setattr(patience, "LONGEST_SILENCE_MS", 1000)
    with ServedPage(tmp_path_factory.mktemp("page")) as page:
        yield page


def spectator(page: ServedPage, stack: ExitStack, *, deaf: bool = False) -> socket.socket:
    line = stack.enter_context(socket.socket())
    if deaf:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.settimeout(PATIENCE_S)
    line.connect(("127.0.0.1", page.port))
    line.sendall(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    return line


def wait_for(news: bytes, lines: list[socket.socket]) -> None:
    """Read on every one of *lines* until it has the *news*."""
    waiting = dict.fromkeys(lines, b"")
    until = time.monotonic() + PATIENCE_S
    with selectors.DefaultSelector() as selector:
        for line in lines:
            selector.register(line, selectors.EVENT_READ, line)
        while waiting:
            assert time.monotonic() < until, f"{len(waiting)} of {len(lines)} still wait for {news!r}"
            for key, _ in selector.select(1):
                line = key.data
                received = line.recv(1 << 20)
                assert received, "it was cut off"
                waiting[line] = waiting[line][-len(news) :] + received
                if news in waiting[line]:
                    del waiting[line]
                    selector.unregister(line)


def wait_until_there_are(count: int, page: ServedPage) -> None:
    until = time.monotonic() + PATIENCE_S
    while (there := page.at_the_table(lambda: page.streams.count)) != count:
        assert time.monotonic() < until, f"there are {there} instead of {count}"
        time.sleep(0.02)


def test_spectators_hear_everything_while_others_never_read_and_these_are_let_go(page: ServedPage) -> None:
    with ExitStack() as stack:
        reading = [spectator(page, stack) for _ in range(READING)]
        for _ in range(DEAF):
            spectator(page, stack, deaf=True)
        wait_for(b'"edition":"world"', reading)
        wait_until_there_are(READING + DEAF, page)
        slowest_s = 0.0
        for number in range(1000, 1000 + ROUNDS):

            def happens(number: int = number) -> float:
                began = time.perf_counter()
                page.table.now = {**SNAPSHOT, "game": number, "rules": A_LOT}
                for _ in range(10):
                    page.table.events.emit("fault", part="display", cause="".join(A_LOT))
                page.table.events.emit("game.started", game=number, edition="world")
                return time.perf_counter() - began

            slowest_s = max(slowest_s, page.at_the_table(happens))
            wait_for(b'"event":"game.started","game":%d' % number, reading)
        assert slowest_s < PATIENCE_S / 10, "the table waited for somebody"
        wait_until_there_are(READING, page)
        wait_for(b'"game":%d' % number, [spectator(page, stack)])
