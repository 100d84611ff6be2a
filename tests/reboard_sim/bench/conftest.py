"""The bench on a real port of this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from reboard_sim.bench.hands_on_table import HandsOnTable
from reboard_sim.bench.server import BenchServer

Serve = Callable[[HandsOnTable], AbstractContextManager[str]]


@contextmanager
def served(table: HandsOnTable, port: int = 0) -> Iterator[str]:
    """The bench of *table*; what is yielded is where it is."""
    server = BenchServer(table, port=port)
    thread = threading.Thread(target=server.run, name="bench")
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join(10)
        assert not thread.is_alive(), "the bench did not stop"


@pytest.fixture
def serve() -> Callable[..., AbstractContextManager[str]]:
    return served
