"""A whole setup, from the first question to the config."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from reboard.commands.setup import set_up
from reboard.config import load_config
from reboard.errors import ReboardError
from reboard.parts.keypad import LEGEND
from reboard_sim.deck import DECK
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run
from tests.reboard.doctor.made_up import TABLE, MadeUpMachine, installed
from tests.reboard.setup.acts import comes_to, has_nothing_after, press, press_key
from tests.reboard.setup.person import Person, set_up_with

WIRED = TABLE.replace("/dev/reboard-left", "/dev/ttyUSB0").replace("0x27", "0x3F")
BLOCK = "[block]\nbutton = 17\nlamp = 27\n"


async def sets_up_everything(person: Person) -> None:
    await person.answers("Which one is played? [world]", "super-mario")
    await person.answers("Is there a question block? y or n? [y]")
    await person.answers("Which pin is its button on? A number, or f to find it. [17]")
    await person.sees("Press the button now.")
    await press(person.pi.button)
    await person.sees("Pin 17 heard it.")
    await person.answers("Does the block have a lamp? y or n? [y]")
    await person.answers("Which pin is the lamp on? [27]")
    await person.answers("Did it blink 3 times?", "y")
    await person.answers("Is there a worm apple?", "y")
    await person.answers("Which pin is its lever on? A number, or f to find it. [22]")
    await person.sees("Pull the lever all the way back")
    await press(person.pi.lever)
    await person.answers("Does the apple have a motor?")
    await person.answers("Which pin is the motor on? [13]")
    await person.answers("Are all fingers away from it? y or n? [n]", "y")
    await person.answers("Did it turn, and stop?", "y")
    await person.answers("Is there a banker unit")
    for side in ("left", "right"):
        await person.answers(f"Is there a {side} slot")
        await person.answers("What is in it?")
        await person.sees(f"Hold a card to the {side} slot now.")
        person.pi.reader(side).put(DECK[0])
        await person.sees(f"The card {DECK[0]} was read by a reader of the kind rdm6300")
        person.pi.reader(side).take()
    await person.answers("Is there a display")
    await person.sees("Something answers at 0x3F on bus 1.")
    assert person.pi.lcd.lines() == ["Can you read    ", "this? 0x3F      "]
    await person.answers('Does it show "Can you read this?"', "y")
    await person.answers("Is there a keypad?")
    await person.answers("Is it wired so?", "y")
    await person.sees("Press every key once, in any order.")
    for row in LEGEND:
        for key in row:
            await press_key(person, key)
    await person.sees("Every key works.")
    await person.answers("Is there a speaker?")
    await person.answers("plughw:CARD=Device played a sound. Did you hear it?", "y")
    await person.answers("Write this to")
    await person.sees("is written.")


def test_a_table_that_is_wired_as_drawn_is_set_up_by_trying_every_part(pi: MadeUpMachine) -> None:
    outcome = set_up_with(pi, WIRED, sets_up_everything)
    assert outcome.is_written
    wanted = pi.root / "wanted.toml"
    wanted.write_text(
        TABLE.replace("world", "super-mario")
        .replace("0x27", "0x3F")
        .replace("[speaker]", '[speaker]\ndevice = "plughw:CARD=Device"')
        .replace('[page]\nlisten = "0.0.0.0:8080"', "")
    )
    assert outcome.config == replace(load_config(wanted), path=outcome.file)


def test_what_is_said_fits_a_terminal_of_80_columns(pi: MadeUpMachine) -> None:
    said = set_up_with(pi, WIRED, sets_up_everything).said
    too_wide = [line for line in said.splitlines() if len(line) > 80 and str(pi.root) not in line and "? " not in line]
    assert too_wide == []


def test_the_file_that_is_written_explains_every_setting(pi: MadeUpMachine) -> None:
    text = set_up_with(pi, WIRED, sets_up_everything).file.read_text()
    assert "button = 17     # between the pin and ground" in text
    assert "# seconds = 13.0" in text


def test_who_skips_everything_and_writes_has_the_config_as_it_was(pi: MadeUpMachine) -> None:
    before = (
        BLOCK
        + 'odds = { laugh = 30 }\n[bank]\nnames = ["Anna"]\ncards = ["62E3086CED"]\n[page]\nlisten = "0.0.0.0:80"\n'
    )

    async def acts(person: Person) -> None:
        await person.answers("played?", "s")
        await person.answers("question block?", "s")
        await person.answers("a lamp?", "s")
        await person.answers("worm apple?", "n")
        await person.answers("banker unit", "s")
        for part in ("left slot", "right slot", "display", "keypad", "speaker"):
            await person.answers(f"Is there a {part}", "s")
        await person.answers("Write this to", "y")

    outcome = set_up_with(pi, BLOCK, acts, before=before)
    wanted = pi.root / "wanted.toml"
    wanted.write_text(before)
    assert outcome.config == replace(load_config(wanted), path=outcome.file)


def test_the_config_that_was_there_is_kept_aside_each_time(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to(person, "block")
        await person.answers("question block?", "s")
        await person.answers("a lamp?", "n")
        await has_nothing_after(person, "block")

    (pi.root / "table.toml.before-setup").write_text("an older one")
    outcome = set_up_with(pi, BLOCK, acts, before=BLOCK)
    assert outcome.config.block is not None
    assert outcome.config.block.lamp is None
    assert (pi.root / "table.toml.before-setup").read_text() == "an older one"
    assert (pi.root / "table.toml.before-setup2").read_text() == BLOCK


def test_what_is_kept_aside_has_the_same_readers(pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def acts(person: Person) -> None:
        await comes_to(person, "block")
        await person.answers("question block?", "s")
        await person.answers("a lamp?", "n")
        await has_nothing_after(person, "block")

    given: list[tuple[Path, int, int]] = []
    monkeypatch.setattr(os, "chown", lambda path, user, group: given.append((path, user, group)))
    set_up_with(pi, BLOCK, acts, before=BLOCK)
    before = (pi.root / "table.toml").stat()
    assert given == [(pi.root / "table.toml.before-setup", before.st_uid, before.st_gid)]


def test_who_cannot_give_a_file_away_keeps_the_one_before_all_the_same(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def acts(person: Person) -> None:
        await comes_to(person, "block")
        await person.answers("question block?", "s")
        await person.answers("a lamp?", "n")
        await has_nothing_after(person, "block")

    def forbid(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", forbid)
    outcome = set_up_with(pi, BLOCK, acts, before=BLOCK)
    assert outcome.config.block is not None
    assert outcome.config.block.lamp is None
    assert (pi.root / "table.toml.before-setup").read_text() == BLOCK


def test_the_file_keeps_who_may_read_it(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to(person, "block")
        await person.answers("question block?", "s")
        await person.answers("a lamp?", "n")
        await has_nothing_after(person, "block")

    file = pi.root / "table.toml"
    file.write_text(BLOCK)
    file.chmod(0o640)
    set_up_with(pi, BLOCK, acts)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize("way", ["q", "quit", "Q"])
def test_who_quits_has_written_nothing(pi: MadeUpMachine, way: str) -> None:
    async def acts(person: Person) -> None:
        await person.answers("Which one is played?", "nintendo")
        await person.answers("Is there a question block?", way)

    outcome = set_up_with(pi, BLOCK, acts, before=BLOCK)
    assert not outcome.is_written
    assert outcome.file.read_text() == BLOCK
    assert outcome.said.endswith("Nothing was written.\n")


def test_a_terminal_that_is_closed_is_the_end_and_nothing_is_written(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await person.sees("Which one is played?")

    outcome = set_up_with(pi, BLOCK, acts)
    assert not outcome.is_written
    assert not outcome.file.exists()


def test_who_does_not_want_it_written_in_the_end_has_nothing_written(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to(person, "block")
        for question in ("question block?", "a lamp?", "worm apple?", "banker unit", "a speaker?"):
            await person.answers(question, "s")
        await person.answers("Write this to", "n")

    assert not set_up_with(pi, BLOCK, acts, before=BLOCK).is_written


def test_who_goes_back_finds_what_was_answered_and_can_change_it(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await person.answers("Which one is played? [world]", "nintendo")
        await person.answers("Is there a question block?", "b")
        await person.answers("Which one is played? [nintendo]", "classic-de")
        await person.answers("Is there a question block?", "s")
        await person.answers("a lamp?", "s")
        # what was not asked because there is none is passed over on the way back
        await person.answers("Is there a worm apple?", "n")
        await person.answers("Is there a banker unit", "b")
        await person.answers("Is there a worm apple?", "n")
        await person.answers("Is there a banker unit", "n")
        await person.answers("Is there a speaker?", "n")
        await person.answers("Write this to", "b")
        await person.answers("Is there a speaker?", "b")
        await person.answers("Is there a banker unit", "n")
        await person.answers("Is there a speaker?", "n")
        await person.answers("Write this to", "y")

    assert set_up_with(pi, BLOCK, acts, before=BLOCK).config.edition == "classic-de"


def test_who_goes_back_at_the_first_question_is_asked_it_again(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await person.answers("Which one is played?", "b")
        await person.answers("Which one is played?", "q")

    assert not set_up_with(pi, BLOCK, acts).is_written


def test_a_table_without_any_accessory_is_not_written(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to(person, "speaker")
        await person.answers("Is there a speaker?", "n")
        await person.sees("That cannot be played with: nothing is plugged in")
        await person.answers("Is there a speaker?", "q")

    assert not set_up_with(pi, BLOCK, acts).is_written


def test_a_config_that_cannot_be_used_is_not_begun_with(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await person.sees("The present config cannot be used")
        await person.answers("Which one is played? [world]", "q")

    assert set_up_with(pi, BLOCK, acts, before="edition = ").file.read_text() == "edition = "


@pytest.mark.parametrize(
    ("unit", "active"),
    [
        ("reboard-safe.service", "active"),
        ("reboard.service", "activating"),
        ("reboard.service", "reloading"),
        ("reboard.service", "deactivating"),
    ],
)
def test_while_a_service_has_the_pins_or_will_have_them_nothing_is_tried(
    pi: MadeUpMachine, unit: str, active: str
) -> None:
    pi.units[unit] = installed(ActiveState=active)

    async def acts(_: Person) -> None:
        pass

    with pytest.raises(ReboardError, match="`sudo systemctl stop reboard reboard-safe`, and begin again"):
        set_up_with(pi, BLOCK, acts)


def test_a_table_is_found_where_the_config_says_from_wherever_the_setup_is_called(pi: MadeUpMachine) -> None:
    async def main() -> None:
        text = f'{TABLE}[state]\ndirectory = "state"\n'
        (pi.root / "table.toml").write_text(text)
        state = pi.root / "state"
        scene = Scene.of_text(text, pi.root / "table.toml", state)
        table = VirtualTable(scene, seed=1, door=state / "table.sock")
        await table.power_on()
        at_the_true_root = MadeUpMachine(Path("/"))
        try:
            with pytest.raises(ReboardError, match="has the pins"):
                await set_up(pi.root / "table.toml", Person(table.pi), table.pi, at_the_true_root)
        finally:
            await table.close()

    run(main)


def test_while_a_table_is_at_work_nothing_is_tried(pi: MadeUpMachine) -> None:
    async def main() -> None:
        scene = Scene.of_text(TABLE, pi.root / "table.toml", pi.path("/var/lib/reboard"))
        table = VirtualTable(scene, seed=1, door=pi.path("/var/lib/reboard/table.sock"))
        await table.power_on()
        try:
            with pytest.raises(ReboardError, match=r"a table is at work, .* has the pins: `sudo systemctl stop"):
                await set_up(pi.root / "table.toml", Person(table.pi), table.pi, pi)
        finally:
            await table.close()

    run(main)
