"""Decoders for the bytes of card readers. The parsers of the firmware decide which frames are valid."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reboard.devices.readers.em4100 import FRAME, FrameFormat
from reboard.devices.readers.input_device import EV_KEY, EV_REL, EV_SYN, EVENT
from reboard.devices.readers.kinds.keyboard import DIGITS, ENTERS, PRESSED, SHIFTS, SYN_DROPPED, TypedTags
from reboard.devices.readers.kinds.pn532 import (
    ACK,
    FROM_CHIP,
    GET_FIRMWARE,
    LOOK_FOR_ONE_CARD,
    START,
    TO_CHIP,
    VIRTUAL_CARD_OFF,
    WAKE_UP,
    ChipFrames,
    command,
    size_of,
    uid_in,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a transmission: its bytes or events as text, and its meaning.

    *is_bad* is true for an error, such as noise, a damaged frame, or keys that are not part of a tag.
    """

    written: str
    means: str
    is_bad: bool = False


def as_hex(data: bytes) -> str:
    """Return *data* as text: two upper-case hex digits for each byte, separated by spaces."""
    return data.hex(" ").upper()


class TagFrameDecoder:
    """A decoder that splits the bytes of an EM4100 reader, whose frames have a *format*, into frames and noise."""

    def __init__(self, format: FrameFormat = FRAME) -> None:
        self._format = format
        self._begun = b""

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Yield the pieces of *data* in order. Keep an incomplete frame, because the next call may complete it."""
        known = len(self._begun)
        stream, end = self._begun + data, 0
        for begin, end, frame in self._format.pieces(stream):
            yield from [self._checked(frame, known)] if frame else self._noise(stream[max(begin, known) : end])
        self._begun = stream[end:]
        if half := stream[max(end, known) :]:
            yield Piece(as_hex(half), "incomplete frame", is_bad=True)

    def _checked(self, frame: re.Match[bytes], known: int) -> Piece:
        written = as_hex(frame.string[max(frame.start(), known) : frame.end()])
        is_intact = self._format.is_intact(frame)
        means = f"card {frame[1].decode().upper()}, checksum {'correct' if is_intact else 'wrong'}"
        return Piece(written, means, is_bad=not is_intact)

    def _noise(self, noise: bytes) -> Iterator[Piece]:
        if noise:
            is_end = not noise.strip(self._format.ends)
            yield Piece(as_hex(noise), "end of a frame" if is_end else "noise", is_bad=not is_end)


NAMES = {EV_SYN: "SYN", EV_KEY: "KEY", EV_REL: "REL", 4: "MSC"}


class TypedKeyDecoder:
    """A decoder for the input events of a reader that types the tag of each card, and then usually Enter."""

    def __init__(self) -> None:
        self._typed = TypedTags()

    def feed(self, t: float, changes: Sequence[tuple[int, int, int]]) -> Iterator[Piece]:
        """Yield one piece for the input events *changes* at *t* seconds."""
        seconds, part = divmod(t, 1)
        events = b"".join(EVENT.pack(int(seconds), int(part * 1_000_000), *change) for change in changes)
        tags = self._typed.feed(events)
        written = as_written(changes)
        if tags:
            yield Piece(written, f"end: card {tags[-1]}")
        elif (EV_SYN, SYN_DROPPED, 0) in changes:
            yield Piece(written, "the kernel dropped key events", is_bad=True)
        else:
            yield _piece(written, [code for kind, code, value in changes if kind == EV_KEY and value == PRESSED])


def as_written(changes: Sequence[tuple[int, int, int]]) -> str:
    """Return the type, the code (in hex) and the value of each input event as text."""
    return ", ".join(f"{NAMES.get(kind, kind)} {code:X} {value}" for kind, code, value in changes)


def _piece(written: str, pressed: Sequence[int]) -> Piece:
    if any(code in ENTERS for code in pressed):
        return Piece(written, "end: no card", is_bad=True)
    if pressed and all(code in DIGITS for code in pressed):
        return Piece(written, "".join(DIGITS[code] for code in pressed))
    if pressed and all(code in SHIFTS for code in pressed):
        return Piece(written, "Shift or a lock key")
    return Piece(written, "not a key of a tag", is_bad=True)


COMMAND_NAMES = {
    VIRTUAL_CARD_OFF[0]: "SAMConfiguration",
    GET_FIRMWARE[0]: "GetFirmwareVersion",
    LOOK_FOR_ONE_CARD[0]: "InListPassiveTarget",
}

ASKS = {
    VIRTUAL_CARD_OFF: "normal mode, no virtual card",
    GET_FIRMWARE: "version of chip and firmware",
    LOOK_FOR_ONE_CARD: "look for one card",
}


class ChipFrameDecoder:
    """A decoder that splits the bytes from and to a PN532 into frames and noise."""

    def __init__(self) -> None:
        self._asked = _Way(_in_command, ack="ACK: stop the command")
        self._answered = _Way(_in_answer, ack="ACK: understood")

    def to_chip(self, data: bytes) -> Iterator[Piece]:
        """Yield the pieces of *data* from the firmware. Discard an incomplete frame from the chip."""
        self._answered.forget()
        if data.startswith(WAKE_UP):
            yield Piece(as_hex(WAKE_UP), "wakes the chip")
            data = data.removeprefix(WAKE_UP)
        yield from self._asked.feed(data)

    def from_chip(self, data: bytes) -> Iterator[Piece]:
        """Return an iterator over the pieces of *data* from the chip."""
        return self._answered.feed(data)


class _Way:
    """One direction of a serial line. *meaning_of* returns the meaning of a frame, or ``None`` if it is damaged."""

    def __init__(self, meaning_of: Callable[[bytes], str | None], *, ack: str) -> None:
        self._meaning_of = meaning_of
        self._ack = ack
        self._begun = b""

    def forget(self) -> None:
        """Discard an incomplete frame, because no later bytes complete it."""
        self._begun = b""

    def feed(self, data: bytes) -> Iterator[Piece]:
        known = len(self._begun)
        stream, self._begun = self._begun + data, b""
        for begin, end, means, is_bad in self._cut(stream):
            if written := stream[max(begin, known) : end]:
                yield Piece(as_hex(written), means, is_bad)

    def _cut(self, stream: bytes) -> Iterator[tuple[int, int, str, bool]]:
        # begin, end, meaning and whether it is bad
        place = 0
        while (start := stream.find(START, place)) >= 0:
            # zeros before a frame are a part of it
            begin = place + len(stream[place:start].rstrip(b"\0"))
            if begin > place:
                yield place, begin, "noise", True
            end = start + size_of(stream[start:])
            if end > len(stream):
                self._begun = stream[begin:]
                yield begin, len(stream), "incomplete frame", True
                return
            means = self._ack if stream[start:end] == ACK[1:] else self._meaning_of(stream[start:end])
            if means is None:
                # the next frame may begin inside the damaged one, and with its last zero
                again = stream.find(START, start + 1, end + 1)
                if again > 0:
                    end = max(start + 1, again - (stream[again - 1] == 0))
                elif end == len(stream) and stream.endswith(START[:1]):
                    self._begun = START[:1]
            yield begin, end, means or "damaged frame", means is None
            place = end
        if rest := stream[place:]:
            self._begun = START[:1] if rest.endswith(START[:1]) else b""
            is_noise = bool(rest.strip(b"\0"))
            yield place, len(stream), "noise" if is_noise else "zeros without meaning", is_noise


def _in_command(frame: bytes) -> str | None:
    contents = frame[5:-2]
    if frame[4] != TO_CHIP or command(contents) != b"\0" + frame:
        return None
    name = COMMAND_NAMES.get(contents[0], f"command 0x{contents[0]:02X}")
    return f"{name}: {ASKS[contents]}" if contents in ASKS else name


def _in_answer(frame: bytes) -> str | None:
    answers = ChipFrames().feed(frame)
    if frame[4] != FROM_CHIP or not answers or not answers[0]:
        return None
    code, contents = answers[0][0] - 1, answers[0][1:]
    name = COMMAND_NAMES.get(code, f"command 0x{code & 0xFF:02X}")
    if code == LOOK_FOR_ONE_CARD[0]:
        uid = uid_in(contents)
        return f"{name} answered: card {uid}" if uid else f"{name} answered: no card with a fixed UID"
    if code == GET_FIRMWARE[0] and len(contents) == 4:
        return f"{name} answered: PN532, firmware {contents[1]}.{contents[2]}"
    return f"{name} answered: done"
