"""Whatever keys are pressed and however long, with whatever cards in, the unit plays on and its books are right."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.banker.ledger import Ledger
from reboard.edition import edition_names
from reboard.parts.keypad import LEGEND
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import table

SLOTS = ("left", "right")
KEYS = st.sampled_from([key for row in LEGEND for key in row])
INTO_POT, TAKE_POT = "GO 1 M", ". M"
TOUCHES = st.one_of(
    st.tuples(KEYS, st.sampled_from([0.05, 0.05, 0.05, 0.5, 1.2, 1.8, 3.2, 7.0]), st.just("")),
    st.tuples(st.sampled_from(SLOTS), st.integers(0, 8), st.just("")),
    st.tuples(st.sampled_from(SLOTS), st.integers(1, 6), st.sampled_from([INTO_POT, TAKE_POT])),
)
"""A key and how long it is held; or a slot, the card that is put into it (0: none), and keys for it alone."""


@settings(max_examples=60, deadline=None, derandomize=True)
@given(edition=st.sampled_from(edition_names()), pot=st.booleans(), touches=st.lists(TOUCHES, min_size=20, max_size=40))
def test_whatever_is_pressed_the_unit_plays_on_and_its_books_are_right(
    edition: str, pot: bool, touches: list[tuple[str, float, str]]
) -> None:
    async def main() -> None:
        async with table(folder / "ledger.db", edition=edition, pot=pot) as hands:
            for what, how, keys in touches:
                if what not in SLOTS:
                    await hands.key(what, how)
                    continue
                slot, other = (hands.left, hands.right) if what == "left" else (hands.right, hands.left)
                for emptied in (slot, other) if keys else (slot,):
                    if emptied.tag:
                        emptied.take()
                if how:
                    slot.put(f"D{how:g}")
                await hands.wait(0.1)
                for key in keys.split():
                    await hands.key(key)
            told.update(hands.unit.snapshot())

    told: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(main)
        with closing(Ledger(folder / "ledger.db")) as ledger:
            assert ledger.verify() == []
            for game in ledger.games():
                cards = ledger.balances(game.id)
                in_pot = ledger.pot(game.id)
                assert sum(cards.values()) + ledger.balance(game.id, 0) + (in_pot or 0) == 0
                assert in_pot is None or (pot and in_pot >= 0)
                if pot and game.id == told["game"]:
                    assert told["pot"]["balance"] == (in_pot or 0)
