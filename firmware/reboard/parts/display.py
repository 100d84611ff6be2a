"""The display: two lines of 16 characters on an HD44780 behind a PCF8574 on the I²C bus."""

from __future__ import annotations

import asyncio
import errno
import logging
from dataclasses import replace

from reboard.board import Devices
from reboard.display_size import COLUMNS
from reboard.events import Emit, to_nobody
from reboard.parts.glass import Glass, Picture
from reboard.pauses import Pauses
from reboard.trouble import Trouble
from reboard.worker_thread import WorkerThread

log = logging.getLogger(__name__)

POWER_UP_S = 0.05
"""How long the controller needs after its supply came, before it listens."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
"""A display that fails is tried again after 1, 2, 4 … 30 s."""


class Display:
    """Shows two lines of 16 characters.

    Whatever is asked of it returns at once; one worker thread writes, only what changed, and always the latest. A
    ``display`` event tells what the glass really has. A display that does not answer is one ``fault`` event; it is
    tried again until it does, and then shows what it should.

    *bus* is the I²C bus's number and *address* the module's on it (0x27 for most PCF8574, 0x3F for most PCF8574A).
    """

    def __init__(self, board: Devices, bus: int, address: int, *, emit: Emit = to_nobody) -> None:
        self._bus = bus
        self._address = address
        self._emit = emit
        self._trouble = Trouble("display", emit)
        self._glass = Glass(board, bus, address)
        self._thread = WorkerThread("display")
        self._wanted = Picture()
        self._shown: Picture | None = None
        self._asked = asyncio.Event()
        self._asked.set()
        self._task: asyncio.Task[None] | None = asyncio.get_running_loop().create_task(self._keep_up())

    def __repr__(self) -> str:
        return f"<Display {self.description} {self._wanted}>"

    @property
    def description(self) -> str:
        """What this is and where."""
        return f"HD44780 at 0x{self._address:02X} on I²C bus {self._bus}"

    def show(self, line1: str, line2: str) -> None:
        """Show two lines, soon. Raises ``ValueError`` for a line of more than 16 characters."""
        for line in (line1, line2):
            if len(line) > COLUMNS:
                raise ValueError(f"the display has {COLUMNS} characters in a line; {line!r} has {len(line)}")
        self._ask(replace(self._wanted, lines=(line1, line2)))

    def sleep(self) -> None:
        """Go dark. What is shown meanwhile can be read after `wake`."""
        self._ask(replace(self._wanted, lit=False))

    def wake(self) -> None:
        """Light up."""
        self._ask(replace(self._wanted, lit=True))

    def close(self) -> None:
        """Clear the glass and turn it off, soon, and give the bus back. May be called twice."""
        if self._task is None:
            return
        self._task.cancel()
        self._task = None
        self._thread.submit(self._glass.turn_off)
        self._thread.shutdown(wait=False)

    def _ask(self, picture: Picture) -> None:
        self._wanted = picture
        self._asked.set()

    async def _keep_up(self) -> None:
        pauses = Pauses(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        while True:
            await self._asked.wait()
            self._asked.clear()
            try:
                picture = await self._bring()
            except Exception as error:
                self._shown = None
                self._asked.set()
                self._tell(error)
                await asyncio.sleep(pauses.next())
                continue
            self._trouble.tell(None)
            pauses.reset()
            before = self._shown.lines if self._shown else None
            self._shown = picture
            if picture.lines != before:
                self._emit("display", lines=list(picture.lines))

    async def _bring(self) -> Picture:
        run = asyncio.get_running_loop().run_in_executor
        if self._shown is None:
            await run(self._thread, self._glass.find, self._wanted.lit)
            await asyncio.sleep(POWER_UP_S)
        picture = self._wanted
        await run(self._thread, self._glass.put, picture)
        return picture

    def _tell(self, error: Exception) -> None:
        if isinstance(error, OSError):
            self._trouble.tell(self._cause(error))
        elif self._trouble.tell(f"{self.description} fails: {error!r}"):
            log.error("%s failed as it never should", self.description, exc_info=error)

    def _cause(self, error: OSError) -> str:
        match error.errno:
            case errno.ENOENT:
                return f"there is no I²C bus {self._bus}: switch I²C on (raspi-config, Interface Options) and restart"
            case errno.EACCES:
                return f"I²C bus {self._bus} may not be opened: add the user that runs reboard to the group i2c"
            case 121 | errno.ENXIO:  # 121 is EREMOTEIO, a name that only Linux has
                return (
                    f"nothing answers at 0x{self._address:02X} on I²C bus {self._bus}: look at the display's power, at "
                    "SDA and SCL, and at its address (0x27 and 0x3F are usual)"
                )
            case errno.ETIMEDOUT:
                return f"I²C bus {self._bus} is stuck: look for a short between SDA, SCL and ground"
            case _:
                return f"{self.description} fails: {error.strerror or error}"
