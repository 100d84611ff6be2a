"""A game on a real kernel: real edges, a real sound card, real serial lines, a real clock."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from reboard.accessories.speed_die.dice import Roll
from reboard.accessories.speed_die.faces import glyphs
from reboard.devices.displays.text_display import REFRESH_S
from reboard.devices.matrix import MatrixConfig
from reboard_sim.devices.matrix import VirtualMatrix
from tests.listening import count_onsets
from tests.plugged_in import DOCUMENT, FILES, documented_code
from tests.vm.machine.machine import DISPLAY_ADDRESS, DISPLAY_BUS
from tests.vm.machine.sound import Recorder
from tests.vm.machine.table import CONFIG, REBOARD, Events, Table

GREETING_S = 2.0
"""The sound of the start is over after this time."""

LATE_S = 0.1
"""The motor may outlast its time by this."""

MATRIX = MatrixConfig(modules=3)
DIE = f'[die]\nbutton = 4\nmatrix = {{ driver = "max7219", modules = {MATRIX.modules} }}\n'
SETTLED_S = 3.0
"""The dice do not blink any more after this time."""

SPIKES = 10
LONGEST_SPIKE_S = 0.02

LAMP = 26
INSTALLED_WITHIN_S = 300.0
PIP_WITHOUT_NETWORK = "[global]\nno-build-isolation = false\ndisable-pip-version-check = true\n"
"""pip builds with the machine's own setuptools. Such an option is read as its opposite."""


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


def test_a_spike_on_the_buttons_line_is_no_press(table: Table) -> None:
    table.play_with(odds="{ coins = [1], laugh = 0, power_up = 0, game_over = 0 }")
    events = Events(table.inside)
    for _ in range(SPIKES):
        assert table.header.spike(table.block.button) <= LONGEST_SPIKE_S
        table.pass_time(0.2)
    table.press_block()
    events.until("block.outcome")
    table.pass_time(1)
    assert [event["event"] for event in events.rest()].count("block.outcome") == 0
    assert sum(table.page()["block"]["tally"]["coins"]) == 1


def test_a_display_that_a_dip_has_emptied_is_written_again(table: Table) -> None:
    events = Events(table.inside)
    table.insert("left", 1)
    events.until("card.inserted", slot="left", number=1)
    table.pass_time(SETTLED_S)
    dip_at = table.inside.now()
    table.pass_time(REFRESH_S + 1)
    shown = table.machine.trace.display_lines(bus=DISPLAY_BUS, address=DISPLAY_ADDRESS, dip_at=dip_at)
    assert shown == ["+1 15M", ""]


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


def test_the_speed_die_shows_its_roll_on_the_led_modules(table: Table) -> None:
    table.inside.must("tee", CONFIG, stdin=DIE + "[speaker]\n")
    table.start()
    table.header.trace_only(*MATRIX.pins.values())
    events = Events(table.inside)
    table.header.press(4)
    rolled = events.until("die.rolled")
    table.pass_time(SETTLED_S)
    board: Any = SimpleNamespace(add_spi_device=lambda *chip: None)
    matrix = VirtualMatrix(MATRIX, board)
    for sent in table.header.shifted(MATRIX):
        matrix.receive(sent)
    assert matrix.glyphs() == [list(rows) for rows in glyphs(Roll(tuple(rolled["white"]), rolled["red"]))]


def test_an_accessory_of_ones_own_beside_the_package_plays(table: Table) -> None:
    inside = table.inside
    # a copy of the maker's folder
    inside.sh(f"cd /root && {REBOARD} new-accessory buzzer && rm -r reboard-buzzer/reboard_buzzer/panel/picture.svg")
    code = documented_code()
    for language, file in FILES.items():
        inside.must("tee", f"/root/reboard-buzzer/{file}", stdin=code[language])
    inside.must("tee", "/etc/pip.conf", stdin=PIP_WITHOUT_NETWORK)
    inside.must("tee", CONFIG, stdin=code["toml"])
    install = re.findall(r"^    (sudo .*)$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    inside.sh("cd /root && " + " && ".join(install), within_s=INSTALLED_WITHIN_S)
    table.header.trace_only(LAMP)
    events = Events(inside)
    pressed = table.header.press(5)
    scored = events.until("buzzer.scored")
    assert (scored["side"], scored["points"]) == ("left", 1)
    events.until("lamp", on=False)
    lamp = table.header.edges(LAMP, since=pressed)
    assert [edge.level for edge in lamp] == [True, False]
    assert table.page()["buzzer"]["left"] == 1
