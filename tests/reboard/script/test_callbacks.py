"""A script's own functions are called in gpiozero's manner."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

import pytest

from reboard.events import Event
from reboard.script.callbacks import MOST_WAITING, Callbacks, Fields, When

PATIENCE_S = 10.0
FIELDS = {"outcome": "coins", "coins": 3}
OUTCOME = Event("block.outcome", 1.0, FIELDS)

pytestmark = pytest.mark.realtime


class Block:
    when_outcome = When("block.outcome")

    def __init__(self, callbacks: Callbacks) -> None:
        self.callbacks = callbacks


@pytest.fixture
def block() -> Iterator[Block]:
    with closing(Callbacks()) as callbacks:
        yield Block(callbacks)


def happens(block: Block) -> None:
    """Something happens, and all that is called for it has been."""
    done = threading.Event()
    block.callbacks.hear(OUTCOME)
    block.callbacks.set("deal.ended", done.set)
    block.callbacks.hear(Event("deal.ended", 2.0, {}))
    assert done.wait(PATIENCE_S)


def test_what_can_do_without_an_argument_is_given_none(block: Block) -> None:
    told: list[object] = []
    without: list[Callable[..., object]] = [
        lambda: told.append("none"),
        lambda i=7: told.append(i),
        lambda *all_of_them: told.append(all_of_them),
        partial(told.append, "bound"),
    ]
    for callback in without:
        block.when_outcome = callback
        assert block.when_outcome is callback
        happens(block)
    assert told == ["none", 7, (), "bound"]


def test_what_needs_an_argument_is_given_the_fields(block: Block) -> None:
    told: list[tuple[Fields, object]] = []
    block.when_outcome = lambda fields: told.append((fields, None))
    happens(block)
    block.when_outcome = lambda fields, more=5: told.append((fields, more))
    happens(block)
    block.when_outcome = partial(lambda before, fields: told.append((fields, before)), "before")
    happens(block)
    assert told == [(FIELDS, None), (FIELDS, 5), (FIELDS, "before")]


def test_a_builtin_that_does_not_tell_what_it_takes_is_called_without_anything(
    block: Block, caplog: pytest.LogCaptureFixture
) -> None:
    block.when_outcome = {"a": 1}.update
    happens(block)
    assert not caplog.records


@pytest.mark.parametrize("wrong", [lambda one, two: None, lambda *, named: None, "print", 3])
def test_what_cannot_be_called_so_is_refused_when_it_is_assigned(block: Block, wrong: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match="a callback is"):
        block.when_outcome = wrong
    assert block.when_outcome is None


def test_nothing_is_called_any_more_after_none(block: Block) -> None:
    told: list[Fields] = []
    block.when_outcome = told.append
    block.when_outcome = None
    happens(block)
    assert told == []


def test_one_that_is_taken_away_in_the_moment_of_its_event_is_no_error(block: Block) -> None:
    class TakenAwayMeanwhile(dict[str, tuple[Callable[..., object], bool]]):
        def __contains__(self, event: object) -> bool:
            is_there = super().__contains__(event)
            self.clear()
            return is_there

    block.when_outcome = lambda: None
    block.callbacks._of_event = TakenAwayMeanwhile(block.callbacks._of_event)
    block.callbacks.hear(OUTCOME)


def test_a_callback_that_fails_is_logged_and_the_next_one_is_called(
    block: Block, caplog: pytest.LogCaptureFixture
) -> None:
    block.when_outcome = lambda: 1 / 0
    happens(block)
    assert "a callback of this script failed" in caplog.text


def test_callbacks_that_wait_too_long_are_left_out_and_that_is_logged(
    block: Block, caplog: pytest.LogCaptureFixture
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(PATIENCE_S)

    block.when_outcome = slow
    block.callbacks.hear(OUTCOME)
    assert begun.wait(PATIENCE_S)
    for _ in range(MOST_WAITING + 1):
        block.callbacks.hear(OUTCOME)
    assert caplog.text.count("block.outcome was not called") == 1
    block.callbacks.close()
    go_on.set()


@pytest.mark.parametrize("waiting", [0, 1, MOST_WAITING])
def test_the_thread_ends_at_once_when_it_is_closed_and_calls_nothing_more(waiting: int) -> None:
    threads: queue.SimpleQueue[threading.Thread] = queue.SimpleQueue()
    go_on = threading.Event()

    def slow() -> None:
        threads.put(threading.current_thread())
        go_on.wait(PATIENCE_S)

    callbacks = Callbacks()
    callbacks.set("block.outcome", slow)
    callbacks.hear(OUTCOME)
    thread = threads.get(timeout=PATIENCE_S)
    for _ in range(waiting):
        callbacks.hear(OUTCOME)
    callbacks.close()
    before = time.monotonic()
    go_on.set()
    thread.join(PATIENCE_S)
    assert time.monotonic() - before < 0.3
    assert threads.empty()
