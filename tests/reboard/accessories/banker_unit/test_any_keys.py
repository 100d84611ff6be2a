"""Any keys and cards leave a running unit and an intact ledger."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.accessories.banker_unit.accounts import POT
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.devices.keypad import LEGEND
from reboard.editions.edition import edition_names
from reboard_sim.virtual_time import run
from tests.reboard.accessories.banker_unit.fakes import table
from tests.reboard.accessories.banker_unit.power_cuts.proof import IN_MEMORY

SLOTS = ("left", "right")
KEYS = st.sampled_from([key for row in LEGEND for key in row])
INTO_POT, TAKE_POT = "GO 1 M", ". M"
TOUCHES = st.one_of(
    st.tuples(KEYS, st.sampled_from([0.05, 0.05, 0.05, 0.5, 1.2, 1.8, 3.2, 7.0]), st.just("")),
    st.tuples(st.sampled_from(SLOTS), st.integers(0, 8), st.just("")),
    st.tuples(st.sampled_from(SLOTS), st.integers(1, 6), st.sampled_from([INTO_POT, TAKE_POT])),
)
"""A key and how long it is held; or a slot, the card that is put into it (0: none), and keys for it alone."""


@settings(max_examples=30, deadline=None, derandomize=True)
@given(edition=st.sampled_from(edition_names()), pot=st.booleans(), touches=st.lists(TOUCHES, min_size=20, max_size=40))
def test_any_keys_leave_a_running_unit_and_a_sound_ledger(
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
                    slot.seen(f"D{how:g}")
                await hands.do("wait 0.1")
                for key in keys.split():
                    await hands.key(key)
            told.update(hands.snapshot)

    told: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as name:
        folder = Path(name)
        run(main)
        with closing(LedgerFile(folder / "ledger.db")) as ledger:
            assert ledger.verify() == []
            for game in ledger.games():
                accounts = ledger.accounts(game.id)
                in_pot = accounts.get(POT)
                assert sum(accounts.values()) + ledger.balance(game.id, 0) == 0
                assert in_pot is None or (pot and in_pot >= 0)
                if pot and game.id == told["game"]:
                    assert told["pot"]["balance"] == (in_pot or 0)
