from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from reboard.board import SerialLine
from reboard.parts.slots.pn532 import WAKE_UP
from reboard.parts.slots.pn532_frames import ACK, command
from reboard_sim.readers.pn532 import VirtualPn532, frame_of
from reboard_sim.readers.virtual_reader import NoSuchCardError
from reboard_sim.serial_line import VirtualSerialLine
from reboard_sim.virtual_time import run

SAM = command(b"\x14\x01")
GET_FIRMWARE = command(b"\x02")
LOOK = command(b"\x4a\x01\x00")
CONFIGURED = frame_of(b"\x15")
FIRMWARE = bytes.fromhex("0000FF06FAD50332010607E800")
CARD = "3A5CBBE5D5"
FOUND = bytes.fromhex("0000FF0CF4D54B0101000408045CBBE5D5FD00")


class Host:
    """Somebody at the firmware's end of the line."""

    def __init__(self, reader: VirtualPn532, line: SerialLine) -> None:
        self.reader = reader
        self.line = line

    async def hears(self, *said: bytes, within_s: float = 0.1) -> bytes:
        """What is answered to *said* within some time."""
        for data in said:
            self.line.write(data)
        await asyncio.sleep(within_s)
        return self.line.read(1000)


def with_chip(story: Callable[[Host], Awaitable[None]]) -> None:
    failed: list[object] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
        line = VirtualSerialLine()
        reader = VirtualPn532(line, rng=random.Random(1))
        try:
            await story(Host(reader, line.open(115_200)))
        finally:
            reader.close()
            reader.close()

    run(main)
    assert not failed, "a callback raised"


def test_it_sleeps_until_it_is_woken() -> None:
    async def story(host: Host) -> None:
        assert await host.hears(SAM) == b""
        assert await host.hears(b"\x55\x55" + SAM) == b"", "its clock does not run yet"

    with_chip(story)


def test_woken_and_configured_it_answers_in_the_bytes_of_a_real_one() -> None:
    async def story(host: Host) -> None:
        assert await host.hears(WAKE_UP + SAM) == ACK + CONFIGURED
        assert await host.hears(GET_FIRMWARE) == ACK + FIRMWARE
        host.reader.put(CARD)
        assert await host.hears(LOOK) == ACK + FOUND

    with_chip(story)


def test_it_looks_for_nothing_before_it_is_configured() -> None:
    async def story(host: Host) -> None:
        host.reader.put(CARD)
        assert await host.hears(WAKE_UP + LOOK) == b""
        assert await host.hears(SAM) == ACK + CONFIGURED

    with_chip(story)


def test_a_question_is_pending_until_a_card_comes_and_is_answered_once() -> None:
    async def story(host: Host) -> None:
        await host.hears(WAKE_UP + SAM)
        assert await host.hears(LOOK, within_s=600) == ACK
        host.reader.put(CARD)
        assert await host.hears() == FOUND
        assert await host.hears(within_s=600) == b""

    with_chip(story)


@pytest.mark.parametrize("instead", [ACK, GET_FIRMWARE])
def test_a_pending_question_is_given_up_for_an_ack_or_another_one(instead: bytes) -> None:
    async def story(host: Host) -> None:
        await host.hears(WAKE_UP + SAM, LOOK)
        await host.hears(instead)
        host.reader.put(CARD)
        assert await host.hears() == b""

    with_chip(story)


def test_a_question_asked_anew_is_answered_once() -> None:
    async def story(host: Host) -> None:
        await host.hears(WAKE_UP + SAM, LOOK)
        host.reader.put(CARD)
        assert (await host.hears(ACK + LOOK)).count(FOUND[5:]) == 1

    with_chip(story)


@pytest.mark.parametrize(
    "damaged",
    [LOOK[:-2] + b"\xe2\x00", LOOK[:3] + b"\x05" + LOOK[4:], LOOK[:7], LOOK[:6] + LOOK[7:], command(b""), b"\x00" * 50],
)
def test_a_damaged_command_is_not_heard_and_the_next_one_is(damaged: bytes) -> None:
    async def story(host: Host) -> None:
        await host.hears(WAKE_UP + SAM)
        assert await host.hears(damaged) == b""
        assert await host.hears(ACK + GET_FIRMWARE) == ACK + FIRMWARE

    with_chip(story)


def test_a_command_may_come_byte_by_byte() -> None:
    async def story(host: Host) -> None:
        await host.hears(WAKE_UP + SAM)
        assert await host.hears(*(bytes([byte]) for byte in GET_FIRMWARE)) == ACK + FIRMWARE

    with_chip(story)


def test_without_power_it_forgets_everything_and_the_line_stays() -> None:
    async def story(host: Host) -> None:
        await host.hears(WAKE_UP + SAM)
        host.reader.power(False)
        assert await host.hears(WAKE_UP + SAM) == b""
        host.reader.power(True)
        assert await host.hears(GET_FIRMWARE) == b""
        assert await host.hears(WAKE_UP + SAM) == ACK + CONFIGURED

    with_chip(story)


def test_a_plug_that_is_in_cannot_be_put_in() -> None:
    async def story(host: Host) -> None:
        await host.hears(WAKE_UP + SAM)
        host.reader.plug()
        assert await host.hears(GET_FIRMWARE) == ACK + FIRMWARE

    with_chip(story)


@pytest.mark.parametrize(
    ("card", "uid"),
    [(CARD, "5CBBE5D5"), ("04A1B2C3D4E5F6", "04A1B2C3D4E5F6"), ("04A1B2C3D4E5F6A7B8C9", "04A1B2C3D4E5F6A7B8C9")],
)
def test_a_card_is_known_by_its_uid(card: str, uid: str) -> None:
    assert VirtualPn532.says(card.lower()) == uid


@pytest.mark.parametrize("card", ["", "5CBBE5D5", "bumps-5", CARD + "00"])
def test_what_is_no_card_is_refused(card: str) -> None:
    async def story(host: Host) -> None:
        with pytest.raises(NoSuchCardError, match="ten hex digits"):
            host.reader.put(card)
        assert host.reader.card is None

    with_chip(story)


def test_noise_is_heard_both_ways_and_ends() -> None:
    async def story(host: Host) -> None:
        await host.hears(WAKE_UP + SAM)
        host.reader.noise(True)
        heard = [await host.hears(ACK + GET_FIRMWARE) for _ in range(200)]
        assert 20 < sum(FIRMWARE not in each for each in heard) < 100, "some were lost, most were not"
        host.reader.noise(False)
        await host.hears()
        assert await host.hears(ACK + GET_FIRMWARE) == ACK + FIRMWARE
        assert await host.hears(within_s=60) == b""

    with_chip(story)


def test_a_flickering_card_is_found_now_and_then() -> None:
    async def story(host: Host) -> None:
        await host.hears(WAKE_UP + SAM)
        host.reader.put(CARD)
        host.reader.flicker(True)
        found = [FOUND in await host.hears(LOOK, within_s=0.05) for _ in range(200)]
        assert 60 < sum(found) < 180

    with_chip(story)
