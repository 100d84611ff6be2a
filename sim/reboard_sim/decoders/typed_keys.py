"""What a reader that types makes the kernel say, told in words. What is a card, the firmware's own decoder says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reboard.parts.slots.input_device import EV_KEY, EV_REL, EV_SYN, EVENT
from reboard.parts.slots.keyboard import DIGITS, ENTERS, PRESSED, SHIFTS, SYN_DROPPED, TypedTags
from reboard_sim.decoders.piece import Piece

NAMES = {EV_SYN: "SYN", EV_KEY: "KEY", EV_REL: "REL", 4: "MSC"}


class TypedKeyDecoder:
    """Follows a line from its first key to its Enter."""

    def __init__(self) -> None:
        self._typed = TypedTags()

    def feed(self, t: float, changes: Sequence[tuple[int, int, int]]) -> Iterator[Piece]:
        """One piece for what was reported at *t* seconds."""
        seconds, part = divmod(t, 1)
        events = b"".join(EVENT.pack(int(seconds), int(part * 1_000_000), *change) for change in changes)
        tags = self._typed.feed(events)
        written = as_written(changes)
        if tags:
            yield Piece(written, f"Enter: card {tags[-1]}")
        elif (EV_SYN, SYN_DROPPED, 0) in changes:
            yield Piece(written, "the kernel lost keys", is_bad=True)
        else:
            yield _piece(written, [code for kind, code, value in changes if kind == EV_KEY and value == PRESSED])


def as_written(changes: Sequence[tuple[int, int, int]]) -> str:
    """Each change's type, code (in hex) and value."""
    return ", ".join(f"{NAMES.get(kind, kind)} {code:X} {value}" for kind, code, value in changes)


def _piece(written: str, pressed: Sequence[int]) -> Piece:
    if any(code in ENTERS for code in pressed):
        return Piece(written, "Enter: no card", is_bad=True)
    if pressed and all(code in DIGITS for code in pressed):
        return Piece(written, "".join(DIGITS[code] for code in pressed))
    if pressed and all(code in SHIFTS for code in pressed):
        return Piece(written, "Shift")
    return Piece(written, "no key of a card's number", is_bad=True)
