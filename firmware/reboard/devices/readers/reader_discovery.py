"""Discovery of a slot's reader, with a card that the user holds to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, cycle, product, repeat
from typing import Any

from reboard.board import Devices
from reboard.devices.device import FittedDevice
from reboard.devices.examination import TryOut
from reboard.devices.readers.presence import Tap
from reboard.devices.readers.reader import DROPPED_S, PortSlot, Slot
from reboard.devices.readers.reader_kind import (
    READER_KINDS,
    FileReader,
    InputReader,
    ReaderKind,
    SerialReader,
    UnaskedReader,
)
from reboard.devices.readers.reader_port import SerialPort
from reboard.events import Fault, Recovered
from reboard.finding import all_of, sentence
from reboard.vocabulary.declared import Event

ASK_S = 0.5
"""The time for which setup waits for an answer on all ports, in seconds. A PN532 answers within 0.1 s unless noise
destroys the command."""

GARBAGE_S = 0.25
"""The time without a valid frame after which setup takes stray bytes for those of another baud rate, in seconds. A
reader that repeats a card does so more often."""

KEYBOARD_S = 30.0
"""The longest time for which setup grabs keyboards, in seconds. The user may need a keyboard to answer."""

SEARCH, SEARCHED = "reader", "a card reader with a coil or antenna, or a USB reader that types"
"""The name and the description of the readers that setup finds by a card."""


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A card that was read: the *kind* of reader, the reader's device *file*, the card's *tag*, and the open *slot*."""

    kind: FileReader[Any]
    file: str
    tag: str
    slot: Slot


class AnyDecoder:
    """The decoder of a reader of any of *kinds*. *kind* is the kind that sent the latest tag."""

    def __init__(self, kinds: Iterable[UnaskedReader[Any]]) -> None:
        self._decoders = {kind: kind.decoder() for kind in kinds}
        [self.kind, *_] = self._decoders

    @property
    def frames(self) -> int:
        return max(decoder.frames for decoder in self._decoders.values())

    @property
    def dropped(self) -> int:
        return min(decoder.dropped for decoder in self._decoders.values())

    @property
    def stray_bytes(self) -> int:
        return min(decoder.stray_bytes for decoder in self._decoders.values())

    def feed(self, data: bytes) -> list[str]:
        found = {kind: decoder.feed(data) for kind, decoder in self._decoders.items()}
        # digits without a frame can be found in a frame, too: their decoder has more stray bytes then
        for kind, decoder in self._decoders.items():
            if found[kind] and decoder.stray_bytes == self.stray_bytes and kind.is_sender(decoder):
                self.kind = kind
                return found[kind]
        return []


