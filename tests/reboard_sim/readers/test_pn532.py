from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from reboard.board import SerialLine
from reboard.devices.readers.pn532 import ACK, WAKE_UP, command
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.readers.pn532 import VirtualPn532, frame_of
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


def test_a_question_is_pending_until_a_card_comes_and_is_answered_once() -> None:
    async def story(host: Host) -> None:
        await host.hears(WAKE_UP + SAM)
        assert await host.hears(LOOK, within_s=600) == ACK
        host.reader.put(CARD)
        assert await host.hears() == FOUND
        assert await host.hears(within_s=600) == b""

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
