"""A virtual RC522 module: a virtual MFRC522, its antenna, and the card in the slot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

from reboard.devices.readers.iso14443 import ANY, IS_INCOMPLETE, SELECT, WAKE_UP, WHOLE, with_crc
from reboard.devices.readers.mfrc522 import FIFO_DATA, FIFO_LEVEL
from reboard.devices.spi_bus import SpiConfig
from reboard_sim.board.line import Tape
from reboard_sim.board.serial_line import Transmission
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.readers.frame_decoders import Piece, as_hex
from reboard_sim.devices.readers.mfrc522 import VirtualMfrc522
from reboard_sim.devices.readers.nfc_card import NfcCard, uid_of
from reboard_sim.devices.readers.virtual_reader import VirtualReader

NOISE = 0.3
"""The share of the answers that noise damages."""

REMEMBERED = 4000
"""The maximum number of kept frames, those of half a minute with a card."""


class VirtualRc522(VirtualReader):
    """An RC522 on the SPI bus of *board*."""

    meanings: ClassVar = {
        "hung": "Its chip ends no command. For `rc522`.",
        "deaf": "Its chip hears no card until it is reset. For `rc522`.",
        "brownout": "Its supply dips when its field is on. For `rc522`.",
        "miso": "It holds MISO low while it is not selected, so that the other reader does not answer. For `rc522`.",
        "neighbour": "Its field reaches the card in the other slot. For `rc522`.",
    }

    def __init__(self, config: SpiConfig, board: VirtualBoard) -> None:
        self._board = board
        self._clock = board.pins.ticks
        self._place = [config.bus, config.chip_select]
        self._sent = b""
        self._tape: Tape[Transmission] = Tape(REMEMBERED)
        self._latest: tuple[bytes, bytes] | None = None
        self._inserted: NfcCard | None = None
        self.chip = VirtualMfrc522(self._clock, rng=board.rng)
        self.chip.asked = self._record
        board.add_spi_device(config.bus, config.chip_select, self.chip.transfer)

    @classmethod
    def wired(cls, config: Any, board: VirtualBoard) -> Self:
        return cls(config, board)

    @staticmethod
    def says(card: str) -> str:
        return uid_of(card)

    @property
    def tape(self) -> Tape[Transmission]:
        return self._tape

    def decoder(self) -> Callable[[Transmission], Iterator[Piece]]:
        return FrameDecoder().pieces

    def put(self, card: str) -> None:
        inserted = NfcCard(bytes.fromhex(uid_of(card)))
        self.take()
        self.card, self._inserted = card.upper(), inserted
        self.chip.put(inserted)

    def take(self) -> None:
        if self._inserted:
            self.chip.take(self._inserted)
        self.card = self._inserted = None

    def noise(self, on: bool) -> None:
        self.chip.noise = NOISE if on else 0.0

    def garble(self, on: bool) -> None:
        super().garble(on)
        self.chip.noise = 1.0 if on else 0.0

    def flicker(self, on: bool) -> None:
        self.chip.flickers = on

    def plug(self) -> None:
        if not self.chip.has_power:
            self.chip.power(True)

    def unplug(self) -> None:
        self.chip.power(False)

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        chip = self.chip
        return {
            **super().faults(),
            "garbled": self.garble,
            "hung": partial(setattr, chip, "hangs"),
            "deaf": partial(setattr, chip, "is_deaf"),
            "brownout": partial(setattr, chip, "loses_settings"),
            "miso": self._hold_miso,
            "neighbour": self._reach,
        }

    def follow(self, kind: str, *values: Any) -> None:
        if kind != "spi" or [*values[:2]] != self._place:
            return
        sent, received = map(bytes.fromhex, values[2:])
        if sent[0] == FIFO_DATA << 1:
            self._sent = sent[1:]
        read = [(address >> 1 & 0x3F, value) for address, value in zip(sent, received[1:], strict=False)]
        if sent[0] & 0x80 and FIFO_LEVEL in dict(read):
            data = bytes(value for register, value in read if register == FIFO_DATA)
            self._record(self._sent, data[: dict(read)[FIFO_LEVEL]])

    def close(self) -> None:
        self.unplug()
        self.take()

    def _others(self) -> Sequence[VirtualRc522]:
        return [
            other for other in self._board.devices.values() if isinstance(other, VirtualRc522) and other is not self
        ]

    def _hold_miso(self, on: bool) -> None:
        for other in self._others():
            other.chip.miso = "low" if on else "works"

    def _reach(self, on: bool) -> None:
        self.chip.reached = (lambda: [card for other in self._others() for card in other.chip.cards]) if on else tuple

    def _record(self, frame: bytes, answer: bytes) -> None:
        if (frame, answer) == self._latest == (WAKE_UP, b""):
            return  # an empty slot says nothing new
        self._latest = frame, answer
        self._tape.append(Transmission(self._clock(), frame, "firmware"))
        if answer:
            self._tape.append(Transmission(self._clock(), answer, "reader"))


class FrameDecoder:
    """A decoder of the frames to and from a card."""

    def __init__(self) -> None:
        self._asked = self._uid = b""

    def pieces(self, sent: Transmission) -> Iterator[Piece]:
        """Yield a piece with the meaning of a frame."""
        means, is_bad = self._meaning(sent.data) if sent.by == "reader" else (self._question(sent.data), False)
        yield Piece(as_hex(sent.data), means, is_bad)

    def _question(self, frame: bytes) -> str:
        self._asked = frame
        if frame == WAKE_UP:
            self._uid = b""
            return "wake every card"
        level = SELECT.index(frame[0]) + 1 if frame[0] in SELECT else 0
        if level and frame[1] == ANY:
            return f"ask for part {level} of the UID"
        return f"select the card with this part {level}" if level and frame[1] == WHOLE else "another frame"

    def _meaning(self, answer: bytes) -> tuple[str, bool]:
        if self._asked == WAKE_UP:
            return "a card is awake", len(answer) != 2
        if self._asked[1:2] == bytes([ANY]):
            is_whole = len(answer) == 5 and not answer[0] ^ answer[1] ^ answer[2] ^ answer[3] ^ answer[4]
            return ("part of the UID", False) if is_whole else ("damaged part of the UID", True)
        if len(answer) != 3 or with_crc(answer[:1]) != answer:
            return "damaged answer", True
        part = self._asked[2:6]
        if answer[0] & IS_INCOMPLETE:
            self._uid += part[1:]
            return "selected; the UID has another part", False
        return f"selected: card {(self._uid + part).hex().upper()}", False


READER = VirtualRc522
