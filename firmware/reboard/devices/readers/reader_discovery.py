"""Discovery of a slot's reader, with a card that the user holds to it, and of the pins of a slot's switches."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from reboard.board import Devices
from reboard.devices.device import FittedDevice, Prompts, TryOut
from reboard.devices.readers.em4100 import Id12
from reboard.devices.readers.kinds.bumps import WEIGHTS
from reboard.devices.readers.kinds.keyboard import Keyboard
from reboard.devices.readers.kinds.pn532 import Pn532
from reboard.devices.readers.reader import Slot
from reboard.events import Fault, Recovered
from reboard.finding import all_of, sentence
from reboard.vocabulary.declared import Event

ASK_S = 0.5
"""The time for which setup waits for PN532 readers on all ports, in seconds. A PN532 answers within 0.1 s unless noise
destroys the command."""

SILENT_S = 1.0
"""The silence of a reader that does not repeat its card, in seconds."""

WATCH_S = 3.0
"""The time for which setup watches whether a reader repeats the card that it read, in seconds."""

KEYBOARD_S = 30.0
"""The longest time for which setup grabs keyboards, in seconds. The user may need a keyboard to answer."""

BUMPS = "bumps"
COIL, SWITCHES = "reader", "switches"
CONTENTS = {
    COIL: "a card reader with a coil or antenna, or a USB reader that types",
    SWITCHES: "three switches, for the cards of the original game",
}


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A card that was read: the kind of *reader*, the reader's device *file*, the card's *tag*, and the open *slot*."""

    reader: str
    file: str
    tag: str
    slot: Slot


class ReaderDiscovery:
    """A search for the serial port or the keyboard whose reader reads a card. Must be closed.

    *faults* maps each device file that cannot be read to its fault, and *slots* each device file to the slot on it.
    """

    def __init__(self, devices: Devices) -> None:
        self.faults: dict[str, str] = {}
        self.slots: dict[str, Slot] = {}
        self._devices = devices
        self._read_card: asyncio.Future[ReadCard] = asyncio.get_running_loop().create_future()
        self._open = ExitStack()

    async def start(self, ports: Iterable[str], keyboards: Iterable[str]) -> None:
        """Open the serial *ports* and the *keyboards*, and start reading cards.

        Each port is first tried with a PN532. If no PN532 answers within `ASK_S`, other readers are tried on the port.
        """
        for file in keyboards:
            emit = partial(self._keep_fault, file)
            self._start("keyboard", file, Keyboard(file, board=self._devices, emit=emit, name="reader"))
        for file in ports:
            emit = partial(self._keep_fault, file)
            self._start("pn532", file, Pn532(file, board=self._devices, emit=emit, name="reader"))
        await asyncio.sleep(ASK_S)
        for file in ports:
            if not self.slots[file].heard.frames:
                self.slots[file].close()
                self.faults.pop(file, None)
                emit = partial(self._keep_fault, file)
                self._start("rdm6300", file, Id12(file, board=self._devices, emit=emit, name="reader"))

    async def first_card(self) -> ReadCard:
        """Wait for the first card that is read, and return it."""
        return await asyncio.shield(self._read_card)

    def close(self) -> None:
        """Close all ports and keyboards."""
        self._read_card.cancel()
        self._open.close()

    def _start(self, reader: str, file: str, slot: Slot) -> None:
        self.slots[file] = slot
        self._open.enter_context(closing(slot))
        slot.start(partial(self._read, reader, file, slot), lambda _: None)

    def _read(self, reader: str, file: str, slot: Slot, tag: str) -> None:
        if not self._read_card.done():
            is_id12 = isinstance(slot, Id12) and slot.ends_line
            self._read_card.set_result(ReadCard("id12" if is_id12 else reader, file, tag, slot))

    def _keep_fault(self, file: str, event: Event) -> None:
        if isinstance(event, Fault):
            self.faults[file] = event.cause
        elif isinstance(event, Recovered):
            self.faults.pop(file, None)