class ReaderDiscovery:
    """A search for the serial port or the input device whose reader reads a card. Must be closed.

    *faults* maps each device file that cannot be read to its fault, and *slots* each device file to the slot on it.
    """

    def __init__(self, devices: Devices) -> None:
        self.faults: dict[str, str] = {}
        self.slots: dict[str, Slot] = {}
        self._devices = devices
        self._read_card: asyncio.Future[ReadCard] = asyncio.get_running_loop().create_future()
        self._open = ExitStack()

    async def start(self, ports: Iterable[str], inputs: Iterable[str], others: Mapping[str, Sequence[str]]) -> None:
        """Open the serial *ports*, the input devices *inputs* and the *others*, and start reading cards.

        *others* has the files of other kinds, by the name of the kind. Each file is first tried with the kinds that
        answer. If none answers within `ASK_S`, a port is tried with the kinds that send tags unasked, one baud rate
        after the other.
        """
        kinds = READER_KINDS.values()
        for file, kind in product(inputs, kinds):
            if isinstance(kind, InputReader):
                self._open_kind(kind, file)
        silent = [*ports]
        for kind in kinds:
            asked = silent if isinstance(kind, SerialReader) else others.get(kind.name, ())
            if not (isinstance(kind, FileReader) and kind.answers and (asked or asked is silent)):
                continue
            for file in asked:
                self._open_kind(kind, file)
            await asyncio.sleep(ASK_S)
            still = [file for file in asked if not self.slots[file].heard.frames]
            for file in still:
                self.slots[file].close()
            silent = still if asked is silent else silent
        for file in silent:
            self._open.callback(asyncio.create_task(self._listen(file)).cancel)

    async def first_card(self) -> ReadCard:
        """Wait for the first card that is read, and return it."""
        return await asyncio.shield(self._read_card)

    def close(self) -> None:
        """Close all ports and input devices."""
        self._read_card.cancel()
        self._open.close()

    async def _listen(self, file: str) -> None:
        rates: dict[int, list[UnaskedReader[Any]]] = {}
        for kind in READER_KINDS.values():
            if isinstance(kind, UnaskedReader):
                rates.setdefault(kind.baud_rate, []).append(kind)
        # stray bytes without a valid frame are those of another baud rate, or of a reader with a fault: when each rate
        # had them, each gets the time in which its slot finds that fault
        patience = chain(repeat(GARBAGE_S, len(rates)), repeat(GARBAGE_S + DROPPED_S))
        self._forget(file)
        for (rate, kinds), patience_s in zip(cycle(rates.items()), patience, strict=False):
            decoder, emit = AnyDecoder(kinds), partial(self._keep_fault, file)
            slot = PortSlot("reader", SerialPort(file, rate, self._devices), decoder, Tap(), emit, "reader")
            self._start(slot, file, decoder)
            while len(rates) == 1 or slot.heard.frames or patience_s > 0:
                await asyncio.sleep(GARBAGE_S)
                if slot.heard.bytes:
                    self.slots[file] = slot
                    patience_s -= GARBAGE_S
            slot.close()

    def _open_kind(self, kind: FileReader[Any], file: str) -> None:
        self._forget(file)
        config, emit = kind.at(file), partial(self._keep_fault, file)
        self._start(kind.open(config, "reader", self._devices, emit), file, kind)

    def _start(self, slot: Slot, file: str, source: FileReader[Any] | AnyDecoder) -> None:
        self.slots.setdefault(file, slot)
        self._open.enter_context(closing(slot))
        slot.start(partial(self._read, source, file, slot), lambda _: None)

    def _forget(self, file: str) -> None:
        self.faults.pop(file, None)
        self.slots.pop(file, None)

    def _read(self, source: FileReader[Any] | AnyDecoder, file: str, slot: Slot, tag: str) -> None:
        if not self._read_card.done():
            kind = source.kind if isinstance(source, AnyDecoder) else source
            self._read_card.set_result(ReadCard(kind, file, tag, slot))

    def _keep_fault(self, file: str, event: Event) -> None:
        if isinstance(event, Fault):
            self.faults[file] = event.cause
        elif isinstance(event, Recovered):
            self.faults.pop(file, None)


async def try_out_slot(device: FittedDevice[Any, Any], work: TryOut) -> dict[str, object] | None:
    """Find the reader of a slot, and return the slot's setting; see `DeviceKind.try_out`."""
    asked = {kind.choice[0]: kind for kind in READER_KINDS.values() if kind.choice}
    choices = {SEARCH: SEARCHED, **dict(kind.choice for kind in asked.values() if kind.choice)}
    present = _present(device, work)
    default = present.choice[0] if present and present.choice else SEARCH
    if (chosen := await work.prompts.choose("What is in the slot?", choices, default)) != SEARCH:
        return await asked[chosen].try_out(device, work)
    while (found := await _find_reader(device, work)) is None:
        if not await work.prompts.yes("Try again?"):
            return None
    card, setting = found
    return {**setting, **await card.kind.setting_at(card.file, device, work)}


def _present(device: FittedDevice[Any, Any], work: TryOut) -> ReaderKind[Any] | None:
    """Return the kind of reader in the config, or ``None`` if there is none."""
    return READER_KINDS.get(str(work.setting(f"{device.label}.reader")))


