"""The virtual Pi: a board made of software, and the virtual things that a config wires to it."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import TypeVar

from reboard.board import I2cBus, InputLine, ReportMotor, SerialLine, Sink, unguarded
from reboard.config import (
    BankConfig,
    BumpsConfig,
    Id12Config,
    KeyboardConfig,
    Pn532Config,
    Rdm6300Config,
    SlotConfig,
    TableConfig,
)
from reboard.errors import ReboardError
from reboard.parts.slots.bumps import WEIGHTS
from reboard_sim.disk import VirtualDisk
from reboard_sim.i2c import VirtualI2cBus
from reboard_sim.input_device import VirtualInputDevice
from reboard_sim.keypad import VirtualKeypad
from reboard_sim.lcd import Hd44780, Pcf8574
from reboard_sim.line import Line
from reboard_sim.motor import VirtualMotor
from reboard_sim.pins import VirtualPins
from reboard_sim.readers.bumps import VirtualBumps
from reboard_sim.readers.id12 import VirtualId12
from reboard_sim.readers.keyboard import VirtualKeyboard
from reboard_sim.readers.pn532 import VirtualPn532
from reboard_sim.readers.rdm6300 import VirtualRdm6300
from reboard_sim.readers.virtual_reader import VirtualReader
from reboard_sim.serial_line import VirtualSerialLine
from reboard_sim.sound_card import VirtualSoundCard
from reboard_sim.switch import Switch
from reboard_sim.trace import Timeline

T = TypeVar("T")

MONDAY_MORNING = 1_767_600_000.0
"""What the virtual Pi's calendar says when its clock says 0, in seconds since 1970: fixed, so that runs are alike."""

A_YEAR_S = 365 * 86_400.0

BOUNCE_S = 0.002
HEAVY_BOUNCE_S = 0.02


class NotWiredError(ReboardError, LookupError):
    """The config has no such part."""


