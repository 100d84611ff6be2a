"""The display: two lines of 16 characters, an HD44780 with a PCF8574 backpack on the I²C bus.

The bus is slow (9 ms for 16 characters) and can hang, so a thread writes to it, and no caller waits. The display does
not report what it shows, so the driver writes everything again after each change, and every three seconds.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import Annotated

from reboard.aiotools import Backoff, WorkerThread
from reboard.board import COLUMNS, Board, Devices
from reboard.config.kinds import Choice, Section, Whole, flag
from reboard.config.pins_and_ports import BACKPACK_ADDRESSES, backpack_address, claim_i2c_pins
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import Absent, CheckContext, DeviceKind, FittedDevice, Host, TryOut, finding_in_use
from reboard.devices.hd44780 import HOME_S, Hd44780Controller, Picture
from reboard.events import DeviceEvent, Emit, Fault, FaultState, ignore_event
from reboard.finding import Finding, fine, note, wrong
from reboard.record import Record, replace
from reboard.vocabulary.declared import Event

log = logging.getLogger(__name__)

POWER_UP_S = 0.05
"""The wait for the controller after power-up, in seconds (data sheet: 40 ms at 2.7 V)."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
"""The longest pause before a failed display is tried again, in seconds. The backoff is 1, 2, 4 … 30 s."""

REFRESH_S = 3.0
"""The longest time for which a lit display is not written again, in seconds.

A spark, or a dip of its supply, leaves wrong text on the display, and the driver cannot notice. A refresh is 246 bytes:
23 ms of the bus at 100 kHz. A request waits for at most 3 ms of them."""

REFRESH_DARK_S = 300.0
"""The same for a dark display, which shows no text. A dip of the supply switches the backlight on.

Each time costs a sleeping table a few wake-ups, so it is rare."""

TRY_S = 0.5
"""The time that setup waits for a display to be initialised and written to, in seconds."""

LONGEST_SEARCH_S = 5.0
"""The longest search on one I²C bus, in seconds. A bus with a short circuit takes a second for each address."""

USUAL_BUS = 1

UNREADABLE = (
    "If it is lit and empty, or shows blocks, turn the small screw on its back. If that does not help, check its "
    "supply: most displays need 5 V, and at 3.3 V they answer and are lit, but show nothing. At 5 V, a level shifter "
    "must be between the display and SDA and SCL."
)
"""What to do with a display that answers but cannot be read."""

SWITCH_ON = "`sudo reboard setup boot`, then `sudo reboot`"


class DisplayConfig(Record):
    """The setting ``bank.display``: the I²C bus and the address of the backpack."""

    driver: Annotated[str, Choice("hd44780-i2c")]
    bus: Annotated[int, Whole(0, 255)] = 1
    address: Annotated[int, backpack_address] = 0x27


class DisplayWiring(Record):
    """The table ``[wiring.display]``: the supply of the backpack, and whether there is a level shifter.

    The backpack pulls the bus up to its supply voltage.
    """

    power: Annotated[str, Choice("3.3V", "5V")] = "3.3V"
    level_shifter: Annotated[bool, flag] = False


class Displayed(DeviceEvent, name="display"):
    """A display's lines have changed."""

    lines: Sequence[str]


