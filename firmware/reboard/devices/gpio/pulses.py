"""Software PWM (pulse-width modulation): a thread that makes the pulses of one output pin."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

LONGEST_S = 0.1
"""The longest level that makes up for lateness, in seconds. Without a limit, a machine that stalls for a second would
stop a motor for many more."""

LONG = 0.5
"""The duty cycle from which the high level is the long one."""


class Pulses:
    """The pulses of the output pin *name*. The thread exists only while the duty cycle is between 0 and 1.

    *write* sets the level of the pin. If it fails on the thread, the thread calls *close*, which must make the pin an
    input, because the pin may still be high. *frequency_hz* must be above 0: pulses come less often while the thread
    wakes late. The duty cycle is 0 at first.
    """

    def __init__(
        self, name: str, write: Callable[[bool], None], close: Callable[[], None], frequency_hz: float
    ) -> None:
        self.frequency_hz = frequency_hz
        self.duty = 0.0
        self._name = name
        self._write = write
        self._close = close
        # reentrant: the garbage collector can run in here and close the pin, which calls end()
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        write(False)

    def set_duty(self, duty: float) -> None:
        """Set the duty cycle to *duty*, from 0 to 1. With 0 or 1, the pin has that level on return, and keeps it.

        Raises ``OSError`` if the level cannot be set.
        """
        with self._lock:
            self.duty = duty
            if duty in (0, 1):
                self.end()
                self._write(bool(duty))
            elif not self._thread:
                self._thread = threading.Thread(target=self._run, name="pulses", daemon=True)
                self._thread.start()

    def end(self) -> None:
        """Stop the pulses. From now on the thread does not change the level, and it ends when it wakes."""
        with self._lock:
            self._thread = None

    def _run(self) -> None:
        # The thread wakes late on a busy machine, and while other threads run Python code. So *ahead_s*, the time for
        # which the pin was high beyond its share, makes the next level longer or shorter. A short high level never
        # becomes longer, because it can be the pulse of a servo.
        # The clock is read before a write, because the write waits for the other threads.
        ahead_s = 0.0
        rise = time.monotonic()
        while self._set_level(True):
            duty, period_s = self.duty, 1 / self.frequency_hz
            longest_s = max(LONGEST_S, period_s)
            # with 1, set_duty() is about to end this thread
            late_s = min(-ahead_s / (1 - duty), longest_s) if LONG <= duty < 1 else 0
            _sleep_until(rise + max(duty * period_s, late_s))
            fall = time.monotonic()
            if not self._set_level(False):
                return
            ahead_s += (fall - rise) * (1 - duty)
            _sleep_until(fall + min(max(ahead_s / duty, 0), longest_s))
            rise = time.monotonic()
            ahead_s = min(max(ahead_s - (rise - fall) * duty, -longest_s), longest_s)

    def _set_level(self, is_high: bool) -> bool:
        """Set the level. Return whether this thread must continue."""
        with self._lock:
            if self._thread is not threading.current_thread():
                return False
            try:
                self._write(is_high)
            except Exception as error:
                log.error("the pulses of %s have ended, because its level cannot be set: %s", self._name, error)
                self.end()
                try:
                    self._close()
                except Exception as problem:
                    log.error("%s could not be made an input: %s", self._name, problem)
                return False
            return True


def _sleep_until(moment: float) -> None:
    time.sleep(max(moment - time.monotonic(), 0))
