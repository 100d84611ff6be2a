"""The dice and what a roll means, as in the rule book of the German Monopoly classic (2013)."""

from __future__ import annotations

from random import Random
from typing import Literal

from reboard.record import Record

BUS, MR_MONOPOLY = "bus", "mr_monopoly"
RED_FACES = ("1", "2", "3", BUS, MR_MONOPOLY, MR_MONOPOLY)
"""The six faces of the red speed die."""

WHITE_DICE = {"speed": 2, "two": 2, "one": 1}
"""The number of white dice in each mode. Only ``speed`` has the red die, too."""

DOUBLES_TO_JAIL = 3

Meaning = Literal["double", "jail", "triple", "rent"]


class Roll(Record):
    """A roll of the *white* dice and of the *red* die, which is ``None`` if it was not rolled.

    *is_plain* is whether the player held the button, for the white dice alone. *is_for_rent* is whether the roll is for
    the rent of a utility. *doubles* is the number of doubles in a row, with this one. A triple is none of them: that is
    our choice, because the rule book does not say.
    """

    white: tuple[int, ...]
    red: str | None = None
    is_plain: bool = False
    is_for_rent: bool = False
    doubles: int = 0

    @property
    def total(self) -> int:
        """The number for the rent of a utility: the sum of all dice, in which bus and Mr. Monopoly count 0."""
        return sum(self.white) + (int(self.red) if self.red and self.red.isdigit() else 0)

    @property
    def means(self) -> Meaning | None:
        """What the roll means besides its numbers: ``jail`` is the third double in a row."""
        if self.is_for_rent:
            return "rent"
        if _is_triple(self.white, self.red):
            return "triple"
        if self.doubles == DOUBLES_TO_JAIL:
            return "jail"
        return "double" if self.doubles else None

    def __str__(self) -> str:
        return " ".join([*map(str, self.white), *([self.red] if self.red else [])])


def roll(mode: str, rng: Random, before: Roll | None = None, *, is_plain: bool = False) -> Roll:
    """Roll the dice of *mode*. *before* is the roll before this one.

    A double counts on from a double before it, except from one that was rolled the other way (*is_plain*): the roll
    that frees a player from jail begins a turn, and no second roll follows it.
    """
    white, red = _thrown(mode, rng, is_plain=is_plain)
    doubles = 0
    if len(white) == 2 and white[0] == white[1] and not _is_triple(white, red):
        goes_on = before is not None and before.means == "double" and before.is_plain == is_plain
        doubles = 1 + (before.doubles if before and goes_on else 0)
    return Roll(white, red, is_plain, doubles=doubles)


def roll_for_rent(mode: str, rng: Random) -> Roll:
    """Roll all dice of *mode* for the rent of a utility. The roll is no double."""
    return Roll(*_thrown(mode, rng), is_for_rent=True)


def _thrown(mode: str, rng: Random, *, is_plain: bool = False) -> tuple[tuple[int, ...], str | None]:
    white = tuple(rng.randint(1, 6) for _ in range(WHITE_DICE[mode]))
    return white, rng.choice(RED_FACES) if mode == "speed" and not is_plain else None


def _is_triple(white: tuple[int, ...], red: str | None) -> bool:
    return {*map(str, white)} == {red}
