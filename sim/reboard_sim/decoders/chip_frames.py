"""What is said on a PN532's line, both ways, told in words. Whether a frame counts, the firmware's own code says."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reboard.parts.slots.pn532 import GET_FIRMWARE, LOOK_FOR_ONE_CARD, VIRTUAL_CARD_OFF, WAKE_UP, uid_in
from reboard.parts.slots.pn532_frames import ACK, FROM_CHIP, LONGEST_CONTENTS, START, TO_CHIP, ChipFrames, command
from reboard_sim.decoders.piece import Piece, as_hex

NAMES = {
    VIRTUAL_CARD_OFF[0]: "SAMConfiguration",
    GET_FIRMWARE[0]: "GetFirmwareVersion",
    LOOK_FOR_ONE_CARD[0]: "InListPassiveTarget",
}

ASKS = {
    VIRTUAL_CARD_OFF: "read cards, be none",
    GET_FIRMWARE: "which chip are you?",
    LOOK_FOR_ONE_CARD: "look for one card",
}


class ChipFrameDecoder:
    """Cuts what passes, one way or the other, into frames and what is none."""

    def __init__(self) -> None:
        self._asked = _Way(_in_command, ack="ACK: give up what you are at")
        self._answered = _Way(_in_answer, ack="ACK: understood")

    def to_chip(self, data: bytes) -> Iterator[Piece]:
        """The pieces of what the firmware sent. It listens anew from there on."""
        self._answered.forget()
        if data.startswith(WAKE_UP):
            yield Piece(as_hex(WAKE_UP), "wakes the chip")
            data = data.removeprefix(WAKE_UP)
        yield from self._asked.feed(data)

    def from_chip(self, data: bytes) -> Iterator[Piece]:
        """The pieces of what the chip sent."""
        return self._answered.feed(data)


class _Way:
    """What is sent one way. *meaning_of* tells of a frame what it says, or ``None`` for one that is not whole."""

    def __init__(self, meaning_of: Callable[[bytes], str | None], *, ack: str) -> None:
        self._meaning_of = meaning_of
        self._ack = ack
        self._begun = b""

    def forget(self) -> None:
        """What was begun is never finished."""
        self._begun = b""

    def feed(self, data: bytes) -> Iterator[Piece]:
        told = len(self._begun)
        stream, self._begun = self._begun + data, b""
        for begin, end, means, is_bad in self._cut(stream):
            if written := stream[max(begin, told) : end]:
                yield Piece(as_hex(written), means, is_bad)

    def _cut(self, stream: bytes) -> Iterator[tuple[int, int, str, bool]]:
        """Where each part of *stream* begins and ends, what it means, and whether it is bad."""
        place = 0
        while (start := stream.find(START, place)) >= 0:
            # zeros before a frame are a part of it
            begin = place + len(stream[place:start].rstrip(b"\0"))
            if begin > place:
                yield place, begin, "noise", True
            end = start + _size_of(stream[start:])
            if end > len(stream):
                self._begun = stream[begin:]
                yield begin, len(stream), "half a frame", True
                return
            means = self._ack if stream[start:end] == ACK[1:] else self._meaning_of(stream[start:end])
            if means is None:
                # the next frame may begin where the damaged one says that it goes on, and with its last zero
                again = stream.find(START, start + 1, end + 1)
                if again > 0:
                    end = max(start + 1, again - (stream[again - 1] == 0))
                elif end == len(stream) and stream.endswith(START[:1]):
                    self._begun = START[:1]
            yield begin, end, means or "a damaged frame", means is None
            place = end
        if rest := stream[place:]:
            self._begun = START[:1] if rest.endswith(START[:1]) else b""
            is_noise = bool(rest.strip(b"\0"))
            yield place, len(stream), "noise" if is_noise else "zeros, which mean nothing", is_noise


def _size_of(begun: bytes) -> int:
    """How many bytes a frame must have that begins so: five when it is none, or too short to tell."""
    if len(begun) < 4 or not 2 <= begun[2] <= LONGEST_CONTENTS or (begun[2] + begun[3]) & 0xFF:
        return 5
    return begun[2] + 6


def _in_command(frame: bytes) -> str | None:
    contents = frame[5:-2]
    if frame[4] != TO_CHIP or command(contents) != b"\0" + frame:
        return None
    name = NAMES.get(contents[0], f"command 0x{contents[0]:02X}")
    return f"{name}: {ASKS[contents]}" if contents in ASKS else name


def _in_answer(frame: bytes) -> str | None:
    answers = ChipFrames().feed(frame)
    if frame[4] != FROM_CHIP or not answers or not answers[0]:
        return None
    code, contents = answers[0][0] - 1, answers[0][1:]
    name = NAMES.get(code, f"command 0x{code & 0xFF:02X}")
    if code == LOOK_FOR_ONE_CARD[0]:
        uid = uid_in(contents)
        return f"{name} answered: card {uid}" if uid else f"{name} answered: no card with a UID of its own"
    if code == GET_FIRMWARE[0] and len(contents) == 4:
        return f"{name} answered: PN532, firmware {contents[1]}.{contents[2]}"
    return f"{name} answered: done"
