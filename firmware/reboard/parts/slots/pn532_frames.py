"""What is said on a PN532's serial line, both ways.

A frame is ``00 FF``, the length of its contents, the complement of that, the contents, their checksum, and ``00``.
Contents begin with D4 on the way to the chip and with D5 on the way back. ``00 FF 00 FF 00`` from the chip says that
it understood a command; to the chip, that it shall give up the one that it is at.
"""

from __future__ import annotations

START = b"\x00\xff"
ACK = b"\x00\x00\xff\x00\xff\x00"
TO_CHIP, FROM_CHIP = 0xD4, 0xD5

LONGEST_CONTENTS = 64
"""No answer to a command of ours is longer; noise that announces more must not keep us waiting for it."""


def command(contents: bytes) -> bytes:
    """The frame for a command: its code and its parameters, 254 bytes at most."""
    said = bytes([TO_CHIP]) + contents
    return b"\x00" + START + bytes([len(said), -len(said) & 0xFF]) + said + bytes([-sum(said) & 0xFF, 0])


class ChipFrames:
    """Finds the answers in what a chip sends, and nothing in anything else.

    Less than a frame is kept between two calls. The counters tell a person with a loose wire that there is noise.
    """

    def __init__(self) -> None:
        self._pending = b""
        self.frames = 0
        self.stray_bytes = 0

    @property
    def health(self) -> str:
        """The counters, in words."""
        return f"{self.frames} frames, {self.stray_bytes} stray bytes"

    def feed(self, data: bytes) -> list[bytes]:
        """The answers, without their D5, whose last byte is in *data*, in order; ``b""`` for an ACK."""
        self._pending += data
        answers: list[bytes] = []
        while (begin := self._pending.find(START)) >= 0:
            self._drop(begin)
            size = _size_of(self._pending)
            if len(self._pending) < size:
                return answers
            frame = self._pending[:size]
            if _is_whole(frame):
                answers.append(frame[5:-2])
                self.frames += 1
                self._pending = self._pending[size:]
            else:
                self._drop(1)
        self._drop(len(self._pending) - self._pending.endswith(START[:1]))
        return answers

    def forget(self) -> None:
        """What was begun until now is never finished: whatever is answered from here on is answered whole."""
        self._drop(len(self._pending))

    def _drop(self, count: int) -> None:
        stray, self._pending = self._pending[:count], self._pending[count:]
        # zeros may stand before a frame, as many as the chip pleases
        self.stray_bytes += len(stray) - stray.count(0)


def _size_of(begun: bytes) -> int:
    """How many bytes from its start a frame must have that begins so; it may be none."""
    if len(begun) < 5 or begun[2] < 2 or begun[2] > LONGEST_CONTENTS or (begun[2] + begun[3]) & 0xFF:
        return 5
    return begun[2] + 6


def _is_whole(frame: bytes) -> bool:
    if len(frame) == 5:
        return frame == ACK[1:]
    return frame[4] == FROM_CHIP and sum(frame[4:-1]) & 0xFF == 0 and frame[-1] == 0
