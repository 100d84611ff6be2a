"""The PN532, an NFC reader (13.56 MHz) that is polled for a card, and its serial protocol (NXP UM0701-02)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reboard.board import Devices
from reboard.devices.readers.iso14443 import CARDS, tag_of
from reboard.devices.readers.presence import RepeatedTag
from reboard.devices.readers.reader import PortSlot
from reboard.devices.readers.reader_kind import RepeatingReaderConfig, SerialReader
from reboard.devices.readers.reader_port import SerialPort
from reboard.events import Emit
from reboard.languages import translatable

START = b"\x00\xff"
ACK = b"\x00\x00\xff\x00\xff\x00"
TO_CHIP, FROM_CHIP = 0xD4, 0xD5

LONGEST_CONTENTS = 64
"""The longest content of an answer to our commands, in bytes. Anything longer is noise."""

MODEL = "PN532"
BAUD_RATE = 115_200

POLL_S = 0.1
"""The pause between an answer to a poll and the next poll, in seconds."""

ANSWER_S = 0.1
"""The longest wait for an answer or an acknowledgement, in seconds. The chip takes up to 20 ms."""

ALIVE_S = 1.0
"""The time between two polls without a card, in seconds. The acknowledgement of a poll shows that the
chip still works."""

MOST_FAILURES = 4
"""The number of consecutive commands without a valid answer that cause a fault. Noise can destroy two."""

INTACT_S = 0.5
"""The time without a damaged answer after which a fault can end, in seconds."""

DOES_NOT_ANSWER = translatable("the {} does not answer: check its wires, and that its switches are set to HSU/UART")
ARRIVES_DAMAGED = translatable(
    "the answers of the {} arrive damaged: check its wires, its ground and that its switches are set to HSU/UART, and "
    "keep the wires short and away from the motor"
)

ANSWER_BYTES = 19
"""The size of an answer with a card that has a UID of four bytes."""

WAKE_UP = b"\x55\x55" + bytes(14)
"""The bytes before the first command. The first two wake the chip; the others give its clock time to start."""

VIRTUAL_CARD_OFF = b"\x14\x01"
"""The command SAMConfiguration, normal mode, which must be the first command after power-on."""
GET_FIRMWARE = b"\x02"
LOOK_FOR_ONE_CARD = b"\x4a\x01\x00"
"""The command InListPassiveTarget for one card of ISO/IEC 14443 type A, at 106 kbit/s.

Its frame is ``00 00 FF 04 FC D4 4A 01 00 E1 00``. The answer for the card 5CBBE5D5 has the contents ``D5 4B 01 01 00 04
08 04 5C BB E5 D5``.
"""


def command(contents: bytes) -> bytes:
    """Return the frame for a command. *contents* are the command's code and parameters, at most 254 bytes."""
    data = bytes([TO_CHIP]) + contents
    return b"\x00" + START + bytes([len(data), -len(data) & 0xFF]) + data + bytes([-sum(data) & 0xFF, 0])