class Display:
    """A display that shows two lines of 16 characters.

    Its methods return at once; a thread writes the changed characters, and then everything. A ``display`` event reports
    the lines after they are written. A failed display emits one ``fault`` event. The driver tries it again with a
    backoff, and then writes the latest lines.

    *bus* is the number of the I²C bus. *address* is that of the backpack (0x27 for most PCF8574, 0x3F for most
    PCF8574A). *name* is the display's name in faults.
    """

    def __init__(
        self, board: Devices, bus: int, address: int, *, emit: Emit = ignore_event, name: str = "display"
    ) -> None:
        self._bus = bus
        self._address = address
        self._emit = emit
        self._fault = FaultState(name, emit)
        self._controller = Hd44780Controller(board, bus, address)
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
        return f"HD44780 at 0x{self._address:02X} on I²C bus {self._bus}"

    @property
    def has_fault(self) -> bool:
        """Whether the display has a fault."""
        return self._fault.cause is not None

    @property
    def is_working(self) -> bool:
        """Whether the display has no fault. False for the stand-in `AbsentDisplay`, which has none either."""
        return not self.has_fault

    def show(self, line1: str, line2: str) -> None:
        """Show two lines. Raises ``ValueError`` if one has more than 16 characters."""
        for line in (line1, line2):
            if len(line) > COLUMNS:
                raise ValueError(f"a line of the display has up to {COLUMNS} characters, but {line!r} has {len(line)}")
        self._request(replace(self._requested, lines=(line1, line2)))

    def sleep(self) -> None:
        """Turn the display and its backlight off. The latest lines appear at `wake`."""
        self._request(replace(self._requested, lit=False))

    def wake(self) -> None:
        """Turn the display and its backlight on."""
        self._request(replace(self._requested, lit=True))

    def close(self) -> None:
        """Turn the display off and release the bus, all in the background. Can be called more than once."""
        if self._task is None:
            return
        self._task.cancel()
        self._task = None
        self._thread.submit(self._controller.turn_off)
        self._thread.shutdown(wait=False)

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
        self._ready_at = loop.time() + HOME_S

    def _has_shown(self, picture: Picture) -> None:
        before, self._shown = self._shown, picture
        self._fault.set(None)
        if before is None or picture.lines != before.lines:
            self._emit(Displayed(list(picture.lines)))

    def _report(self, error: Exception) -> None:
        if isinstance(error, OSError):
            self._fault.set(self._cause(error))
        elif self._fault.set(f"{self.description} failed: {error!r}"):
            log.error("%s failed with an unexpected error", self.description, exc_info=error)

    def _cause(self, error: OSError) -> str:
        match error.errno:
            case errno.ENOENT:
                return f"there is no I²C bus {self._bus}: run {SWITCH_ON}, or correct the display's `bus` in the config"
            case errno.EACCES:
                return (
                    f"no permission to open I²C bus {self._bus}: add the user who runs reboard to the group i2c, then "
                    "restart reboard"
                )
            case 121 | errno.ENXIO:  # 121 is EREMOTEIO, a name that only Linux has
                return (
                    f"nothing answers at 0x{self._address:02X} on I²C bus {self._bus}: check the display's power, SDA "
                    "and SCL, and its address (0x27 and 0x3F are usual)"
                )
            case errno.ETIMEDOUT:
                return f"I²C bus {self._bus} is stuck: check SDA and SCL for a short to each other or to ground"
            case _:
                return f"{self.description} failed: {error.strerror or error}"


class AbsentDisplay(Absent):
    """The stand-in for a display that the config leaves out: it shows nothing and emits nothing."""

    description = "no display"
    is_working = has_fault = False

    def show(self, line1: str, line2: str) -> None:
        pass

    def sleep(self) -> None:
        pass

    def wake(self) -> None:
        pass


Fitted = FittedDevice[DisplayConfig, Display | AbsentDisplay]


class DisplayKind(DeviceKind[DisplayConfig, Display | AbsentDisplay]):
    """The device kind of displays: two lines of 16 characters, on an I²C bus."""

    name = "display"
    event = Displayed
    absent = AbsentDisplay
    has_heading = True
    area = "display"
    wiring = Section(DisplayWiring)

    def pins(self, config: DisplayConfig) -> Mapping[str, int]:
        return {"sda": 2, "scl": 3} if config.bus == 1 else {}

    def files(self, config: DisplayConfig) -> Sequence[str]:
        return (f"/dev/i2c-{config.bus}",)

    def groups(self, config: DisplayConfig) -> Mapping[str, str]:
        return {"i2c": "the I²C buses"}

    def describe(self, config: DisplayConfig | None) -> str:
        return f"{config.driver} on bus {config.bus} at 0x{config.address:02X}" if config else "none"

    def open_driver(self, config: DisplayConfig, name: str, board: Board, emit: Emit) -> Display:
        return Display(board, config.bus, config.address, emit=emit, name=name)

    async def try_out(self, device: Fitted, work: TryOut) -> dict[str, object] | None:
        while True:
            answering = await _answering(work)
            for bus, address in answering:
                if await _is_read(work, bus, address):
                    return {"driver": "hd44780-i2c", "bus": bus, "address": address}
            if answering:
                where = " and ".join(f"0x{address:02X} on bus {bus}" for bus, address in answering)
                work.prompts.say(f"A device answers at {where}, but shows nothing that you can read. {UNREADABLE}")
            else:
                work.prompts.say("No display was found: check the display's power, SDA (GPIO2) and SCL (GPIO3).")
            if not await work.prompts.yes("Search again?"):
                return None

    async def check(self, device: Fitted, context: CheckContext) -> AsyncIterator[Finding]:
        host, config = context.host, device.config
        assert config is not None
        bus = f"/dev/i2c-{config.bus}"
        if context.is_in_use:
            yield finding_in_use("display.answers" if context.snapshot else "display.asked", device.title, context)
        elif not host.has(bus):
            how = f"Run {SWITCH_ON}." if context.is_pi else ""
            yield wrong("display.bus", f"I²C bus {config.bus}, the bus of the {device.title}, does not exist.", how)
        elif not host.may_use(bus):
            what = f"The {device.title} was not tried: {host.user} has no permission to use {bus}."
            yield note("display.asked", what, "Run `sudo reboard doctor` to try it.")
        else:
            yield await host.in_thread(lambda: _checked(host, device, config))