async def try_out_slot(device: FittedDevice[Any, Any], work: TryOut) -> dict[str, object] | None:
    """Find the reader or the switches of a slot, and return the slot's setting; see `DeviceKind.try_out`."""
    present = SWITCHES if work.setting(f"{device.label}.reader") == BUMPS else COIL
    if await work.prompts.choose("What is in the slot?", CONTENTS, present) == SWITCHES:
        return {"reader": BUMPS, "pins": await _switch_pins(device, work)}
    while (found := await _find_reader(device, work)) is None:
        if not await work.prompts.yes("Try again?"):
            return None
    card, setting = found
    key, subsystem = ("device", "input") if card.reader == "keyboard" else ("port", "tty")
    return {**setting, key: await work.lasting_name(device, card.file, subsystem)}


async def _settings(card: ReadCard, prompts: Prompts) -> dict[str, object]:
    """Return the kind of the reader that read *card*, and how it sends, after watching whether it repeats the card."""
    if not isinstance(card.slot, Id12):
        return {"reader": card.reader}
    prompts.say(f"Leave the card there for {WATCH_S:g} s.")
    await asyncio.sleep(WATCH_S)
    if card.slot.heard.silence_s < SILENT_S:
        return {"reader": "rdm6300"}
    if card.reader == "id12" or not await prompts.yes("The reader is silent. Is the card still there?", False):
        return {"reader": card.reader}
    prompts.say('This reader does not repeat a card: the config gets `sends = "once"`. A tap puts a card in.')
    return {"reader": card.reader, "sends": "once"}


async def _switch_pins(device: FittedDevice[Any, Any], work: TryOut) -> list[int]:
    before = work.setting(f"{device.label}.pins") or [None] * len(WEIGHTS)
    return [
        await work.ask_input_pin(f"{device.label}.{weight}", f"the switch with the value {weight}", "Press it", usual)
        for weight, usual in zip(WEIGHTS, before, strict=True)
    ]


async def _find_reader(device: FittedDevice[Any, Any], work: TryOut) -> tuple[ReadCard, dict[str, object]] | None:
    prompts = work.prompts
    keyboards = await _keyboards(device, work)
    ports = [] if keyboards else _serial_ports(device, work)
    if not ports and not keyboards:
        prompts.say(
            "There is no free serial port. Plug the reader in, or switch the header's serial port on "
            "(`sudo reboard setup boot`, then `sudo reboot`)."
        )
        return None
    with closing(ReaderDiscovery(work.board)) as discovery:
        prompts.say("Looking for readers.")
        await discovery.start(ports, keyboards)
        card = None
        with suppress(TimeoutError):
            async with asyncio.timeout(KEYBOARD_S if keyboards else None):
                card = await prompts.until(
                    f"Hold a card to the {device.title} now. If nothing happens, lift the card and hold it "
                    "there again. Press Enter to stop.",
                    discovery.first_card(),
                )
        if card:
            prompts.say(f"The {card.reader} reader on {card.file} read the card {card.tag}.")
            return card, await _settings(card, prompts)
        prompts.say("No card was read.")
        for file, slot in discovery.slots.items():
            if file in discovery.faults:
                prompts.say(sentence(discovery.faults[file]))
            if slot.heard.bytes:
                prompts.say(f"{file} has received {slot.heard}.")
            holders = [*map(str, work.host.holders(file))]
            if holders and holders[0] not in discovery.faults.get(file, ""):
                prompts.say(f"{file} is also open in {all_of(holders)}, which can take its data.")
        return None


def _serial_ports(device: FittedDevice[Any, Any], work: TryOut) -> list[str]:
    """Return the serial ports that no other device uses, including the slot's port in the config if it exists."""
    ports = dict.fromkeys(work.host.serial_ports())
    present = work.setting(f"{device.label}.port")
    if present and work.host.has(present):
        ports[work.host.real(present)] = None
    return [port for port in ports if port not in work.files_of_others(device)]


async def _keyboards(device: FittedDevice[Any, Any], work: TryOut) -> list[str]:
    """Return the keyboards that no other device uses, or an empty list if the reader does not type."""
    files = work.host.named("/dev/input/by-path/*-event-kbd")
    if not files:
        return []
    question = (
        "Is it a USB reader that types like a keyboard? (If so, no keyboard works on this machine for half a minute.)"
    )
    if not await work.prompts.yes(question, work.setting(f"{device.label}.reader") == "keyboard"):
        return []
    others = work.files_of_others(device)
    return [file for file in files if work.host.real(file) not in others]
