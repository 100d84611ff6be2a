"""Tracebacks of a program: its own lines, and the line of a library that raised the error."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Any

from reboard_sim.script.opened_devices import OUR_FOLDERS, is_of_program
from reboard_sim.script.scheduler import ScheduledThread
from reboard_sim.script.threads import current


def _format(stack: traceback.StackSummary, **options: Any) -> list[str]:
    """Replace ``StackSummary.format``, which all modules use that print or log an error."""
    thread = current()
    if isinstance(thread, ScheduledThread):
        folder = thread.scheduler.process.path.parent
        stack = traceback.StackSummary.from_list(
            [
                frame
                for frame in stack
                if is_of_program(frame.filename, folder)
                or (frame is stack[-1] and not frame.filename.startswith(OUR_FOLDERS))
            ]
        )
    return _real_format(stack, **options)


_real_format = traceback.StackSummary.format

METHODS: Mapping[tuple[Any, str], Any] = {(traceback.StackSummary, "format"): _format}
