"""The driver of displays: two lines of 16 characters, behind a controller.

The bus of a display is slow (9 ms for 16 characters of an HD44780) and can hang, so a thread writes to it, and no
caller waits. The display does not report what it shows, so the driver writes everything again after each change, and
every three seconds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from reboard.aiotools import Backoff, WorkerThread
from reboard.devices.device import Absent, nothing
from reboard.devices.displays.display_controller import DisplayController, Picture
from reboard.events import DeviceEvent, Emit, FaultState, ignore_event
from reboard.languages import DISPLAY_COLUMNS, translatable

log = logging.getLogger(__name__)

POWER_UP_S = 0.05
"""The wait for the controller after power-up, in seconds (data sheet: 40 ms at 2.7 V)."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
"""The longest pause before a failed display is tried again, in seconds. The backoff is 1, 2, 4 … 30 s."""

REFRESH_S = 3.0
"""The longest time for which a lit display is not written again, in seconds.

A spark, or a dip of its supply, leaves wrong text on the display, and the driver cannot notice. A refresh takes 23 to
130 ms of the bus at 100 kHz. A request waits for at most 3 ms of them."""

REFRESH_DARK_S = 300.0
"""The same for a dark display, which shows no text. A dip of the supply switches the backlight on.

Each time costs a sleeping table a few wake-ups, so it is rare."""


class Displayed(DeviceEvent, name="display"):
    """A display's lines have changed."""

    lines: Sequence[str]


class Display:
    """A display that shows two lines of 16 characters.

    Its methods return at once; a thread writes the changed characters, and then everything. A ``display`` event reports
    the lines after they are written. A failed display emits one ``fault`` event. The driver tries it again with a
    backoff, and then writes the latest lines.

    *name* is the display's name in faults.
    """

    def __init__(self, controller: DisplayController, *, emit: Emit = ignore_event, name: str = "display") -> None:
        self._emit = emit
        self._fault = FaultState(name, emit)
        self._controller = controller
        self._thread = WorkerThread("display")
        self._requested = Picture()
        self._shown: Picture | None = None
        self._ready_at = 0.0
        self._has_request = asyncio.Event()
        self._has_request.set()
        self._task: asyncio.Task[None] | None = asyncio.get_running_loop().create_task(self._run())

    def __repr__(self) -> str:
        return f"<Display {self.description} {self._requested}>"

    @property
    def description(self) -> str:
        """The controller, the address and the bus: ``HD44780 at 0x27 on I²C bus 1``."""
        return str(self._controller)

    @property
    def has_fault(self) -> bool:
        """Whether the display has a fault."""
        return self._fault.cause is not None

    @property
    def is_working(self) -> bool:
        """Whether the display has no fault. False for the stand-in `AbsentDisplay`, which has none either."""
        return not self.has_fault

    def show(self, line1: str, line2: str, *, reported: tuple[str, str] | None = None) -> None:
        """Show two lines. Raises ``ValueError`` if one has more than 16 characters.

        The event has the lines *reported* instead, if the shown ones are only for users who see the display.
        """
        for line in (line1, line2):
            if len(line) > DISPLAY_COLUMNS:
                raise ValueError(
                    f"a line of the display has up to {DISPLAY_COLUMNS} characters, but {line!r} has {len(line)}"
                )
        self._request(self._requested._replace(lines=(line1, line2), reported=reported))

    def sleep(self) -> None:
        """Turn the display and its backlight off. The latest lines appear at `wake`."""
        self._request(self._requested._replace(lit=False))

    def wake(self) -> None:
        """Turn the display and its backlight on."""
        self._request(self._requested._replace(lit=True))

    def close(self) -> None:
        """Turn the display off and release the bus, all in the background. Can be called more than once."""
        if self._task is None:
            return
        self._task.cancel()
        self._task = None
        off = asyncio.get_running_loop().run_in_executor(self._thread, self._controller.turn_off)
        off.add_done_callback(asyncio.Future.exception)  # retrieve it, or asyncio logs it
        self._thread.shutdown(wait=False)

    async def closed(self) -> None:
        """Close the display, and wait until it is dark, so that another driver can use its address."""
        self.close()
        await asyncio.get_running_loop().run_in_executor(None, self._thread.finish)

    def _request(self, picture: Picture) -> None:
        self._requested = picture
        self._has_request.set()

    async def _run(self) -> None:
        backoff = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(REFRESH_S if self._requested.lit else REFRESH_DARK_S):
                    await self._has_request.wait()
            self._has_request.clear()
            try:
                await self._update()
            except Exception as error:
                self._shown = None
                self._has_request.set()
                self._report(error)
                await asyncio.sleep(backoff.next())
            else:
                backoff.reset()

    async def _update(self) -> None:
        """Write what has changed, and then everything, unless a request comes first."""
        loop = asyncio.get_running_loop()
        run = loop.run_in_executor
        await asyncio.sleep(self._ready_at - loop.time())
        if self._shown is None:
            await run(self._thread, self._controller.open, self._requested.lit)
            await asyncio.sleep(POWER_UP_S)
        picture, before = self._requested, self._shown
        if before is None or picture.lit != before.lit:
            await run(self._thread, self._controller.refresh, picture)
            self._has_shown(picture)
        else:
            if picture.lit and picture != before:
                await run(self._thread, self._controller.write, picture)
            self._has_shown(picture)
            await run(self._thread, self._controller.refresh, picture, self._has_request.is_set)
        self._ready_at = loop.time() + self._controller.settle_s

    def _has_shown(self, picture: Picture) -> None:
        before, self._shown = self._shown, picture
        self._fault.set(None)
        if before is None or picture.lines != before.lines:
            self._emit(Displayed(list(picture.reported or picture.lines)))

    def _report(self, error: Exception) -> None:
        if isinstance(error, OSError):
            self._fault.set(self._controller.cause(error))
        elif self._fault.set(translatable(f"{self.description} failed: {error!r}")):
            log.error("%s failed with an unexpected error", self.description, exc_info=error)


class AbsentDisplay(Absent):
    """The stand-in for a display that the config leaves out: it shows nothing and emits nothing."""

    description = "no display"
    is_working = has_fault = False
    show = sleep = wake = nothing
