"""A virtual MFRC522 at the level of its registers, as the SPI bus reaches it (NXP MFRC522, revision 3.9).

The chip's time is that of its clock, and moves on with each byte on the bus: a program that polls sees the timer end,
although the virtual time of an event loop stands still meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Literal

from reboard.devices.readers import mfrc522 as registers
from reboard.devices.readers.iso14443 import with_crc
from reboard_sim.devices.readers.nfc_card import Bits, NfcCard, bits_of, bytes_of

DIV_IRQ, CONTROL, COLL, CRC_HIGH, CRC_LOW = 0x05, 0x0C, 0x0E, 0x21, 0x22
CALCULATE_CRC = 0x03
T_RELOAD_HIGH = 0x2C

AFTER_RESET = {
    registers.COMMAND: 0x20, registers.COM_IRQ: 0x14, CONTROL: 0x10, COLL: 0xA0, registers.MODE: 0x3F,
    registers.TX_CONTROL: 0x80, registers.RF_CFG: 0x48, CRC_HIGH: 0xFF, CRC_LOW: 0xFF,
}  # fmt: skip
READ_ONLY = (registers.ERROR, registers.VERSION, CRC_HIGH, CRC_LOW)

SENT, IS_IDLE, FAILED = 0x40, 0x10, 0x02
"""Bits of the interrupt register besides `registers.RECEIVED` and `registers.TIMER_ENDED`."""
OVERFLOW, COLLISION, PARITY_ERROR = 0x10, 0x08, 0x02

FIFO_BYTES = 64
BUS_BYTE_S = 8e-6
"""The time of a byte on a bus of 1 MHz, in seconds."""
BIT_S = 128 / 13.56e6
GUARD_S = 1172 / 13.56e6
"""The time from the end of a frame to a card's answer, in seconds (ISO/IEC 14443-3)."""

MOST_MISSED = 2
"""The number of questions in a row, at most, that a card does not hear while it flickers."""

Miso = Literal["works", "low", "high"]