class ChipFrames:
    """A decoder that finds the answers in the bytes of the chip and ignores noise.

    It keeps an incomplete frame for the next call of `feed`.
    """

    def __init__(self) -> None:
        self._pending = self._dropped = b""
        self.frames = 0
        self.stray_bytes = 0
        self.without_card = 0
        """The number of answers whose UID is that of no card."""

    @property
    def dropped(self) -> int:
        """The number of answers without a card, and the stray bytes, in answers with a card."""
        return self.without_card + -(-self.stray_bytes // ANSWER_BYTES)

    def feed(self, data: bytes) -> list[bytes]:
        """Return the contents of the answers whose frame ends in *data*, in order, without the first byte D5.

        The content of an acknowledgement (ACK) is ``b""``.
        """
        self._pending += data
        answers: list[bytes] = []
        while (begin := self._pending.find(START)) >= 0:
            self._drop(begin)
            size = size_of(self._pending)
            if len(self._pending) < size:
                return answers
            frame = self._pending[:size]
            if _is_whole(frame):
                self._dropped = self._dropped.rstrip(b"\0")
                answers.append(frame[5:-2])
                self.frames += 1
                self._pending = self._pending[size:]
            else:
                self._drop(1)
        self._drop(len(self._pending) - self._pending.endswith(START[:1]))
        return answers

    @property
    def is_damaged(self) -> bool:
        """Whether a byte that is in no whole frame has come since `forget`. It can be all that is left of an answer."""
        return bool(self._dropped or self._pending)

    def forget(self) -> None:
        """Drop an incomplete frame, because the next answer starts with a new frame."""
        self._drop(len(self._pending))
        self._dropped = b""

    def _drop(self, count: int) -> None:
        stray, self._pending = self._pending[:count], self._pending[count:]
        self._dropped = (self._dropped + stray)[-LONGEST_CONTENTS:]
        # the chip can send any number of zeros before a frame
        self.stray_bytes += len(stray) - stray.count(0)


def size_of(begin: bytes) -> int:
    """Return the size in bytes of a frame that starts with *begin*; 5 for an ACK, noise or an incomplete header."""
    if len(begin) < 5 or begin[2] < 2 or begin[2] > LONGEST_CONTENTS or (begin[2] + begin[3]) & 0xFF:
        return 5
    return begin[2] + 6


def _is_whole(frame: bytes) -> bool:
    if len(frame) == 5:
        return frame == ACK[1:]
    return frame[4] == FROM_CHIP and sum(frame[4:-1]) & 0xFF == 0 and frame[-1] == 0


class Pn532(PortSlot[SerialPort]):
    """A slot with a PN532 on a serial port.

    A tag is the card's UID: 8, 14 or 20 hex digits. The description includes the chip's firmware version once the chip
    has reported it. A fault ends when the chip answers, not when the port opens.
    """

    def __init__(self, config: RepeatingReaderConfig, name: str, board: Devices, emit: Emit) -> None:
        self._frames = ChipFrames()
        self._asked = b""
        self._is_acknowledged = False
        self._failures = 0
        self._damaged_at = -INTACT_S
        self._found: str | None = None
        port = SerialPort(config.port, BAUD_RATE, board)
        super().__init__(MODEL, port, self._frames, RepeatedTag(config.hold_s), emit, name)

    def opened(self) -> None:
        self._wake()

    def _wake(self) -> None:
        self._failures = 0
        self._ask(VIRTUAL_CARD_OFF, before=WAKE_UP)

    def _ask(self, contents: bytes, *, before: bytes = b"") -> None:
        self._asked = contents
        self._is_acknowledged = False
        self._frames.forget()
        self._call_later(ANSWER_S, self._answer_timeout)
        self._port.write(before + command(contents))

    def _poll(self) -> None:
        self._ask(LOOK_FOR_ONE_CARD)

    def _poll_again(self) -> None:
        if self._frames.is_damaged:  # a card came during the pause
            self._answer_timeout()
        else:
            self._ask(LOOK_FOR_ONE_CARD, before=ACK)

    def _tags_in(self, data: bytes) -> Iterable[str]:
        for answer in self._frames.feed(data):
            if not answer:
                self._is_acknowledged = True
            elif self._asked and answer[0] == self._asked[0] + 1:
                yield from self._answered(answer[1:])

    def _answered(self, answer: bytes) -> Iterator[str]:
        asked, self._asked = self._asked, b""
        self._failures = 0
        if asked == VIRTUAL_CARD_OFF:
            self._ask(GET_FIRMWARE)
        elif asked == GET_FIRMWARE:
            self._model = f"{MODEL} {answer[1]}.{answer[2]}" if len(answer) == 4 else MODEL
            self._read_well()
            self._poll()
        else:
            self._read_well()
            self._call_later(POLL_S, self._poll)
            before, self._found = self._found, uid_in(answer)
            if self._found is None:
                self._frames.without_card += 1
            # a zero byte that gets lost leaves every checksum correct, so a new card needs two equal answers
            if self._found and self._found in (before, self.tag):
                yield self._found

    def _answer_timeout(self) -> None:
        if self._frames.is_damaged:
            self._damaged_at = self._loop.time()
            self._presence.damaged()
        elif self._is_acknowledged and self._asked == LOOK_FOR_ONE_CARD:
            self._read_well()
            if self.tag is None:
                self._call_later(ALIVE_S - ANSWER_S, self._poll_again)
            else:
                self._poll_again()
            return
        self._failures += 1
        if self._failures < MOST_FAILURES:
            self._ask(self._asked, before=ACK)
            return
        self._report(ARRIVES_DAMAGED if self._frames.is_damaged else DOES_NOT_ANSWER)
        self._wake()

    def _read_well(self) -> None:
        if self._loop.time() >= self._damaged_at + INTACT_S:
            self._failures = 0
            super()._read_well()

    def _report(self, cause: str) -> None:
        """Report *cause*, unless one of them was reported: a disturbed line would change it with each command."""
        chip = f"{MODEL} on {self._port.path}"
        reported = tuple(each.format(chip) for each in (DOES_NOT_ANSWER, ARRIVES_DAMAGED))
        if not (self._fault.cause or "").startswith(reported):
            self._fault.set(f"{cause.format(chip)}{self._port.holders()}")


def uid_in(answer: bytes) -> str | None:
    """Return the UID in an answer to `LOOK_FOR_ONE_CARD`, or ``None`` if there is no card that has one."""
    if len(answer) < 6 or answer[0] != 1:
        return None
    uid = answer[6 : 6 + answer[5]]
    return tag_of(uid) if len(uid) == answer[5] else None


class Pn532Kind(SerialReader[RepeatingReaderConfig]):
    """The kind of PN532 readers."""

    name = "pn532"
    title = "PN532 (NFC)"
    order = 30
    cards = CARDS
    config = RepeatingReaderConfig
    answers = True
    baud_rate = BAUD_RATE
    period_s = POLL_S

    def open(self, config: RepeatingReaderConfig, name: str, board: Devices, emit: Emit) -> Pn532:
        return Pn532(config, name, board, emit)


KIND = Pn532Kind()
