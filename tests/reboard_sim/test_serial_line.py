from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
import serial

from reboard_sim.serial_line import BUFFER_BYTES, REMEMBERED, VirtualSerialLine
from reboard_sim.virtual_time import run


def with_line(story: Callable[[VirtualSerialLine], Awaitable[None]]) -> None:
    async def main() -> None:
        line = VirtualSerialLine()
        try:
            await story(line)
        finally:
            line.close()
            line.close()

    run(main)


def test_what_was_sent_can_be_read_at_once_every_time() -> None:
    async def story(line: VirtualSerialLine) -> None:
        firmware = line.open(9600)
        for n in range(2000):
            data = n.to_bytes(2, "big") * 7
            line.send(data)
            assert firmware.read(256) == data
        firmware.close()

    with_line(story)


def test_a_second_transmission_on_top_of_an_unread_one_can_be_read_at_once() -> None:
    async def story(line: VirtualSerialLine) -> None:
        firmware = line.open(9600)
        for _ in range(100):
            line.send(b"one ")
            line.send(b"two ")
            line.send(b"three")
            assert firmware.read(256) == b"one two three"
        firmware.close()

    with_line(story)


def test_all_bytes_arrive_unchanged() -> None:
    async def story(line: VirtualSerialLine) -> None:
        firmware = line.open(9600)
        line.send(bytes(range(256)))
        assert firmware.read(300) == bytes(range(256))
        firmware.close()

    with_line(story)


def test_virtual_time_does_not_run_past_what_was_sent() -> None:
    async def story(line: VirtualSerialLine) -> None:
        loop = asyncio.get_running_loop()
        firmware = line.open(9600)
        read_at: list[float] = []

        def read() -> None:
            firmware.read(256)
            read_at.append(loop.time())

        loop.add_reader(firmware.fileno(), read)
        sent_at = [0.065 * n for n in range(1, 500)]
        for t in sent_at:
            loop.call_at(t, line.send, b"x" * 14)
        await asyncio.sleep(60)
        assert read_at == sent_at
        loop.remove_reader(firmware.fileno())
        firmware.close()

    with_line(story)


def test_an_unplugged_line_hangs_up_on_the_firmware_as_a_real_one_does() -> None:
    async def story(line: VirtualSerialLine) -> None:
        loop = asyncio.get_running_loop()
        firmware = line.open(9600)
        hung_up = asyncio.Event()
        loop.add_reader(firmware.fileno(), hung_up.set)
        line.unplug()
        assert not line.is_plugged
        await hung_up.wait()
        loop.remove_reader(firmware.fileno())
        with pytest.raises(serial.SerialException):
            firmware.read(1)
        firmware.close()

    with_line(story)


def test_an_unplugged_line_cannot_be_opened_and_loses_what_is_sent() -> None:
    async def story(line: VirtualSerialLine) -> None:
        line.unplug()
        line.send(b"lost")
        assert list(line.traffic) == []
        with pytest.raises(FileNotFoundError):
            line.open(9600)

    with_line(story)


def test_plugged_in_again_it_works_again() -> None:
    async def story(line: VirtualSerialLine) -> None:
        line.unplug()
        line.plug()
        path = line.path
        line.plug()
        assert line.path == path
        assert line.is_plugged
        firmware = line.open(9600)
        line.send(b"here")
        assert firmware.read(256) == b"here"
        firmware.close()

    with_line(story)


def test_a_line_is_opened_by_one_at_a_time() -> None:
    async def story(line: VirtualSerialLine) -> None:
        firmware = line.open(9600)
        with pytest.raises(OSError, match="lock"):
            line.open(9600)
        firmware.close()
        line.open(9600).close()

    with_line(story)


def test_anybody_can_open_the_path() -> None:
    async def story(line: VirtualSerialLine) -> None:
        firmware = serial.Serial(line.path, 9600, timeout=0)
        line.send(b"hello")
        assert firmware.read(256) == b"hello"
        firmware.close()

    with_line(story)


def test_what_nobody_reads_is_lost_when_the_buffer_is_full() -> None:
    async def story(line: VirtualSerialLine) -> None:
        firmware = line.open(9600)
        for _ in range(1000):
            line.send(b"x" * 14)
        assert line.overruns == 1000 - BUFFER_BYTES // 14
        assert len(firmware.read(BUFFER_BYTES)) == BUFFER_BYTES // 14 * 14
        line.send(b"again")
        assert firmware.read(256) == b"again"
        firmware.close()

    with_line(story)


def test_traffic_is_kept_with_its_time_and_bounded() -> None:
    async def story(line: VirtualSerialLine) -> None:
        await asyncio.sleep(1.5)
        line.send(b"hello")
        line.listen(lambda data: line.send(data.upper()))
        firmware = line.open(9600)
        await asyncio.sleep(1)
        firmware.write(b"ping")
        await asyncio.sleep(0)
        assert list(line.traffic) == [
            (1.5, b"hello", "reader", False),
            (2.5, b"ping", "firmware", False),
            (2.5, b"PING", "reader", False),
        ]
        firmware.close()
        for _ in range(5000):
            line.send(b"")
        assert len(line.traffic) == REMEMBERED


def test_what_was_lost_because_nobody_read_is_told_as_lost() -> None:
    async def story(line: VirtualSerialLine) -> None:
        line.send(bytes(BUFFER_BYTES))
        line.send(b"!")
        assert [said.is_lost for said in line.traffic] == [False, True]

    with_line(story)


def test_what_the_firmware_writes_is_heard_before_virtual_time_moves_on() -> None:
    async def story(line: VirtualSerialLine) -> None:
        loop = asyncio.get_running_loop()
        heard: list[tuple[float, bytes]] = []
        line.listen(lambda data: heard.append((loop.time(), data)))
        firmware = line.open(115_200)
        written = []
        for n in range(1000):
            data = n.to_bytes(2, "big") * 9
            firmware.write(data)
            written.append((loop.time(), data))
            await asyncio.sleep(0.065)
        assert heard == written
        firmware.close()

    with_line(story)


def test_a_line_is_heard_again_after_it_was_plugged_in_again() -> None:
    async def story(line: VirtualSerialLine) -> None:
        heard: list[bytes] = []
        line.listen(heard.append)
        before = line.open(115_200)
        line.unplug()
        with pytest.raises(OSError, match="write failed"):
            before.write(b"lost")
        line.plug()
        firmware = line.open(115_200)
        firmware.write(b"here")
        await asyncio.sleep(0.001)
        assert heard == [b"here"]
        before.close()
        firmware.close()

    with_line(story)