async def _answering(work: TryOut) -> list[tuple[int, int]]:
    """Return each I²C bus and backpack address at which a device answers, and print the faults of the buses."""
    buses = [int(name.rpartition("-")[2]) for name in work.host.named("/dev/i2c-[0-9]*")]
    if not buses:
        work.prompts.say(f"There is no I²C bus: run {SWITCH_ON}.")
    found = []
    for bus in sorted(buses, key=lambda bus: (bus != USUAL_BUS, bus)):
        try:
            async with asyncio.timeout(LONGEST_SEARCH_S):
                answering = await work.host.in_thread(partial(work.host.i2c_addresses, bus, BACKPACK_ADDRESSES))
            found += [(bus, address) for address in answering]
        except TimeoutError:
            work.prompts.say(f"I²C bus {bus} hangs: look for a short between SDA, SCL and ground.")
        except OSError as error:
            work.prompts.say(f"I²C bus {bus} cannot be used: {error.strerror or error}.")
    return found


async def _is_read(work: TryOut, bus: int, address: int) -> bool:
    causes: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, Fault):
            causes.append(event.cause)

    with closing(Display(work.board, bus, address, emit=hear)) as display:
        display.show("Can you read", f"this? 0x{address:02X}")
        await asyncio.sleep(TRY_S)
        if causes:
            work.prompts.say(f"At 0x{address:02X}: {causes[-1]}.")
            return False
        work.prompts.say(
            f"A device answers at 0x{address:02X} on bus {bus}. If the display is lit and empty, or shows blocks, "
            "first turn the small screw on its back."
        )
        return await work.prompts.yes('Does it show "Can you read this?"')


def _checked(host: Host, device: Fitted, display: DisplayConfig) -> Finding:
    title = device.title
    where = f"0x{display.address:02X} on I²C bus {display.bus}"
    try:
        answering = host.i2c_addresses(display.bus, BACKPACK_ADDRESSES)
    except OSError as error:
        what = f"I²C bus {display.bus} does not work: {error.strerror or error}."
        return wrong("display.bus", what, "Look for a short between SDA, SCL and ground.")
    if display.address in answering:
        return fine(
            "display.answers",
            f"The {title} answers at {where}. Only you can see what it shows: if you cannot read it, turn the small "
            "screw on its back, and check whether it needs 5 V.",
        )
    if answering:
        found = " and ".join(f"0x{address:02X}" for address in answering)
        return wrong(
            "display.address",
            f"Nothing answers at {where}, but something answers at {found}.",
            f"If that is the {title}, write `address = 0x{answering[0]:02X}` into `{device.label}`.",
        )
    return wrong("display.answers", f"Nothing answers at {where}.", f"Check the {title}'s power, SDA and SCL.")


DISPLAY = DisplayKind()


def _claim(reading: Reading, path: KeyPath, display: DisplayConfig) -> None:
    claim_i2c_pins(reading, path, display.bus)
    reading.claim(f"the address 0x{display.address:02X} of I²C bus {display.bus}", path)


DISPLAY_SECTION = Section(DisplayConfig, then=_claim)
