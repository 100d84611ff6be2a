"""What hands do at the table, on a real kernel: real edges, a real sound card, real serial lines, a real clock."""

from __future__ import annotations

import pytest

from tests.listening import count_onsets
from tests.vm.machine.table import Table

GREETING_S = 2.0
"""So long after its start a table is heard, and a while longer."""

LATE_S = 0.1
"""The motor is off so long after its time, at the latest."""


@pytest.mark.parametrize("coins", [1, 3, 6])
def test_a_press_is_heard_as_so_many_pings_as_were_drawn(table: Table, coins: int) -> None:
    weights = [1 if n == coins else 0 for n in range(1, 7)]
    table.play_with(odds=f"{{ coins = {weights}, laugh = 0, power_up = 0, game_over = 0 }}")
    table.pass_time(GREETING_S)
    door = table.door()
    with table.machine.ears.listening() as recording:
        table.press_block()
        assert door.until("block.outcome")["coins"] == coins
        door.until("lamp", on=False)
    assert count_onsets(recording.samples) == coins


def test_the_motor_runs_from_the_levers_release_until_its_time_is_up(table: Table) -> None:
    header, door = table.machine.header, table.door()
    header.close_contact(table.apple.lever)
    door.until("apple.wound")
    released = header.open_contact(table.apple.lever)
    door.until("apple.stopped")
    edges = header.edges(table.motor, since=released)
    on, off = edges[0], edges[-1]
    assert on.level
    assert not off.level
    assert released < on.t < released + 0.5
    assert released + table.apple.seconds - 0.5 < off.t < released + table.apple.seconds + LATE_S
    assert not header.level(table.motor)


def test_cards_at_both_readers_and_an_amount_on_the_keys_are_a_transfer_in_the_ledger(table: Table) -> None:
    door = table.door()
    table.insert("left", 1)
    door.until("card.inserted", slot="left", number=1)
    table.insert("right", 2)
    door.until("card.inserted", slot="right", number=2)
    table.type_keys("1", ".", "5", "M")
    told = door.until("transfer")
    assert (told["from"], told["to"], told["amount"]) == (2, 1, 1_500_000)
    last = table.ledger()[-1]
    assert {name: last[name] for name in ("id", "from", "to", "amount")} == {
        name: told[name] for name in ("id", "from", "to", "amount")
    }
    assert [line.rstrip() for line in table.machine.glass.lines()] == ["+1 16.5M", "-2 13.5M"]