async def _find_reader(device: FittedDevice[Any, Any], work: TryOut) -> tuple[ReadCard, dict[str, object]] | None:
    prompts = work.prompts
    inputs = await _inputs(device, work)
    ports = [] if inputs else _serial_ports(device, work)
    others = {} if inputs else _other_files(device, work)
    if not ports and not inputs and not others:
        prompts.say(
            "There is no free serial port. Plug the reader in, or switch the header's serial port on "
            "(`sudo reboard setup boot`, then `sudo reboot`)."
        )
        _advise_on_missing_files(work)
        return None
    with closing(ReaderDiscovery(work.board)) as discovery:
        prompts.say("Looking for readers.")
        await discovery.start(ports, inputs, others)
        card = None
        with suppress(TimeoutError):
            async with asyncio.timeout(KEYBOARD_S if inputs else None):
                card = await prompts.until(
                    f"Hold a card to the {device.title} now. If nothing happens, lift the card and hold it "
                    "there again. Press Enter to stop.",
                    discovery.first_card(),
                )
        if card:
            prompts.say(f"The {card.kind.name} reader on {card.file} read the card {card.tag}.")
            return card, await card.kind.found(card.slot, prompts)
        prompts.say("No card was read.")
        heard = {file for file, slot in discovery.slots.items() if slot.heard.bytes}
        if silent := [port for port in ports if port not in {*heard, *discovery.faults}]:
            advice = " ".join(kind.if_silent for kind in READER_KINDS.values() if kind.if_silent)
            prompts.say(f"Nothing arrived on {all_of(silent)}. {advice}")
        for file, slot in discovery.slots.items():
            if file in discovery.faults:
                prompts.say(sentence(discovery.faults[file]))
            if slot.heard.bytes:
                prompts.say(f"{file} has received {slot.heard}.")
            holders = [*map(str, work.host.holders(file))]
            if holders and holders[0] not in discovery.faults.get(file, ""):
                prompts.say(f"{file} is also open in {all_of(holders)}, which can take its data.")
        _advise_on_missing_files(work)
        return None


def _serial_ports(device: FittedDevice[Any, Any], work: TryOut) -> list[str]:
    """Return the serial ports that no other device uses, including the slot's port in the config if it exists."""
    ports = dict.fromkeys(work.host.serial_ports())
    present = work.setting(f"{device.label}.port")
    if present and work.host.has(present):
        ports[work.host.real(present)] = None
    return [port for port in ports if port not in work.files_of_others(device.label)]


def _other_files(device: FittedDevice[Any, Any], work: TryOut) -> Mapping[str, Sequence[str]]:
    """Return the files of other kinds that no other device uses, by the name of the kind."""
    kinds = [kind for kind in READER_KINDS.values() if isinstance(kind, FileReader) and kind.pattern]
    others = work.files_of_others(device.label)
    found = {kind.name: [file for file in work.host.named(kind.pattern) if file not in others] for kind in kinds}
    return {name: files for name, files in found.items() if files}


def _advise_on_missing_files(work: TryOut) -> None:
    for kind in READER_KINDS.values():
        if kind.if_no_file and not work.host.named(kind.pattern):
            work.prompts.say(kind.if_no_file)


async def _inputs(device: FittedDevice[Any, Any], work: TryOut) -> list[str]:
    """Return the keyboards that no other device uses, or an empty list if the reader does not type."""
    files = work.host.named("/dev/input/by-path/*-event-kbd")
    if not files:
        return []
    question = (
        "Is it a USB reader that types like a keyboard? (If so, no keyboard works on this machine for half a minute.)"
    )
    if not await work.prompts.yes(question, isinstance(_present(device, work), InputReader)):
        return []
    others = work.files_of_others(device.label)
    return [file for file in files if work.host.real(file) not in others]
