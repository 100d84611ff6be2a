"""The RC522, on virtual chips: its driver says which card is in which slot, and what is wrong with the reader."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import cast

import pytest

from reboard.aiotools import until_multiple_of
from reboard.board import SPI_HZ, SpiDevice
from reboard.devices.readers.kinds.rc522 import FIELD_S, KIND, LOOK_S, Rc522, Rc522Config
from reboard.errors import MissingExtraError
from reboard.vocabulary.declared import Event
from reboard_sim.board.pins import VirtualPins
from reboard_sim.board.spi import Transfer, VirtualSpiDevice
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.readers.nfc_card import NfcCard
from reboard_sim.devices.readers.rc522 import VirtualRc522
from reboard_sim.virtual_time import VirtualTimeLoop

CARD, OTHER = "3A5CBBE5D5", "04E716D22F6680"
SIDES = ("left", "right")


class Bench:
    """A bus with two readers and a slot for each. *calls* has all callbacks and faults."""

    def __init__(self, seed: int = 1) -> None:
        self.rng = Random(seed)
        self.pins = VirtualPins(asyncio.get_running_loop().time)
        self.spi: list[VirtualSpiDevice] = []
        self.opened = self.failed = 0
        self.error: Exception | None = None
        configs = [Rc522Config("rc522", chip_select=select) for select in (0, 1)]
        readers = [VirtualRc522(config, cast(VirtualBoard, self)) for config in configs]
        self.devices: dict[str, VirtualDevice] = dict(zip(SIDES, readers, strict=True))
        self.left, self.right = self.readers = readers
        self.calls: list[tuple[str, str]] = []
        self.slots: list[Rc522] = []
        for side, config in zip(SIDES, configs, strict=True):
            slot = KIND.open(config, side, self, self.emit)  # type: ignore[arg-type]
            slot.start(lambda tag, side=side: self.calls.append((f"{side} in", tag)),  # type: ignore[misc]
                       lambda tag, side=side: self.calls.append((f"{side} out", tag)))  # type: ignore[misc]  # fmt: skip
            self.slots.append(slot)

    def add_spi_device(self, bus: int, chip_select: int, transfer: Transfer) -> VirtualSpiDevice:
        self.spi.append(VirtualSpiDevice(transfer))
        return self.spi[-1]

    def open_spi(self, bus: int, chip_select: int, hz: int = SPI_HZ) -> SpiDevice:
        if self.error:
            self.failed += 1
            raise self.error
        self.opened += 1
        return self.spi[chip_select].open()

    def emit(self, event: Event) -> None:
        fields = event.as_json()
        self.calls.append((f"{fields['part']} {event.event}", str(fields.get("cause", ""))))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.calls]


@asynccontextmanager
async def bench(seed: int = 1) -> AsyncIterator[Bench]:
    it = Bench(seed)
    yield it
    for slot in it.slots:
        slot.close()


@pytest.mark.parametrize("seed", range(3))
async def test_every_card_is_reported_once_in_its_slot(seed: int) -> None:
    rng = Random(seed)
    async with bench(seed) as it:
        deck = [(b"\x04" + rng.randbytes(rng.choice([4, 6]))).hex().upper() for _ in range(6)]
        expected = []
        for reader in it.readers:
            reader.noise(rng.random() < 0.3)
            reader.flicker(rng.random() < 0.5)
        for _ in range(40):
            place = rng.randrange(2)
            reader, side = it.readers[place], SIDES[place]
            if card := reader.card:
                reader.take()
                deck.append(card)
            else:
                card = deck.pop(rng.randrange(len(deck)))
                reader.put(card)
            expected.append((f"{side} {'in' if reader.card else 'out'}", reader.says(card)))
            await asyncio.sleep(rng.uniform(2, 3))
        assert it.calls == expected


async def test_the_fields_are_on_by_turns_and_rarely() -> None:
    async with bench() as it:
        it.left.put(CARD)
        it.right.put(OTHER)
        on = [0, 0]
        for _ in range(20_000):
            await asyncio.sleep(0.0005)
            fields = [reader.chip.has_field for reader in it.readers]
            assert not all(fields)
            on = [count + is_on for count, is_on in zip(on, fields, strict=True)]
        assert sorted(it.names) == ["left in", "right in"]
        assert all(0.05 < count / 20_000 < 0.2 for count in on), on


async def test_the_fields_are_on_by_turns_even_if_the_event_loop_is_blocked() -> None:
    loop, rng = cast(VirtualTimeLoop, asyncio.get_running_loop()), Random(2)
    async with bench() as it:
        it.left.put(CARD)
        it.right.put(OTHER)
        for _ in range(20_000):
            await asyncio.sleep(0.0005)
            assert not all(reader.chip.has_field for reader in it.readers)
            if rng.random() < 0.02:
                loop.clock.move_on(loop.time() + rng.choice([0.03, 0.05, 0.08]))
        assert sorted(it.names) == ["left in", "right in"]


async def test_a_slot_that_is_closed_during_a_look_looks_no_more() -> None:
    async with bench() as it:
        await asyncio.sleep(until_multiple_of(LOOK_S) + FIELD_S / 2)
        assert it.left.chip.has_field
        it.slots[0].close()
        it.left.put(CARD)
        for _ in range(2000):
            assert not it.left.chip.has_field
            await asyncio.sleep(0.0005)
        assert it.calls == []


@pytest.mark.parametrize("uid", ["00000000", "08BBE5D5"])
async def test_a_uid_that_no_card_has_is_no_card(uid: str) -> None:
    async with bench() as it:
        it.left.put(f"3A{uid}")
        await asyncio.sleep(5)
        assert it.calls == []
        assert it.slots[0].description == "RC522 (MFRC522 2.0) on /dev/spidev0.0"


@pytest.mark.parametrize(
    ("fault", "ailing", "words"),
    [
        ("reader", "left", "does not answer: check SDA"),
        ("miso", "right", "that reader holds the line"),
        ("hung", "left", "hangs"),
        ("brownout", "left", "loses its settings"),
    ],
)
async def test_a_reader_that_fails_is_named_and_recovers(fault: str, ailing: str, words: str) -> None:
    async with bench() as it:
        it.devices[ailing].acts()["insert"](CARD)
        await asyncio.sleep(1)
        it.left.faults()[fault](True)
        await asyncio.sleep(2)
        it.left.faults()[fault](False)
        await asyncio.sleep(1)
        assert it.names == [f"{ailing} {what}" for what in ("in", "fault", "out", "recovered", "in")]
        assert words in it.calls[1][1]


async def test_a_short_failure_and_a_deaf_chip_cost_no_card() -> None:
    async with bench() as it:
        it.left.put(CARD)
        await asyncio.sleep(1)
        for fault, after_s in (*[("deaf", 1.3)] * 4, ("brownout", 0.2), ("reader", 0.2), ("hung", 0.2)):
            it.left.faults()[fault](True)
            await asyncio.sleep(after_s)
            it.left.faults()[fault](False)
            await asyncio.sleep(2)
        assert it.names == ["left in"]
        it.right.faults()["deaf"](True)
        await asyncio.sleep(2)
        it.right.put(OTHER)
        await asyncio.sleep(1)
        assert it.names == ["left in", "right in"]


async def test_damaged_answers_keep_the_card_and_are_a_fault() -> None:
    async with bench() as it:
        it.left.put(CARD)
        await asyncio.sleep(1)
        it.left.garble(True)
        await asyncio.sleep(5)
        assert it.names == ["left in", "left fault"]
        it.left.garble(False)
        await asyncio.sleep(1)
        assert it.names == ["left in", "left fault", "left recovered"]
        it.left.chip.put(NfcCard(bytes.fromhex("04030201")))
        await asyncio.sleep(5)
        assert "one card at a time" in it.calls[-1][1]


async def test_a_field_that_reaches_the_other_slot_reads_its_card() -> None:
    async with bench() as it:
        it.right.put(CARD)
        it.left.faults()["neighbour"](True)
        await asyncio.sleep(2)
        assert sorted(it.names) == ["left in", "right in"]


async def test_slots_at_rest_look_rarely_and_together_until_a_card_or_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, wake_ups = cast(VirtualTimeLoop, asyncio.get_running_loop()).clock, 0
    move_on = clock.move_on

    def wake_up(instant: float) -> None:
        nonlocal wake_ups
        wake_ups += 1
        move_on(instant)

    monkeypatch.setattr(clock, "move_on", wake_up)
    async with bench() as it:
        [slot, _] = it.slots
        it.left.put(CARD)

        async def looks_in(seconds: float) -> int:
            nonlocal wake_ups
            before, wake_ups = slot.heard.frames, 0
            await asyncio.sleep(seconds)
            return slot.heard.frames - before

        assert 95 <= await looks_in(10) <= 101
        await asyncio.sleep(60)
        assert await looks_in(100) == 40
        assert 40 <= wake_ups <= 42, "the service's watchdog wakes the Pi as often"
        slot.touched()
        assert 9 <= await looks_in(1) <= 10
        await asyncio.sleep(60)
        it.left.take()
        await asyncio.sleep(3.2)
        assert it.names == ["left in", "left out"]
        assert 95 <= await looks_in(10) <= 101
        await asyncio.sleep(60)
        it.left.put(OTHER)
        await asyncio.sleep(2.6)
        assert it.names == ["left in", "left out", "left in"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOENT, "missing"), "dtparam=spi=on"),
        (
            MissingExtraError("the SPI bus", "pi", ModuleNotFoundError(name="spidev"), package="python3-spidev"),
            "spidev",
        ),
    ],
)
async def test_a_bus_that_cannot_be_opened_is_a_fault_until_it_opens(error: Exception, words: str) -> None:
    async with bench() as it:
        it.error = error
        await asyncio.sleep(10)
        assert it.failed <= 2 * 10 * len(it.slots), "each try imports the library anew, if it is missing"
        assert it.names == ["left fault", "right fault"]
        assert words in it.calls[0][1]
        it.error = None
        await asyncio.sleep(1)
        assert (it.names[2:], it.opened) == (["left recovered", "right recovered"], 2)
