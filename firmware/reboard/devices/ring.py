"""The LED ring: a chain of WS2812 LEDs, whose signal is the data line of the SPI bus.

No library fits: those that time the signal with PWM need root, and none of them runs on a Pi 5. The bus works without
root on every Pi. Up to the Pi 4, its clock changes with that of the core, unless the Pi's firmware has a setting from
the README of rpi_ws281x, for the Pi 4 from pull request 35 of rpi-ws281x-python. We have tried none of them.

``ring.bus``: whether the SPI bus of the LED ring is on. Nothing answers on it.
``ring.clock``: the SPI bus changes its clock, so that an LED ring has wrong colours.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from functools import cache
from typing import Annotated

from reboard.board import Board, Devices
from reboard.config.kinds import Choice, Number, Section, Whole
from reboard.devices.device import Absent, FittedDevice, nothing
from reboard.devices.examination import CheckContext, TryOut
from reboard.devices.spi_bus import SWITCH_ON, BufferWiring, SpiConfig, SpiKind, SpiLink, claim_spi_pins
from reboard.events import DeviceEvent, Emit, ignore_event
from reboard.finding import Finding, note
from reboard.record import replace

HZ = 2_400_000
"""Three bits of the bus for one of a WS2812: 0.42 µs high for 0, and 0.83 µs for 1 (data sheet: 0.4 and 0.8 ± 0.15)."""

RESET = bytes(90)
"""300 µs low, after which the LEDs show what they got (data sheet of the WS2812B: 280 µs)."""

CLOCK_SETTINGS = {"4": "core_freq_min=500", "5": ""}
"""The settings that keep the clock of the bus constant, by the number of the Pi. Older ones have ``core_freq=250``."""

MOST_LEDS = 64

Colour = tuple[int, int, int]
"""Red, green and blue, each from 0 to 255."""

DARK: Colour = (0, 0, 0)


class RingConfig(SpiConfig, kw_only=True):
    """The setting of an LED ring."""

    driver: Annotated[str, Choice("ws2812"), "the chip of its LEDs"] = "ws2812"
    leds: Annotated[int, Whole(1, MOST_LEDS), "number of LEDs"] = 12
    brightness: Annotated[float, Number(0.02, 1), "fraction of the full brightness"] = 0.2


RING_SETTING = Section(RingConfig, then=claim_spi_pins)
"""The reader of the setting of an LED ring."""


def whole(colour: Sequence[float]) -> Colour:
    """Return *colour* with whole numbers. Raises ``ValueError`` unless it has three numbers from 0 to 255."""
    if len(colour) != 3 or not all(0 <= part <= 255 for part in colour):
        raise ValueError(f"a colour has three numbers from 0 to 255: red, green and blue, not {colour}")
    red, green, blue = map(round, colour)
    return red, green, blue


class ColoursShown(DeviceEvent, name="ring"):
    """The colours of a ring have changed."""

    colours: Annotated[Sequence[str], "one an LED, such as #ff0000"]


class LedRing:
    """A ring of RGB LEDs, dark at first. It emits ``ring {colours}`` at each change. *name* is its name in faults."""

    def __init__(self, board: Devices, config: RingConfig, *, emit: Emit = ignore_event, name: str = "ring") -> None:
        self._config, self._emit = config, emit
        self._link = SpiLink(board, config, HZ, emit=emit, name=name)
        self._shown: Sequence[Colour] = ()
        self.count = config.leds
        self.show()

    def show(self, *colours: Sequence[float]) -> None:
        """Show *colours* from the first LED on. The others are dark. Raises ``ValueError``."""
        if len(colours) > self.count:
            raise ValueError(f"a ring of {self.count} LEDs cannot show {len(colours)} colours")
        every = [*map(whole, colours), *[DARK] * (self.count - len(colours))]
        dimmed = ((round(part * self._config.brightness) for part in (g, r, b)) for r, g, b in every)
        signal = b"".join(_pattern(part) for colour in dimmed for part in colour)
        if self._link.send(lambda spi: spi.writebytes2(RESET + signal + RESET)) and every != self._shown:
            self._shown = every
            self._emit(ColoursShown(["#{:02x}{:02x}{:02x}".format(*colour) for colour in every]))

    def close(self) -> None:
        if self._link.is_open:
            self.show()
        self._link.close()


@cache
def _pattern(byte: int) -> bytes:
    """Return the 24 bits of the bus for a byte of a colour."""
    bits = "".join("110" if bit == "1" else "100" for bit in f"{byte:08b}")
    return int(bits, 2).to_bytes(3, "big")


class AbsentRing(Absent):
    """The stand-in for a ring that the config leaves out: as many LEDs as usual, all dark."""

    count = RingConfig().leds
    show = nothing


Fitted = FittedDevice[RingConfig, LedRing | AbsentRing]


class RingKind(SpiKind[RingConfig, LedRing | AbsentRing]):
    """The device kind of LED rings (WS2812) on the SPI bus."""

    name = area = "ring"
    event = ColoursShown
    absent = AbsentRing
    wiring = Section(BufferWiring)

    def describe(self, config: RingConfig | None) -> str:
        return f"{config.leds} × {config.driver} at {config.file}" if config else "none"

    def open_driver(self, config: RingConfig, name: str, board: Board, emit: Emit) -> LedRing:
        return LedRing(board, config, emit=emit, name=name)

    async def try_out(self, device: Fitted, work: TryOut) -> dict[str, object] | None:
        usual = device.config or device.usual or RingConfig()
        answer = await work.prompts.ask("How many LEDs does the ring have?", f"{usual.leds}")
        leds = int(answer) if answer.isdecimal() and 1 <= int(answer) <= MOST_LEDS else usual.leds
        config = replace(usual, leds=leds)
        with closing(LedRing(work.board, config, name=device.title)) as ring:
            ring.show(*[(0, 255, 0)] * leds)
            if await work.prompts.yes(f"Are {leds} LEDs green?"):
                return {"driver": config.driver, "leds": leds, "brightness": config.brightness}
        work.prompts.say(f"Check the ring's supply and DIN (GPIO10), and {SWITCH_ON}.")
        return None

    async def check(self, device: Fitted, context: CheckContext) -> AsyncIterator[Finding]:
        yield self.finding(device, context, "ring.bus")
        model = re.search(r"(?:Pi|Module) (\d)", context.host.text("/proc/device-tree/model"))
        line = CLOCK_SETTINGS.get(model[1] if model else "", "core_freq=250")
        if context.is_pi and line and line not in map(str.strip, context.host.text(context.boot_config).splitlines()):
            what = (
                f"The LEDs of the {device.title} can have wrong colours, because this Pi changes the clock of the bus."
            )
            yield note("ring.clock", what, f"Add the line `{line}` to {context.boot_config}, then `sudo reboot`.")


RING = RingKind()