class VirtualPi:
    """A `reboard.board.Board`, with a virtual thing for every part that *config* names.

    Made on a running loop, by whose *clock* it lives, and without power. *rng* makes contacts bounce and lines noisy.
    """

    def __init__(
        self, config: TableConfig, clock: Callable[[], float], *, rng: Random, sound_card: VirtualSoundCard
    ) -> None:
        self.config = config
        self.sound_card = sound_card
        self.pins = VirtualPins(clock)
        self.disk = VirtualDisk(rng)
        self._calendar = MONDAY_MORNING
        self._clock = clock
        self.serial_lines: dict[str, VirtualSerialLine] = {}
        self.input_devices: dict[str, VirtualInputDevice] = {}
        self.buses: dict[int, VirtualI2cBus] = {}
        self._contacts: list[Switch] = []
        self._button = self._switch(config.block.button, rng) if config.block else None
        self._lever = self._switch(config.apple.lever, rng) if config.apple else None
        self._lamp = self._line(config.block.lamp) if config.block else None
        self._motor = self._wired_motor(config.apple.motor) if config.apple else None
        bank = config.bank or BankConfig()
        self._readers = {
            name: self._reader(slot, rng) for name, slot in (("left", bank.left), ("right", bank.right)) if slot
        }
        self._keypad = VirtualKeypad(bank.keypad.rows, bank.keypad.columns, self.pins, rng=rng) if bank.keypad else None
        self._backpack = Pcf8574(Hd44780()) if bank.display else None

    @asynccontextmanager
    async def guard_motor(self, pin: int) -> AsyncIterator[ReportMotor]:
        """Nothing: no virtual motor runs on when this process ends."""
        yield unguarded

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        """The firmware's end of the virtual line that the config calls *port*."""
        if port not in self.serial_lines:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), port)
        return self.serial_lines[port].open(baud_rate)

    def open_keyboard(self, device: str) -> InputLine:
        """The firmware's end of the virtual reader that the config calls *device*."""
        if device not in self.input_devices:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), device)
        return self.input_devices[device].open()

    def open_i2c(self, bus: int) -> I2cBus:
        """The virtual bus number *bus*."""
        if bus not in self.buses:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), f"/dev/i2c-{bus}")
        return self.buses[bus]

    def open_sink(self, library: str | None, device: str | None) -> Sink:
        """The virtual sound card, whatever the library: each ends at a sound card."""
        return self.sound_card

    def open_database(self, uri: str) -> sqlite3.Connection:
        """A database on the virtual disk."""
        return self.disk.open_database(uri)

    def wall_time(self) -> float:
        """A calendar that begins on a Monday in January 2026."""
        return self._calendar + self._clock()

    def close(self) -> None:
        """Fall silent and give the ptys back."""
        for reader in self._readers.values():
            reader.close()
        self.sound_card.close()
        self.pins.close()

    def power_on(self) -> None:
        """Give it power. Cards that lie in a slot and keys that are held are still there."""
        self.pins.power_on()
        self.disk.power_on()
        for reader in self._readers.values():
            reader.plug()
        self._attach_display()

    def power_off(self) -> None:
        """Cut the power: whatever the firmware still does reaches nothing."""
        self.pins.power_off()
        self.disk.power_off()
        for reader in self._readers.values():
            reader.unplug()
        for bus in self.buses.values():
            bus.power_off()
        self.sound_card.close()

    @property
    def button(self) -> Switch:
        """The question block's button. This and the next raise `NotWiredError` for what the config has not."""
        return _wired(self._button, "question block")

    @property
    def lever(self) -> Switch:
        """The apple's lever."""
        return _wired(self._lever, "worm apple")

    @property
    def motor(self) -> VirtualMotor:
        """The apple's motor."""
        return _wired(self._motor, "motor")

    @property
    def lamp(self) -> Line:
        """The wire of the block's lamp."""
        return _wired(self._lamp, "lamp")

    @property
    def keypad(self) -> VirtualKeypad:
        """The banker unit's keys."""
        return _wired(self._keypad, "keypad")

    @property
    def lcd(self) -> Hd44780:
        """The banker unit's display."""
        return self.backpack.lcd

    @property
    def backpack(self) -> Pcf8574:
        """What connects the display to the bus."""
        return _wired(self._backpack, "display")

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that have a reader, ``left`` and ``right``."""
        return tuple(self._readers)

    def reader(self, slot: str) -> VirtualReader:
        """The card reader of the ``left`` or ``right`` slot."""
        return _wired(self._readers.get(slot), f"{slot} slot")

    @property
    def held(self) -> set[str]:
        """What hands hold: keys by their name, ``block`` and ``lever``."""
        switches = {"block": self._button, "lever": self._lever}
        keys = self._keypad.held if self._keypad else []
        return {*keys, *(name for name, switch in switches.items() if switch and switch.is_closed)}

    def wires(self) -> dict[str, Line]:
        """Every wire that the config uses, by what it is for."""
        numbers: dict[str, int | None] = {}
        if self.config.block:
            numbers |= {"block_button": self.config.block.button, "block_lamp": self.config.block.lamp}
        if self.config.apple:
            numbers |= {"apple_lever": self.config.apple.lever, "apple_motor": self.config.apple.motor}
        bank = self.config.bank or BankConfig()
        for name, slot in (("left", bank.left), ("right", bank.right)):
            if isinstance(slot, BumpsConfig):
                numbers |= {f"{name}_bump_{weight}": pin for weight, pin in zip(WEIGHTS, slot.pins, strict=True)}
        if keypad := bank.keypad:
            numbers |= {f"key_row_{place}": pin for place, pin in enumerate(keypad.rows, start=1)}
            numbers |= {f"key_column_{place}": pin for place, pin in enumerate(keypad.columns, start=1)}
        return {name: self.pins.line(number) for name, number in numbers.items() if number is not None}

    def timelines(self) -> dict[str, Timeline]:
        """What each of the `wires` did, as it is remembered now."""
        return {name: tuple(line.timeline) for name, line in self.wires().items()}

    def misbehave(self, fault: str, on: bool) -> None:
        """Let one of `reboard_sim.faults.FAULTS` begin, or end. Raises `NotWiredError` when there is no such part."""
        match fault.split():
            case ["reader", slot]:
                reader = self.reader(slot)
                (reader.unplug if on else reader.plug)()
            case ["noise", slot]:
                self.reader(slot).noise(on)
            case ["flicker", slot]:
                self.reader(slot).flicker(on)
            case ["bounce"]:
                for switch in self._switches():
                    switch.bounce_s = HEAVY_BOUNCE_S if on else BOUNCE_S
            case ["chatter", name]:
                self._switch_called(name).chatter = on
            case ["stuck", name]:
                self._switch_called(name).stuck = on
            case ["display"]:
                self._plug_display(not on)
            case ["disk", "full"]:
                self.disk.full = on
            case ["disk", "read-only"]:
                self.disk.read_only = on
            case ["disk", "failing"]:
                self.disk.failing = on
            case ["disk", "slow"]:
                self.disk.slow = on
            case ["clock"]:
                self._calendar = MONDAY_MORNING - A_YEAR_S if on else MONDAY_MORNING
            case ["sound"]:
                (self.sound_card.unplug if on else self.sound_card.plug)()

    def _plug_display(self, in_socket: bool) -> None:
        display = self.config.bank and self.config.bank.display
        if display and (bus := self.buses.get(display.bus)):
            (bus.plug if in_socket else bus.unplug)(display.address)

    def _switch_called(self, name: str) -> Switch:
        return self.button if name == "block" else self.lever

    def _switches(self) -> list[Switch]:
        keys = self._keypad.keys.values() if self._keypad else ()
        return [*self._contacts, *keys]

    def _switch(self, pin: int, rng: Random) -> Switch:
        switch = Switch(self.pins.line(pin), self.pins.ground, rng=rng, bounce_s=BOUNCE_S)
        self._contacts.append(switch)
        return switch

    def _line(self, pin: int | None) -> Line | None:
        return None if pin is None else self.pins.line(pin)

    def _wired_motor(self, pin: int | None) -> VirtualMotor | None:
        if pin is None:
            return None
        line = self.pins.line(pin)
        if self.config.wiring.motor.gate_pull_down_ohm:
            line.pull_outside = "down"
        return VirtualMotor(line)

    def _reader(self, config: SlotConfig, rng: Random) -> VirtualReader:
        match config:
            case Rdm6300Config(port=port):
                return VirtualRdm6300(self._serial_line(port), rng=rng)
            case Id12Config(port=port):
                return VirtualId12(self._serial_line(port), rng=rng)
            case Pn532Config(port=port):
                return VirtualPn532(self._serial_line(port), rng=rng)
            case KeyboardConfig(device=device):
                self.input_devices[device] = typed = VirtualInputDevice()
                return VirtualKeyboard(typed, rng=rng)
            case BumpsConfig(pins=pins):
                return VirtualBumps([self._switch(pin, rng) for pin in pins], rng=rng)

    def _serial_line(self, port: str) -> VirtualSerialLine:
        line = self.serial_lines[port] = VirtualSerialLine()
        return line

    def _attach_display(self) -> None:
        """Give the display power, on a new bus: who holds the one from before a power cut writes to nobody."""
        display = self.config.bank and self.config.bank.display
        if display and self._backpack:
            self.buses[display.bus] = VirtualI2cBus(self._clock)
            self.buses[display.bus].attach(display.address, self._backpack)


def _wired(part: T | None, name: str) -> T:
    if part is None:
        raise NotWiredError(f"this table has no {name}")
    return part
