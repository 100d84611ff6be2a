"""Two kinds of reader in the two slots: a warning unless each card has the same tag in both."""

from __future__ import annotations

from itertools import product

import pytest

from reboard.config import mixed_readers
from reboard.finding import Level
from reboard_sim.bench.scene_wish import READERS
from reboard_sim.deck import DECK
from reboard_sim.readers.twins import TWINS

SAYS = {kind.__name__.removesuffix("Config").lower(): twin.says for kind, twin in TWINS.items()}


@pytest.mark.parametrize(("left", "right"), [*product(READERS, READERS)])
def test_a_pair_is_warned_of_unless_a_card_has_one_tag_in_both(left: str, right: str) -> None:
    has_one_tag = SAYS[left](DECK[0]) == SAYS[right](DECK[0])
    assert (mixed_readers(left, right) is None) == has_one_tag


@pytest.mark.parametrize(
    ("left", "right", "level"),
    [
        ("rdm6300", "pn532", Level.WRONG),
        ("bumps", "id12", Level.WRONG),
        ("keyboard", "bumps", Level.WRONG),
        ("keyboard", "rdm6300", Level.NOTE),
        ("pn532", "keyboard", Level.NOTE),
    ],
)
def test_what_a_reader_that_types_reads_is_not_known(left: str, right: str, level: Level) -> None:
    found = mixed_readers(left, right)
    assert found is not None
    assert found.level is level
    assert left in found.what
    assert right in found.what
