"""Events as lines of JSON on standard output, for ``reboard run --json``."""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from reboard.door.words import encoded
from reboard.events import Event, Events

log = logging.getLogger(__name__)

MOST_WAITING = 1000
"""So many events may wait for a reader who is slow; what comes beyond that is left out."""
LAST_LINES_S = 1.0
"""How long the reader has for the last ones."""


@contextmanager
def event_lines(events: Events) -> Iterator[None]:
    """Write every event as one line while the context lasts.

    A thread does the writing: a pipe that nobody reads must not hold up the table. Once the reader has gone away the
    events go nowhere.
    """
    waiting: queue.Queue[Event | None] = queue.Queue(MOST_WAITING)
    left_out = 0

    def hear(event: Event) -> None:
        nonlocal left_out
        try:
            waiting.put_nowait(event)
        except queue.Full:
            left_out += 1

    def write() -> None:
        # past sys.stdout, whose lock a writer that hangs would hold when the interpreter ends
        descriptor = sys.stdout.fileno()
        while event := waiting.get():
            line = encoded(event.as_json())
            try:
                while line:
                    line = line[os.write(descriptor, line) :]
            except OSError as error:
                log.warning("the events can be written no longer: %s", error.strerror)
                stop()
                return

    stop = events.listen(hear)
    writer = threading.Thread(target=write, name="event lines", daemon=True)
    writer.start()
    try:
        yield
    finally:
        stop()
        with suppress(queue.Full):
            waiting.put(None, timeout=LAST_LINES_S)
        writer.join(LAST_LINES_S)
        if left_out:
            log.warning("%d events were left out: nobody read them in time", left_out)
