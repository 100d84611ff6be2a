"""Who sits where: the cards that are in the unit's two slots."""

from __future__ import annotations

from dataclasses import dataclass

from reboard.banker.needs import Side


@dataclass(frozen=True, slots=True)
class Seat:
    """A card in a slot. Without a number it was refused: the slot counts as empty until it is taken out."""

    tag: str
    number: int | None = None


class Seats:
    """The two slots, and the card in each."""

    def __init__(self) -> None:
        self._seats: dict[Side, Seat] = {}

    def sit(self, side: Side, seat: Seat) -> None:
        """A card is in a slot from now on."""
        self._seats[side] = seat

    def leave(self, side: Side) -> Seat | None:
        """The slot is empty; returns who was there."""
        return self._seats.pop(side, None)

    def tag(self, side: Side) -> str | None:
        """What the slot's reader knows its card by."""
        seat = self._seats.get(side)
        return seat.tag if seat else None

    def number(self, side: Side) -> int | None:
        """The number of the card in a slot, if one is there that plays."""
        seat = self._seats.get(side)
        return seat.number if seat else None

    def plays(self, tag: str) -> bool:
        """Whether the card *tag* is in a slot already, and plays."""
        return any(seat.tag == tag and seat.number for seat in self._seats.values())

    @property
    def taken(self) -> tuple[Side, ...]:
        """The slots with a card that plays."""
        return tuple(side for side, seat in self._seats.items() if seat.number)

    @property
    def alone(self) -> int | None:
        """The number of the only card that is in."""
        numbers = [seat.number for seat in self._seats.values() if seat.number]
        return numbers[0] if len(numbers) == 1 else None
