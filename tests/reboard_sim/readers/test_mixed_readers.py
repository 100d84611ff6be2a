"""Two kinds of reader in the two slots: a warning unless each card has the same tag in both."""

from __future__ import annotations

from itertools import product

import pytest

from reboard.devices.readers.card_slot import mixed_readers
from reboard_sim.devices.card_slot import READERS
from reboard_sim.devices.readers.virtual_reader import DECK

SAYS = {kind.__name__.removesuffix("Config").lower(): reader.says for kind, reader in READERS.items()}


@pytest.mark.parametrize(("left", "right"), [*product(SAYS, SAYS)])
def test_a_pair_gets_a_warning_unless_a_card_has_one_tag_in_both(left: str, right: str) -> None:
    has_one_tag = SAYS[left](DECK[0]) == SAYS[right](DECK[0])
    assert (mixed_readers(left, right) is None) == has_one_tag
