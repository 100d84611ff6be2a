"""The functions of setup that devices and accessories use: to ask questions and test hardware."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from gpiozero import Factory

from reboard.accessories.accessory import devices_of
from reboard.accessories.installed import accessories
from reboard.board import Board
from reboard.config.pins_and_ports import DEBUG_SOCKET, FIRST_PIN, HEADER_UARTS, LAST_PIN
from reboard.config.reading import Reading
from reboard.devices.contact import Contact
from reboard.devices.device import FittedDevice
from reboard.devices.gpio.gpio_pin import InputPin
from reboard.doctor.machine import Machine
from reboard.errors import PLUG_IN_ERRORS, DeviceError
from reboard.setup import udev
from reboard.setup.draft import Draft
from reboard.setup.prompts import Prompts

BLUETOOTH = "/dev/serial1"
UART_PINS = (14, 15)
I2C_PINS = (2, 3)
"""The pins that the Pi itself holds high with 1.8 kΩ."""
WIRES = "check both wires, the one to the pin and the one to ground"
I2S = ("/proc/device-tree/soc*/i2s@*/status", "/proc/device-tree/axi/pcie@*/rp1/i2s@*/status")
"""Patterns of the device-tree files with the state of the I²S interface: up to the Pi 4, and from the Pi 5 on."""


@dataclass
class SetupContext:
    """One run of ``reboard setup``. The class implements `reboard.devices.examination.TryOut`.

    *is_new* is true if there was no config of the user. *is_only_phones* is true if nothing is connected to the Pi.
    """

    prompts: Prompts
    board: Board
    host: Machine
    draft: Draft
    is_new: bool
    is_only_phones: bool = False
    _claims: dict[str, int] = field(default_factory=dict)
    """The pins that the user chose in the current step, keyed by device name."""

    def begin_step(self) -> None:
        """Forget the pins that the user chose in the previous step. The draft contains every accepted pin."""
        self._claims.clear()

    async def has(self, name: str, question: str) -> bool:
        """Ask whether the device or section *name* exists, and return the answer. If not, remove it from the draft."""
        is_there = await self.prompts.yes(question, self.is_new or self.draft.get(name) is not None)
        if not is_there:
            self.draft.drop(name)
        return is_there

    def setting(self, name: str) -> Any:
        return self.draft.get(name)

    def put(self, name: str, value: object) -> None:
        self.draft.put(name, value)

    async def ask_input_pin(self, name: str, what: str, gesture: str, usual: int | None = None) -> int:
        prompts, default = self.prompts, self.draft.get(name) or usual
        while True:
            answer = await prompts.ask(f"Which pin is {what} on? Type a number, or f to find it.", str(default or "f"))
            if answer.lower() == "f":
                pin = await prompts.until(
                    f"{gesture} now. Press Enter if nothing happens.",
                    first_to_close(self.board.pins, self.free_pins(name)),
                )
                if pin is None:
                    prompts.say(f"No free pin received a signal: {WIRES}.")
                    continue
                prompts.say(f"That was GPIO{pin}.")
            else:
                pin = self._free_pin(name, answer)
                if pin is None or not await self._is_heard(pin, what, gesture):
                    continue
            self._claims[name] = pin
            return pin

    async def ask_output_pin(self, name: str, what: str, usual: int | None = None) -> int:
        return await self._ask_pin(name, what, self.draft.get(name) or usual)

    async def ask_pins(self, label: str, questions: Mapping[str, str], usual: Mapping[str, int]) -> dict[str, int]:
        names = {terminal: f"{label}.{terminal}" for terminal in questions}
        # the pins of an earlier answer are free again
        before = {terminal: self._claims.pop(name, None) for terminal, name in names.items()}
        pins = {}
        for terminal, what in questions.items():
            name = names[terminal]
            default = before[terminal] or self.draft.get(name) or usual[terminal]
            pins[terminal] = await self._ask_pin(name, what, default)
        return pins

    async def _ask_pin(self, name: str, what: str, default: int | None) -> int:
        while True:
            answer = await self.prompts.ask(f"Which pin is {what} on?", str(default or ""))
            if (pin := self._free_pin(name, answer)) is not None:
                self._claims[name] = pin
                return pin

    def free_pins(self, name: str) -> list[int]:
        taken = self._taken_pins(name)
        return [pin for pin in range(FIRST_PIN, LAST_PIN + 1) if pin not in taken]

    async def lasting_name(self, noun: str, file: str, subsystem: str) -> str:
        return await udev.lasting_name(noun, file, subsystem, draft=self.draft, machine=self.host, prompts=self.prompts)

    def files_of_others(self, label: str) -> set[str]:
        devices = {device.label: device for device in self._devices()}
        labels = [*devices]
        after = labels[labels.index(label) :] if label in devices else []
        # one of the same kind that comes later may be swapped with this one
        later = {
            each
            for each in after
            if devices[each].kind is devices[label].kind and devices[each].noun not in self.draft.found
        }
        others = [device for other, device in devices.items() if other not in {*later, label}]
        return {self.host.real(self.draft.found.get(other.noun, file)) for other in others for file in other.files()}

    def _free_pin(self, name: str, answer: str) -> int | None:
        if not answer.isdecimal() or not FIRST_PIN <= int(answer) <= LAST_PIN:
            self.prompts.say(f"Type a number from {FIRST_PIN} to {LAST_PIN}: the number after GPIO in the drawings.")
            return None
        pin = int(answer)
        if user := self._taken_pins(name).get(pin):
            self.prompts.say(f"Pin {pin} is already used by {user}. Type another number.")
            return None
        return pin

    def _taken_pins(self, name: str) -> dict[int, str]:
        """Return the pins that the device *name* cannot use, each with the name of the pin's user.

        An output that is not configured yet may be wired as in the drawing. Its pin must not be pulled up, because that
        could switch a motor on.
        """
        taken: dict[int, str] = {}
        for device in self._drawn():
            if device.kind.is_output and not f"{name}.".startswith(f"{device.label}."):
                taken |= dict.fromkeys(_pins(device, device.usual), f"the {device.title} in the drawing")
        taken |= kernel_pins(self.host)
        users = [(pin, label) for label, pin in self._claims.items()]
        for device in self._devices():
            users += [(pin, device.label) for pin in device.kind.pins(device.config).values()]
            users += [(pin, device.label) for pin in UART_PINS if {*device.files()} & {*HEADER_UARTS}]
        # a part of a device, such as "unit.slot.2", may have the pins of "unit.slot", and not that of "unit.slot.1"
        return taken | {pin: label for pin, label in users if not f"{name}.".startswith(f"{label}.")}

    def inputs(self) -> Mapping[int, str]:
        """Return what is on each pin that the config or, for other devices, the drawing uses as an input, keyed by pin.

        It leaves out the pins of the kernel, of the I²C bus, of the serial port and of devices with files.
        """
        inputs: dict[int, str] = {}
        others = {*kernel_pins(self.host), *UART_PINS, *I2C_PINS}
        drawn = [(device, device.usual, f"the {device.title} in the drawing") for device in self._drawn()]
        configured = [(device, device.config, device.label) for device in self._devices()]
        for device, config, what in (*drawn, *configured):
            pins = _pins(device, config)
            inputs |= dict.fromkeys(pins, what)
            if device.kind.is_output or device.kind.files(config):
                others.update(pins)
        return {pin: inputs[pin] for pin in sorted({*inputs} - others)}

    def _drawn(self) -> Iterator[FittedDevice[Any, Any]]:
        """Yield the devices that the draft leaves out and that may be wired as in the drawing."""
        for accessory in accessories().values():
            for device in accessory.fitted:
                if device.usual is not None and self.draft.get(device.label) is None:
                    yield device

    def _devices(self) -> Iterator[FittedDevice[Any, Any]]:
        """Yield the configured devices of the draft. An invalid section is skipped."""
        for name, accessory in accessories().items():
            if name in self.draft.document:
                try:
                    section = accessory.section(Reading(Path()), (name,), self.draft.document[name])
                    devices = [device for device in devices_of(accessory, section) if device.config is not None]
                    for device in devices:
                        device.check_config(device.config, device.label)
                except PLUG_IN_ERRORS:  # `Unreadable`, too
                    continue
                yield from devices

    async def _is_heard(self, pin: int, what: str, gesture: str) -> bool:
        try:
            with closing(Contact(pin, pins=self.board.pins, name=what)) as contact:
                is_heard = await self.prompts.until(f"{gesture} now. Press Enter if nothing happens.", _closes(contact))
        except DeviceError as problem:
            self.prompts.say(f"{problem}")
            return False
        if is_heard:
            self.prompts.say(f"Pin {pin} received the signal.")
            return True
        self.prompts.say(f"Pin {pin} received no signal: {WIRES}.")
        return await self.prompts.yes("Use this pin anyway?", default=False)


def _pins(device: FittedDevice[Any, Any], config: object) -> Collection[int]:
    return device.kind.pins(config).values()


async def _closes(contact: Contact) -> bool:
    await contact.closes()
    return True


def kernel_pins(machine: Machine) -> Mapping[int, str]:
    """Return the header's pins that Linux uses, each with a description of the use."""
    taken: dict[int, str] = {}
    with suppress(DeviceError):
        taken |= {pin: user or "the kernel" for pin, user in machine.header().users.items()}
    if machine.has("/dev/i2c-1"):
        taken |= dict.fromkeys(I2C_PINS, "the I²C bus")
    if machine.named("/dev/spidev0.*"):
        taken |= dict.fromkeys((9, 10, 11), "the SPI bus")
    elsewhere = {DEBUG_SOCKET, machine.real(BLUETOOTH)}
    if {machine.real(name) for name in HEADER_UARTS if machine.has(name)} - elsewhere:
        taken |= dict.fromkeys(UART_PINS, "the serial port")
    if any(machine.text(status) == "okay" for pattern in I2S for status in machine.named(pattern)):
        taken |= dict.fromkeys(range(18, 22), "a sound card (I²S)")
    return taken


async def first_to_close(pins: Factory, numbers: Sequence[int]) -> int:
    """Wait until one of the pins *numbers* is connected to ground, and return its number. Skip pins in use."""
    closed: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def hear(pin: int, is_closed: bool) -> None:
        if is_closed and not closed.done():
            closed.set_result(pin)

    with ExitStack() as inputs:
        for pin in numbers:
            with suppress(DeviceError):
                inputs.enter_context(closing(InputPin(pin, pins=pins, device="wire", edge=partial(hear, pin))))
        return await closed
