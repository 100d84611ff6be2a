"""The virtual readers behave on their lines as real ones do."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import pairwise, product

import pytest

from reboard.board import SerialLine
from reboard.devices.readers.card_tags import mixed_readers
from reboard.devices.readers.em4100 import RDM6300_END
from reboard.devices.readers.kinds.pn532 import ACK, WAKE_UP, command
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.readers import em4100
from reboard_sim.devices.readers.pn532 import VirtualPn532, frame_of
from reboard_sim.devices.readers.rdm6300 import VirtualRdm6300
from reboard_sim.devices.readers.virtual_reader import DECK, virtual_reader
from tests.virtual import now

CARD = "3A5CBBE5D5"

SAYS = {kind: reader.says for kind in READER_KINDS if (reader := virtual_reader(kind))}


@pytest.mark.parametrize(("left", "right"), [*product(SAYS, SAYS)])
def test_a_pair_gets_a_warning_unless_a_card_has_one_tag_in_both(left: str, right: str) -> None:
    has_one_tag = SAYS[left](DECK[0]) == SAYS[right](DECK[0])
    assert (mixed_readers(left, right) is None) == has_one_tag


async def frames_of_an_rdm6300(act: Callable[[VirtualRdm6300], Awaitable[None]]) -> list[float]:
    """Return the times of the frames that the reader sends during *act*."""
    line = VirtualSerialLine()
    reader = VirtualRdm6300(line, rng=random.Random(1))
    await act(reader)
    reader.close()
    await asyncio.sleep(1)
    line.close()
    assert {said.data for said in line.traffic} == {em4100.frame_of(DECK[0], RDM6300_END)}
    return [round(said.t, 6) for said in line.traffic]


async def test_an_rdm6300_repeats_a_card_every_65_milliseconds_while_it_is_there() -> None:
    async def act(reader: VirtualRdm6300) -> None:
        await asyncio.sleep(1)
        reader.put(DECK[0])
        await asyncio.sleep(0.2)
        reader.take()

    assert await frames_of_an_rdm6300(act) == [1, 1.065, 1.13, 1.195]


async def test_a_flickering_card_is_missed_half_the_time_but_never_for_over_a_quarter_of_a_second() -> None:
    async def act(reader: VirtualRdm6300) -> None:
        reader.flicker(True)
        reader.put(DECK[0])
        await asyncio.sleep(50)

    times = await frames_of_an_rdm6300(act)
    assert {round(b - a, 3) for a, b in pairwise(times)} == {0.065, 0.13, 0.195, 0.26}
    assert 300 < len(times) < 500, "of 770"


SAM = command(b"\x14\x01")
GET_FIRMWARE = command(b"\x02")
LOOK = command(b"\x4a\x01\x00")
CONFIGURED = frame_of(b"\x15")
FIRMWARE = bytes.fromhex("0000FF06FAD50332010607E800")
FOUND = bytes.fromhex("0000FF0CF4D54B0101000408045CBBE5D5FD00")


@asynccontextmanager
async def pn532() -> AsyncIterator[tuple[VirtualPn532, Callable[..., Awaitable[bytes]]]]:
    """Yield the chip, and a function that sends bytes and returns the answer."""
    line = VirtualSerialLine()
    reader = VirtualPn532(line, rng=random.Random(1))
    host: SerialLine = line.open(115_200)

    async def ask(*sent: bytes, within_s: float = 0.1) -> bytes:
        for data in sent:
            host.write(data)
        await asyncio.sleep(within_s)
        return host.read(1000)

    yield reader, ask
    reader.close()


async def test_a_pn532_sleeps_without_power_and_until_it_is_woken() -> None:
    async with pn532() as (reader, ask):
        assert await ask(SAM) == b""
        assert await ask(b"\x55\x55" + SAM) == b"", "its clock does not run yet"
        assert await ask(WAKE_UP + SAM) == ACK + CONFIGURED
        reader.power(False)
        assert await ask(WAKE_UP + SAM) == b""
        reader.power(True)
        assert await ask(GET_FIRMWARE) == b""
        assert await ask(WAKE_UP + SAM) == ACK + CONFIGURED


async def test_a_pn532_answers_in_the_bytes_of_a_real_one_and_once_for_each_question() -> None:
    async with pn532() as (reader, ask):
        await ask(WAKE_UP + SAM)
        assert await ask(GET_FIRMWARE) == ACK + FIRMWARE
        assert await ask(LOOK, within_s=600) == ACK
        reader.put(CARD)
        assert await ask() == FOUND
        assert await ask(within_s=600) == b""
        assert now() > 1200
