from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from reboard.parts.slots.rdm6300 import FRAME_END
from reboard_sim.deck import DECK
from reboard_sim.readers import em4100
from reboard_sim.readers.rdm6300 import VirtualRdm6300
from reboard_sim.readers.virtual_reader import NoSuchCardError
from reboard_sim.serial_line import VirtualSerialLine
from reboard_sim.virtual_time import run

SEED = 1


def frame_of(card: str) -> bytes:
    return em4100.frame_of(card, FRAME_END)


def traffic_of(story: Callable[[VirtualRdm6300, VirtualSerialLine], Awaitable[None]]) -> list[tuple[float, bytes]]:
    async def main() -> list[tuple[float, bytes]]:
        line = VirtualSerialLine()
        reader = VirtualRdm6300(line, rng=random.Random(SEED))
        await story(reader, line)
        reader.close()
        reader.close()
        before = len(line.traffic)
        await asyncio.sleep(1)
        assert len(line.traffic) == before, "it speaks after closing"
        line.close()
        return [(round(said.t, 6), said.data) for said in line.traffic]

    traffic: list[tuple[float, bytes]] = run(main)
    return traffic


def test_frames_are_those_of_real_readers() -> None:
    assert frame_of("62E3086CED") == bytes.fromhex("0236324533303836434544303803")
    assert frame_of("01000734e0") == bytes.fromhex("0230313030303733344530443203")


@pytest.mark.parametrize("tag", ["", "62E3086CE", "62E3086CED0", "62E3086CEX", "01 02 0304", "bumps-5"])
def test_what_is_no_tag_is_refused(tag: str) -> None:
    with pytest.raises(NoSuchCardError, match="ten hex digits"):
        frame_of(tag)


def test_the_deck_has_eight_different_cards() -> None:
    assert len({frame_of(tag) for tag in DECK}) == 8
    assert [tag.upper() for tag in DECK] == list(DECK)


def test_a_card_is_spoken_of_at_once_and_every_65_milliseconds_while_it_is_there() -> None:
    async def story(reader: VirtualRdm6300, line: VirtualSerialLine) -> None:
        await asyncio.sleep(1)
        reader.put(DECK[0])
        await asyncio.sleep(0.2)
        reader.take()
        assert reader.card is None
        await asyncio.sleep(1)

    frame = frame_of(DECK[0])
    assert traffic_of(story) == [(1, frame), (1.065, frame), (1.13, frame), (1.195, frame)]


def test_a_card_put_in_anothers_place_is_spoken_of_at_once() -> None:
    async def story(reader: VirtualRdm6300, line: VirtualSerialLine) -> None:
        reader.put(DECK[0])
        await asyncio.sleep(0.1)
        reader.put(DECK[1])
        assert reader.card == DECK[1]
        await asyncio.sleep(0.1)

    one, other = frame_of(DECK[0]), frame_of(DECK[1])
    assert traffic_of(story) == [(0, one), (0.065, one), (0.1, other), (0.165, other)]


def test_a_flickering_card_is_missed_half_the_time_but_never_for_over_a_quarter_of_a_second() -> None:
    async def story(reader: VirtualRdm6300, line: VirtualSerialLine) -> None:
        reader.flicker(True)
        reader.put(DECK[0])
        await asyncio.sleep(50)

    times = [t for t, _ in traffic_of(story)]
    gaps = [round(b - a, 3) for a, b in pairwise(times)]
    assert times[0] == 0
    assert set(gaps) == {0.065, 0.13, 0.195, 0.26}
    assert 300 < len(times) < 500, "of 770"


def test_noise_comes_without_a_card_in_many_kinds_and_is_never_a_frame() -> None:
    async def story(reader: VirtualRdm6300, line: VirtualSerialLine) -> None:
        reader.noise(True)
        await asyncio.sleep(50)
        reader.noise(False)
        await asyncio.sleep(10)

    traffic = traffic_of(story)
    assert 750 < len(traffic) < 790
    assert traffic[-1][0] <= 50
    assert {len(data) for _, data in traffic} == set(range(1, 15))
    assert not any(is_frame(data) for _, data in traffic)


def is_frame(data: bytes) -> bool:
    try:
        return data == frame_of(data[1:11].decode("ascii", "replace"))
    except ValueError:
        return False


def test_an_unplugged_reader_is_silent_and_speaks_of_its_card_when_it_is_back() -> None:
    async def story(reader: VirtualRdm6300, line: VirtualSerialLine) -> None:
        reader.put(DECK[0])
        await asyncio.sleep(0.1)
        line.unplug()
        await asyncio.sleep(1)
        line.plug()
        await asyncio.sleep(0.1)

    times = [t for t, _ in traffic_of(story)]
    assert times[:2] == [0, 0.065]
    assert 1.1 < times[2] < 1.17
