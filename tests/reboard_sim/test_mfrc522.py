"""The virtual MFRC522 under drivers that others wrote, unchanged: the packages of the group ``public-drivers``."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from random import Random
from typing import Any, cast

import pytest

from reboard.devices.readers.iso14443 import SELECT, WAKE_UP, WHOLE, with_crc
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.readers.mfrc522 import VirtualMfrc522
from reboard_sim.devices.readers.nfc_card import HALT, REQUEST, START_S, NfcCard, bits_of, parts_of
from reboard_sim.script.modules.installed import libraries
from reboard_sim.script.modules.machine import Machine

FOUR, SEVEN = bytes.fromhex("5CBBE5D5"), bytes.fromhex("04E716D22F6680")


@pytest.fixture
def chip() -> Iterator[VirtualMfrc522]:
    """Yield the chip that programs reach on SPI bus 0."""
    passed = count()
    chip = VirtualMfrc522(lambda: next(passed) * 1e-4, rng=Random(1))
    board = VirtualBoard(lambda: 0.0, Random(1))
    board.add_spi_device(0, 0, chip.transfer)
    with libraries(Machine(board, cast(VirtualSoundCard, None))):
        yield chip
    board.pins.close()


def driver(package: str, module: str) -> Any:
    try:
        version(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    return import_module(module)


def test_only_halt_keeps_a_card_from_answering_a_request() -> None:
    card = NfcCard(FOUR)
    card.enter(0)

    def answers(data: bytes, bits: int | None = None) -> bool:
        return bool(card.answer(bits_of(data)[:bits], START_S))

    def select() -> None:
        assert answers(REQUEST, 7)
        assert answers(with_crc(bytes([SELECT[0], WHOLE]) + parts_of(FOUR)[0]))

    select()
    assert not answers(with_crc(b"\x30\x00"))
    select()
    assert not answers(HALT)
    assert not answers(REQUEST, 7)
    assert answers(WAKE_UP, 7)


def test_mfrc522_from_pypi_reads_a_card(chip: VirtualMfrc522) -> None:
    reader = driver("mfrc522", "mfrc522.MFRC522").MFRC522()
    assert reader.MFRC522_Request(reader.PICC_REQIDL)[0] == reader.MI_ERR
    card = NfcCard(FOUR, start_s=0)
    chip.put(card)
    assert reader.MFRC522_Request(reader.PICC_REQIDL) == (reader.MI_OK, 0x10)
    status, uid = reader.MFRC522_Anticoll()
    assert (status, bytes(uid[:4])) == (reader.MI_OK, FOUR)
    assert reader.MFRC522_SelectTag(uid) == 0x08
    chip.take(card)
    assert reader.MFRC522_Request(reader.PICC_REQIDL)[0] == reader.MI_ERR


@pytest.mark.parametrize("uid", [FOUR, SEVEN])
def test_pi_rc522_from_pypi_reads_a_card(chip: VirtualMfrc522, uid: bytes) -> None:
    reader = driver("pi-rc522", "pirc522.rfid").RFID(pin_irq=None)
    assert reader.request()[0]
    chip.put(NfcCard(uid, start_s=0))
    assert bytes(reader.read_id()[: len(uid)]) == uid


def test_two_cards_collide(chip: VirtualMfrc522) -> None:
    reader = driver("pi-rc522", "pirc522.rfid").RFID(pin_irq=None)
    for uid in (FOUR, bytes.fromhex("5CBBE5D6")):
        chip.put(NfcCard(uid, start_s=0))
    reader.request()
    assert reader.anticoll()[0]
