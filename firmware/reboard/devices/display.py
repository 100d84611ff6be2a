"""The device kind of displays: two lines of 16 characters, behind one of the controllers in ``displays/kinds/``.

``display.bus``: whether the I²C bus is on.
``display.answers``: whether the display answers.
``display.address``: a display answers at another address than that of the config.
``display.asked``: you may not try the display, or a table runs and does not answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import chain
from typing import Annotated

from reboard.board import Board
from reboard.config.kinds import ByKind, Choice, Section, flag
from reboard.devices.device import DeviceKind, FittedDevice
from reboard.devices.displays.display_controller import DISPLAY_KINDS, DISPLAY_SECTIONS, SWITCH_ON, DisplayConfig
from reboard.devices.displays.text_display import AbsentDisplay, Display, Displayed
from reboard.devices.examination import CheckContext, Host, TryOut, finding_in_use
from reboard.events import Emit
from reboard.finding import Finding, fine, note, wrong
from reboard.record import Record


class DisplayWiring(Record):
    """The table ``[wiring.display]``: the supply of the display, and whether there is a level shifter.

    The display pulls the bus up to its supply voltage.
    """

    power: Annotated[str, Choice("3.3V", "5V"), "its supply"] = "3.3V"
    level_shifter: Annotated[bool, flag, "whether one is between it and the Pi"] = False


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
        return Display(DISPLAY_KINDS[config.driver].open(board, config), emit=emit, name=name)

    async def try_out(self, device: Fitted, work: TryOut) -> dict[str, object] | None:
        from reboard.devices.displays.display_discovery import find_display  # a table does not need it

        return await find_display(work)

    async def check(self, device: Fitted, context: CheckContext) -> AsyncIterator[Finding]:
        host, config = context.host, device.config
        assert config is not None
        bus = f"/dev/i2c-{config.bus}"
        if context.is_in_use:
            name = "display.answers" if context.snapshot else "display.asked"
            yield finding_in_use(name, device.title, context, accessory=device.accessory)
        elif not host.has(bus):
            how = f"Run {SWITCH_ON}." if context.is_pi else ""
            yield wrong("display.bus", f"I²C bus {config.bus}, the bus of the {device.title}, does not exist.", how)
        elif not host.may_use(bus):
            what = f"The {device.title} was not tried: {host.user} has no permission to use {bus}."
            yield note("display.asked", what, "Run `sudo reboard doctor` to try it.")
        else:
            yield await host.in_thread(lambda: _checked(host, device, config))


def _checked(host: Host, device: Fitted, display: DisplayConfig) -> Finding:
    title = device.title
    kind = DISPLAY_KINDS[display.driver]
    try:
        answering = host.i2c_addresses(display.bus, chain(*kind.addresses))
    except OSError as error:
        what = f"I²C bus {display.bus} does not work: {error.strerror or error}."
        return wrong("display.bus", what, "Look for a short between SDA, SCL and ground.")
    if display.address in answering:
        return fine(
            "display.answers",
            f"The {title} answers at {display}. Only you can see what it shows: if you cannot read it, {kind.remedy}.",
        )
    if answering:
        found = " and ".join(f"0x{address:02X}" for address in answering)
        return wrong(
            "display.address",
            f"Nothing answers at {display}, but something answers at {found}.",
            f"If that is the {title}, write `address = 0x{answering[0]:02X}` into `{device.label}`.",
        )
    return wrong("display.answers", f"Nothing answers at {display}.", f"Check the {title}'s power, SDA and SCL.")


DISPLAY = DisplayKind()

DISPLAY_SECTION = ByKind("driver", DISPLAY_SECTIONS, short="address")
