"""Software PWM (pulse-width modulation): a thread that makes the pulses of one output pin."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)


class Pulses:
    """The pulses of the output pin *name*. The thread exists only while the duty cycle is between 0 and 1.

    *write* sets the level of the pin, and may raise ``OSError``. *frequency_hz* must be above 0. The duty cycle is 0
    at first.
    """

    def __init__(self, name: str, write: Callable[[bool], None], frequency_hz: float) -> None:
        self.frequency_hz = frequency_hz
        self.duty = 0.0
        self._name = name
        self._write = write
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
        # each level lasts at least as long as it should: a thread that wakes late makes the next one no shorter
        while self._set_level(True):
            time.sleep(self.duty / self.frequency_hz)
            if not self._set_level(False):
                return
            time.sleep((1 - self.duty) / self.frequency_hz)

    def _set_level(self, is_high: bool) -> bool:
        """Set the level. Return whether this thread must continue."""
        with self._lock:
            if self._thread is not threading.current_thread():
                return False
            try:
                self._write(is_high)
            except OSError as error:
                log.error("the pulses of %s have ended, because its level cannot be set: %s", self._name, error)
                self.end()
                return False
            return True