class VirtualMfrc522:
    """The chip, its antenna, and the cards there. *clock* returns the time in seconds."""

    def __init__(self, clock: Callable[[], float], *, rng: Random, version: int = 0x92) -> None:
        self._clock, self._rng, self._version = clock, rng, version
        self.cards: list[NfcCard] = []
        self.reached: Callable[[], Sequence[NfcCard]] = tuple
        """A function that returns the cards at the neighbour's antenna which this field reaches, too."""
        self.asked: Callable[[bytes, bytes], None] = lambda frame, answer: None
        """A function that gets each frame, and its answer as it arrives, or ``b""``."""
        self.noise = 0.0
        """The share of the answers that arrive damaged."""
        self.flickers = False
        """Whether a card misses half of the questions, at most `MOST_MISSED` in a row."""
        self.miso: Miso = "works"
        self.has_power = True
        self.hangs = False
        """Whether the chip never ends a command."""
        self.loses_settings = False
        """Whether the supply dips when the field is on, so that the registers are lost."""
        self.is_deaf = False
        """Whether the receiver hears nothing until the next reset."""
        self._frame = b""
        self._missed = 0
        self._now = clock()
        self._reset()

    @property
    def has_field(self) -> bool:
        """Whether the antenna has a field."""
        return self.has_power and bool(self._registers[registers.TX_CONTROL] & 3)

    def power(self, on: bool) -> None:
        """Switch the power on or off. All settings are lost."""
        self.has_power = on
        self._reset()

    def put(self, card: NfcCard) -> None:
        """Put *card* to the antenna."""
        self.cards.append(card)
        self._field_changed()

    def take(self, card: NfcCard) -> None:
        """Remove *card* from the antenna."""
        self.cards.remove(card)
        card.leave()

    def transfer(self, sent: bytes) -> bytes:
        """Take the bytes of one selection, and return those that the chip sends meanwhile."""
        address, answer = sent[0], bytearray(1)
        self._pass(max(BUS_BYTE_S, self._clock() - self._now))
        for value in sent[1:]:
            self._pass(BUS_BYTE_S)
            register = address >> 1 & 0x3F
            if not self.has_power:
                answer.append(0)
            elif address & 0x80:
                answer.append(self._read(register))
                address = value
            else:
                answer.append(0)
                self._write(register, value)
        stuck = {"low": 0x00, "high": 0xFF}.get(self.miso)
        return bytes(answer) if stuck is None else bytes([stuck] * len(sent))

    def _reset(self) -> None:
        self._registers = bytearray(64)
        for register, value in {**AFTER_RESET, registers.VERSION: self._version}.items():
            self._registers[register] = value
        self._fifo = bytearray()
        self._due: list[tuple[float, Callable[[], None]]] = []
        self._timer_ends: float | None = None
        self._field_changed()

    def _read(self, register: int) -> int:
        if register == registers.FIFO_DATA:
            return self._fifo.pop(0) if self._fifo else 0
        return len(self._fifo) if register == registers.FIFO_LEVEL else self._registers[register]

    def _write(self, register: int, value: int) -> None:
        kept = self._registers
        match register:
            case registers.COMMAND:
                self._command(value & 0x0F)
            case registers.COM_IRQ | 0x05:  # bit 7 says whether the other bits that are 1 are set or cleared
                kept[register] = kept[register] | value & 0x7F if value & 0x80 else kept[register] & ~value
            case registers.FIFO_DATA:
                if len(self._fifo) < FIFO_BYTES:
                    self._fifo.append(value)
                else:
                    kept[registers.ERROR] |= OVERFLOW
            case registers.FIFO_LEVEL:
                if value & 0x80:
                    self._fifo.clear()
                    kept[registers.ERROR] &= ~OVERFLOW
            case registers.BIT_FRAMING:
                kept[register] = value & 0x7F
                if value & 0x80 and kept[registers.COMMAND] & 0x0F == registers.TRANSCEIVE and not self.hangs:
                    self._transceive()
            case registers.TX_CONTROL:
                kept[register] = value
                self._field_changed()
                if self.loses_settings and self.has_field:
                    self._reset()
            case _ if register not in READ_ONLY:
                kept[register] = value

    def _command(self, command: int) -> None:
        if command == registers.SOFT_RESET:
            self.is_deaf = False
            self._reset()
            return
        self._registers[registers.COMMAND] = command
        self._due.clear()
        if command == CALCULATE_CRC:
            self._registers[CRC_LOW], self._registers[CRC_HIGH] = with_crc(bytes(self._fifo))[-2:]
            self._fifo.clear()
            self._registers[DIV_IRQ] |= 0x04

    def _field_changed(self) -> None:
        for card in (*self.cards, *self.reached()):
            if self.has_field:
                card.enter(self._now)
            else:
                card.leave()

    def _transceive(self) -> None:
        frame = bits_of(bytes(self._fifo))
        self._fifo.clear()
        if last := self._registers[registers.BIT_FRAMING] & 7:
            frame = frame[: len(frame) - 8 + last]
        self._registers[registers.ERROR] = 0
        self._timer_ends = None
        self._frame = bytes_of(frame)
        self._later((len(frame) * 9 // 8 + 2) * BIT_S, lambda: self._sent(frame))

    def _sent(self, frame: Bits) -> None:
        self._interrupt(SENT)
        kept = self._registers
        if kept[registers.T_MODE] & 0x80:
            prescaler = (kept[registers.T_MODE] & 0x0F) << 8 | kept[registers.T_PRESCALER]
            reload = kept[T_RELOAD_HIGH] << 8 | kept[registers.T_RELOAD_LOW]
            self._timer_ends = self._now + (2 * prescaler + 1) * (reload + 1) / 13.56e6
        if self.is_deaf or not self.has_field or not kept[registers.TX_ASK] & 0x40:
            return
        answers = [answer for card in (*self.cards, *self.reached()) if (answer := card.answer(frame, self._now))]
        if not answers or (len(frame) == 7 and self._is_missed()):
            self.asked(self._frame, b"")
        else:
            self._later(GUARD_S, self._stop_timer)
            length = max(map(len, answers))
            self._later(GUARD_S + (length * 9 // 8 + 1) * BIT_S, lambda: self._received(answers))

    def _is_missed(self) -> bool:
        is_missed = self.flickers and self._missed < MOST_MISSED and self._rng.random() < 0.5
        self._missed = self._missed + 1 if is_missed else 0
        return is_missed

    def _stop_timer(self) -> None:
        self._timer_ends = None

    def _received(self, answers: Sequence[Bits]) -> None:
        kept = self._registers
        columns = [{answer[at] for answer in answers if at < len(answer)} for at in range(max(map(len, answers)))]
        bits = [max(column) for column in columns]
        error = 0
        kept[COLL] = kept[COLL] & 0x80 | 0x20
        if collided := [at for at, column in enumerate(columns) if len(column) > 1]:
            error |= COLLISION
            kept[COLL] = kept[COLL] & 0x80 | collided[0] + 1 & 0x1F
        if self._rng.random() < self.noise:
            bits[self._rng.randrange(len(bits))] ^= 1
            error |= PARITY_ERROR
        align = kept[registers.BIT_FRAMING] >> 4 & 7
        self._fifo += (data := bytes_of([0] * align + bits))
        self.asked(self._frame, data)
        kept[CONTROL] = (align + len(bits)) % 8
        kept[registers.ERROR] |= error
        self._interrupt(registers.RECEIVED | (FAILED if error else 0))

    def _interrupt(self, bits: int) -> None:
        self._registers[registers.COM_IRQ] |= bits

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        self._due.append((self._now + seconds, act))

    def _pass(self, seconds: float) -> None:
        """Let *seconds* pass on the chip, and do what is due."""
        until = self._now + seconds
        while self._due or self._timer_ends is not None:
            due = [*self._due, *([(self._timer_ends, self._end_timer)] if self._timer_ends is not None else [])]
            first = min(due, key=lambda each: each[0], default=None)
            if first is None or first[0] > until:
                break
            if first in self._due:
                self._due.remove(first)
            self._now = first[0]
            first[1]()
        self._now = until

    def _end_timer(self) -> None:
        self._timer_ends = None
        self._interrupt(registers.TIMER_ENDED)
