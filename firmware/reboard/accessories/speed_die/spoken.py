"""What the table's voice says of a roll: the dice from the left, and what they mean besides their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reboard.accessories.accessory import Announcement
from reboard.accessories.speed_die.dice import BUS, MR_MONOPOLY
from reboard.accessories.speed_die.vocabulary import Double, Jail, Rent, Rolled, Triple
from reboard.finding import sentence
from reboard.languages import Texts


def _face(face: object, say: Texts) -> str:
    return "Mr. Monopoly" if face == MR_MONOPOLY else say("bus") if face == BUS else str(face)


def _roll(event: Mapping[str, Any], _: Mapping[str, Any], say: Texts) -> str:
    dice = [*event["white"], *([event["red"]] if event["red"] else [])]
    return f"{', '.join(_face(each, say) for each in dice)}."


ANNOUNCEMENTS: Mapping[str, Announcement] = {
    Rolled.event: _roll,
    Double.event: lambda _, __, say: sentence(say("a double")),
    Triple.event: lambda _, __, say: sentence(say("a triple: move to any space")),
    Jail.event: lambda _, __, say: sentence(say("the third double in a row: go to jail")),
    Rent.event: lambda event, _, say: sentence(say("for a utility's rent: {total}", total=event["total"])),
}


def spoken_texts(say: Texts) -> Iterable[str]:
    """Return the texts of which the announcements are made, each with its values in braces."""
    yield from (
        *("Mr. Monopoly", say("bus"), say("a double"), say("a triple: move to any space")),
        *(say("the third double in a row: go to jail"), say("for a utility's rent: {total}")),
    )
