"""The virtual serial line keeps bytes, times and the size of its buffer."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest

from reboard_sim.board.serial_line import BUFFER_BYTES, VirtualSerialLine


async def test_virtual_time_does_not_run_past_what_was_sent() -> None:
    with closing(VirtualSerialLine()) as line, closing(line.open(9600)) as firmware:
        loop = asyncio.get_running_loop()
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


async def test_unread_bytes_are_lost_when_the_buffer_is_full() -> None:
    with closing(VirtualSerialLine()) as line, closing(line.open(9600)) as firmware:
        for _ in range(1000):
            line.send(b"x" * 14)
        assert line.overruns == 1000 - BUFFER_BYTES // 14
        assert len(firmware.read(BUFFER_BYTES)) == BUFFER_BYTES // 14 * 14
        line.send(b"again")
        assert firmware.read(256) == b"again"


async def test_what_the_firmware_writes_is_heard_before_virtual_time_moves_on() -> None:
    with closing(VirtualSerialLine()) as line, closing(line.open(115_200)) as firmware:
        loop = asyncio.get_running_loop()
        heard: list[tuple[float, bytes]] = []
        line.listen(lambda data: heard.append((loop.time(), data)))
        written = []
        for n in range(1000):
            data = n.to_bytes(2, "big") * 9
            firmware.write(data)
            written.append((loop.time(), data))
            await asyncio.sleep(0.065)
        assert heard == written


async def test_a_line_has_one_user_at_a_time_who_gets_a_hang_up_when_it_is_unplugged() -> None:
    with closing(VirtualSerialLine()) as line:
        first = line.open(9600)
        with pytest.raises(OSError, match="temporarily unavailable"):
            line.open(9600)
        first.close()
        line.send(b"to nobody")
        second = line.open(9600)
        first.close()
        assert second.read(100) == b""
        line.send(b"last")
        line.unplug()
        assert second.read(100) == b"last"
        with pytest.raises(OSError, match="Input/output"):
            second.read(100)
        with pytest.raises(OSError, match="Input/output"):
            second.write(b"to nobody")
        with pytest.raises(FileNotFoundError):
            line.open(9600)
        line.plug()
        line.open(9600).close()
