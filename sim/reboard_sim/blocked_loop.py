"""A watch for an accessory that blocks the event loop, and with it every other accessory."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_stack

from reboard.errors import place_in_plug_in
from reboard_sim.virtual_time import VirtualTimeLoop

BLOCKED_S = 2.0
"""The real time in which a loop that is not blocked begins another turn, in seconds."""

log = logging.getLogger(__name__)


@contextmanager
def watched(loop: VirtualTimeLoop) -> Iterator[None]:
    """Log each place in a plug-in that blocks *loop* for `BLOCKED_S`."""
    over = threading.Event()
    watch = threading.Thread(target=_watch, args=(loop, over), name="watch for a blocked loop", daemon=True)
    watch.start()
    try:
        yield
    finally:
        over.set()
        watch.join()


def _watch(loop: VirtualTimeLoop, over: threading.Event) -> None:
    selector, seen, reported = loop.selector, -1, -1
    while not over.wait(BLOCKED_S):
        turns = selector.turns
        if turns == seen and turns != reported and not selector.is_at_rest:
            if place := _place(selector.thread):
                what = "%s has blocked the whole table for %g s. Use `await asyncio.sleep(…)`, and await in each loop"
                log.warning(what, place, BLOCKED_S)
            reported = turns
        seen = turns


def _place(thread: int) -> str:
    frame = sys._current_frames().get(thread)
    return place_in_plug_in(reversed(list(walk_stack(frame)))) if frame else ""
