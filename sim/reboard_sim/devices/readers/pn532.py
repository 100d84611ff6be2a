"""A virtual PN532, which sleeps until the firmware wakes it and then answers commands."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Iterable

from reboard.devices.readers.kinds.pn532 import ACK, FROM_CHIP
from reboard_sim.board.serial_line import Transmission, VirtualSerialLine
from reboard_sim.devices.readers.frame_decoders import ChipFrameDecoder, Piece
from reboard_sim.devices.readers.nfc_card import uid_of
from reboard_sim.devices.readers.virtual_reader import VirtualSerialReader

ACK_S = 0.001
"""The time until the chip acknowledges a command, in seconds."""

ANSWER_S = 0.005
"""The time until the chip sends an answer that is ready, in seconds."""

PERIOD_S = 0.065
"""The time between two polls for a card, and between two disturbances, in seconds."""

MOST_MISSED = 2
"""The maximum number of polls in a row that miss the card while the reader flickers."""

LEFT_WHOLE = 4
"""The minimum number of intact transmissions between two that noise damages."""

LONGEST_COMMAND_BYTES = 262

DEAF_BYTES = 12
"""The number of bytes that the chip misses after the wake-up bytes, before its clock runs."""

FIRMWARE = bytes.fromhex("32 01 06 07")
"""The answer to GetFirmwareVersion: IC 0x32 (PN532), firmware 1.6, support for all protocols (0x07)."""

SAM_CONFIGURATION, GET_FIRMWARE_VERSION, IN_LIST_PASSIVE_TARGET = 0x14, 0x02, 0x4A

_COMMAND = re.compile(rb"\x00\x00\xff([^\x00])(.)\xd4", re.DOTALL)


def frame_of(contents: bytes) -> bytes:
    """Return a frame from the chip. The first byte of *contents* is the code of the answered command plus 1."""
    data = bytes([FROM_CHIP]) + contents
    return b"\x00\x00\xff" + bytes([len(data), 256 - len(data)]) + data + bytes([-sum(data) % 256, 0])


class VirtualPn532(VirtualSerialReader):
    """A PN532 on the serial line *line*."""

    baud_rate = 115_200

    def __init__(self, line: VirtualSerialLine, *, rng: random.Random) -> None:
        super().__init__(line, rng=rng)
        self._has_power = True
        self._missed = 0
        self._whole = 0
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._sleep()
        line.listen(self._receive)

    @staticmethod
    def says(card: str) -> str:
        return uid_of(card)

    def put(self, card: str) -> None:
        self.says(card)
        self.card = card.upper()
        self._missed = MOST_MISSED
        self._look()

    def noise(self, on: bool) -> None:
        super().noise(on)
        self._disturb()

    def decoder(self) -> Callable[[Transmission], Iterable[Piece]]:
        decoder = ChipFrameDecoder()
        return lambda sent: (decoder.from_chip if sent.by == "reader" else decoder.to_chip)(sent.data)

    def power(self, on: bool) -> None:
        """Switch the module's power on or off, as a loose power wire does. The serial line stays plugged in."""
        self._has_power = on
        self._sleep()

    def plug(self) -> None:
        if not self._line.is_plugged:
            self._line.plug()
            self.power(True)

    def unplug(self) -> None:
        self.power(False)
        self._line.unplug()

    def close(self) -> None:
        self.unplug()
        self.take()
        self.noise(False)

    def _sleep(self) -> None:
        self._awake = self._configured = self._looking = False
        self._pending = b""
        self._stop("ack", "look", "answer")

    def _receive(self, data: bytes) -> None:
        if not self._has_power:
            return
        if self.is_noisy:
            data = self._damaged(data)
        if not self._awake:
            _, woken, data = data.partition(b"\x55")
            if not woken:
                return
            self._awake = True
            data = data.lstrip(b"\x55")[DEAF_BYTES:]
        _, given_up, after = (self._pending + data).rpartition(ACK)
        if given_up:
            self._give_up()
        self._pending = after[-LONGEST_COMMAND_BYTES:]
        while command := _COMMAND.search(self._pending):
            self._pending = self._pending[command.start() :]
            length, complement = command[1][0], command[2][0]
            if length + complement == 256 and len(self._pending) < length + 7:
                return
            contents, checksum = self._pending[5 : 5 + length], self._pending[5 + length : 6 + length]
            is_whole = length > 1 and length + complement == 256 and sum(contents + checksum) % 256 == 0
            self._pending = self._pending[length + 7 if is_whole else 1 :]
            if is_whole:
                self._obey(contents[1:])

    def _obey(self, command: bytes) -> None:
        code = command[0]
        if not self._configured and code not in (SAM_CONFIGURATION, GET_FIRMWARE_VERSION):
            return
        self._give_up()
        self._after(ACK_S, "ack", lambda: self._send(ACK))
        if code == SAM_CONFIGURATION:
            self._configured = True
            self._answer(bytes([code + 1]))
        elif code == GET_FIRMWARE_VERSION:
            self._answer(bytes([code + 1]) + FIRMWARE)
        elif command == bytes([IN_LIST_PASSIVE_TARGET, 1, 0]):
            self._looking = True
            self._after(ANSWER_S, "look", self._look)

    def _give_up(self) -> None:
        self._looking = False
        self._stop("look", "answer")

    def _answer(self, contents: bytes) -> None:
        frame = frame_of(contents)
        if self.is_garbled and contents[0] == IN_LIST_PASSIVE_TARGET + 1:
            frame = frame[:-3]
        self._after(ANSWER_S, "answer", lambda: self._send(frame))

    def _look(self) -> None:
        if not self._looking:
            return
        if self.card is None or self._misses():
            self._after(PERIOD_S, "look", self._look)
            return
        self._looking = False
        uid = bytes.fromhex(self.says(self.card))
        # one target, its number, then SENS_RES and SEL_RES as a card with a UID of that length has them
        kind = {4: "00 04 08", 7: "00 44 00", 10: "00 84 00"}[len(uid)]
        found = bytes([IN_LIST_PASSIVE_TARGET + 1, 1, 1]) + bytes.fromhex(kind) + bytes([len(uid)]) + uid
        self._answer(found)

    def _misses(self) -> bool:
        missed = self.flickers and self._missed < MOST_MISSED and self._rng.random() < 0.5
        self._missed = self._missed + 1 if missed else 0
        return missed

    def _send(self, data: bytes) -> None:
        self._line.send(self._damaged(data) if self.is_noisy else data)

    def _disturb(self) -> None:
        if self.is_noisy:
            frame = frame_of(self._rng.randbytes(self._rng.randrange(2, 20)))
            half = frame[: self._rng.randrange(1, len(frame))]
            self._line.send(self._rng.choice([half, self._rng.randbytes(len(half)), b"\x00\xff" * 3, b"\x00" * 9]))
            self._after(PERIOD_S, "noise", self._disturb)

    def _damaged(self, data: bytes) -> bytes:
        self._whole += 1
        if self._whole <= LEFT_WHOLE or self._rng.random() < 0.75:
            return data
        self._whole = 0
        place = self._rng.randrange(len(data))
        changed = bytes([data[place] ^ self._rng.randrange(1, 256)])
        return data[:place] + self._rng.choice([changed, b"", data[place : place + 1] + b"\xaa"]) + data[place + 1 :]

    def _after(self, delay_s: float, what: str, act: Callable[[], None]) -> None:
        self._stop(what)
        self._timers[what] = self._loop.call_later(delay_s, act)

    def _stop(self, *whats: str) -> None:
        for what in whats:
            if what in self._timers:
                self._timers[what].cancel()


READER = VirtualPn532
