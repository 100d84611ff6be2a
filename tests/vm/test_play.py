"""A game on a real kernel: real edges, a real sound card, real serial lines, a real clock."""

from __future__ import annotations

import pytest

from tests.listening import count_onsets
from tests.vm.machine.machine import DISPLAY_ADDRESS, DISPLAY_BUS
from tests.vm.machine.sound import Recorder
from tests.vm.machine.table import Events, Table

GREETING_S = 2.0
"""The sound of the start is over after this time."""

LATE_S = 0.1
"""The motor may outlast its time by this."""


@pytest.mark.parametrize("coins", [1, 3, 6])
def test_a_press_is_heard_as_the_drawn_number_of_pings(table: Table, coins: int) -> None:
    weights = [1 if n == coins else 0 for n in range(1, 7)]
    table.play_with(odds=f"{{ coins = {weights}, laugh = 0, power_up = 0, game_over = 0 }}")
    table.pass_time(GREETING_S)
    events = Events(table.inside)
    recorder = Recorder(table.inside)
    table.press_block()
    assert events.until("block.outcome")["coins"] == coins
    events.until("lamp", on=False)
    assert count_onsets(recorder.stop()) == coins


def test_the_motor_runs_from_the_levers_release_until_its_time_is_up(table: Table) -> None:
    events = Events(table.inside)
    released = table.start_apple(events)
    events.until("apple.stopped")
    edges = table.header.edges(table.motor, since=released)
    on, off = edges[0], edges[-1]
    assert on.level
    assert not off.level
    assert released < on.t < released + 0.5
    assert released + table.apple.seconds - 0.5 < off.t < released + table.apple.seconds + LATE_S
    assert not table.header.level(table.motor)


def test_two_cards_and_a_typed_amount_are_a_transfer_in_the_ledger(table: Table) -> None:
    events = Events(table.inside)
    for slot, card in (("left", 1), ("right", 2)):
        table.insert(slot, card)
        events.until("card.inserted", slot=slot, number=card)
    table.type_keys("1", ".", "5", "M")
    transfer = events.until("transfer")
    assert (transfer["from"], transfer["to"], transfer["amount"]) == (2, 1, 1_500_000)
    last = table.transfers()[-1]
    for name in ("id", "from", "to", "amount"):
        assert last[name] == transfer[name]
    assert table.machine.trace.display_lines(bus=DISPLAY_BUS, address=DISPLAY_ADDRESS) == ["+1 16.5M", "-2 13.5M"]
