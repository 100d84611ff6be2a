"""What the banker's display shows: two lines of sixteen characters, composed from what is the case."""

from __future__ import annotations

from dataclasses import dataclass

from reboard.edition import DISPLAY_WIDTH as WIDTH


@dataclass(slots=True)
class _Line:
    """Text on the left, which gives way to *short* when what comes on the right needs the room."""

    text: str
    short: str = ""
    right: str = ""

    def has_room_for(self, right: str) -> bool:
        return not self.right and len(self.text) + bool(self.text) + len(right) <= WIDTH

    def add(self, right: str) -> None:
        if not self.has_room_for(right):
            self.text = self.short
        self.right = right

    def __str__(self) -> str:
        return (self.text + self.right.rjust(WIDTH - len(self.text))).rstrip()


def lines(
    *,
    title: str,
    left: tuple[int, str] | None,
    right: tuple[int, str] | None,
    idle: str = "",
    name: str = "",
    typed: str = "",
    notice: str = "",
    deal: str = "",
    trouble: str = "",
) -> tuple[str, str]:
    """The two lines. *left* and *right* are the number and the balance, as shown, of the card in that slot.

    The first line is the left slot's, the second the right one's; without cards they show the *title* and what to do
    when all is *idle*. What is typed stands at the right of the line of who pays (the right card if there is one), and
    a balance that leaves it no room gives way. A *notice* (up to 16 characters) takes the other line. *deal*, the word
    for it while one runs, finds itself a place. What is at fault, the *trouble*, and then the *name* of who is in
    alone, stand where nothing else does.
    """
    first = _Line(f"+{left[0]} {left[1]}", f"+{left[0]}") if left else _Line("")
    second = _Line(f"-{right[0]} {right[1]}", f"-{right[0]}") if right else _Line("")
    if not left and not right:
        first = _Line(title)
        second = _Line("" if typed or deal else trouble[:WIDTH] or idle)
    paying, other = (first, second) if left and not right else (second, first)
    if notice:
        other.text = other.short = notice
    elif trouble and not other.text and not deal:
        other.text = trouble[:WIDTH]
    elif (left is None) != (right is None):
        other.text = name
    if typed:
        paying.add(typed)
    if deal:
        _place(deal, [line for line in (other, paying) if not line.right], notice)
    return str(first), str(second)


def _place(deal: str, lines: list[_Line], notice: str) -> None:
    """On an empty line, else beside something, else a balance gives way; only a notice comes first."""
    candidates = (
        *(line for line in lines if not line.text),
        *(line for line in lines if line.has_room_for(deal)),
        *(line for line in lines if not notice or line.text != notice),
    )
    if candidates:
        candidates[0].add(deal)
