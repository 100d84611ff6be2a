"""A thread of a program, which runs only while the event loop lets it.

This is the only module that knows how a thread stops in the middle of a function. The module needs no more of its
platform than real threads with locks.
"""

from __future__ import annotations

import ctypes
import os
from _thread import _local, allocate_lock, start_new_thread
from collections.abc import Callable

MOST_CUTS = 20
"""The number of waits in which a thread can ignore the power cut, while it cleans up. Then it stands still for ever."""

ATTEMPTS = 3
"""The maximum number of `PowerCut` exceptions for a thread that does not wait. After the last one, it stands still."""

CALL_S = 0.1
"""The longest time that a thread is in the middle of a call to something of the loop, in seconds."""

_here = _local()


def _step_out() -> None:
    vars(_here)["forking"] = vars(_here).pop("thread", None)


def _step_in() -> None:
    vars(_here)["thread"] = vars(_here).pop("forking", None)


# a child process has no loop: it runs in real time, from the first hook of Python's own modules on
os.register_at_fork(before=_step_out, after_in_parent=_step_in)


class PowerCut(BaseException):
    """The exception that ends a thread when the power is cut. A thread that ignores it too often stands still."""

    def __init__(self) -> None:
        super().__init__("the power was cut")
        if thread := current():
            thread.count_cut()


class ProgramThread:
    """A thread that runs *run*, in turn with the event loop: `resume` starts it, and `pause` stops it.

    A thread that does not pause in time `is_away`: it runs beside the loop. It has to `call` before it uses anything of
    the loop.
    """

    def __init__(self, run: Callable[[], None]) -> None:
        self.is_over = False
        self.is_away = False
        self.is_cut = False
        self.identifier = 0
        self._run = run
        self._cuts = 0
        self._has_called = False
        self._guard = allocate_lock()
        self._go = allocate_lock()
        self._back = allocate_lock()
        self._go.acquire()
        self._back.acquire()

    def resume(self, patience_s: float) -> bool:
        """Let the thread run until it pauses or ends. Return whether it does so within *patience_s* real seconds."""
        self.is_away = False
        if self.identifier:
            self._go.release()
        else:
            self.identifier = start_new_thread(self._begin, ())
        while not self._back.acquire(True, patience_s):
            with self._guard:
                if not self._has_called:
                    self.is_away = not self._back.acquire(False)
                    return not self.is_away
                self._has_called, patience_s = False, CALL_S
        return True

    def pause(self) -> None:
        """Give control back to the loop until the next `resume`. Call it in the thread itself."""
        with self._guard:
            if not self.is_away:
                self._back.release()
        self._go.acquire()

    def call(self) -> bool:
        """Begin to use something of the loop. Return whether the thread `is_away`, and so has to `rejoin` first."""
        with self._guard:
            self._has_called = True
            return self.is_away

    def rejoin(self) -> None:
        """Wait for the next `resume`. Call it in the thread itself while it is away."""
        self._go.acquire()

    def cut(self, patience_s: float) -> None:
        """End the thread, which pauses or is away. It raises `PowerCut`, and no longer takes turns with the loop."""
        if self.is_over:
            return
        self.is_cut = True
        if not self.identifier:
            self.is_over = True
        elif not self.is_away:
            self.resume(patience_s)
        if not self.is_over:
            for attempt in range(ATTEMPTS):
                if attempt == ATTEMPTS - 1:
                    self._cuts = MOST_CUTS
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.identifier), ctypes.py_object(PowerCut))
                if self._back.acquire(True, patience_s):
                    break

    def count_cut(self) -> None:
        """Count a `PowerCut` of this thread. Stand still for ever if there were too many."""
        self._cuts += 1
        if self._cuts > MOST_CUTS:
            self._end()
            while True:
                self._go.acquire()

    def _begin(self) -> None:
        _here.thread = self
        try:
            self._run()
        except PowerCut:
            pass
        finally:
            self._end()

    def _end(self) -> None:
        with self._guard:
            self.is_over = True
            if not self.is_away or self.is_cut:
                self._back.release()


def current() -> ProgramThread | None:
    """Return the thread of a program that calls this, or ``None`` in any other thread."""
    thread: ProgramThread | None = getattr(_here, "thread", None)
    return thread
