from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from installer.layout import CONFIG, LEDGER_NAME, STATE
from installer.ledger_copy import COPY_NAME, copy_ledger, restore_ledger
from installer.machine import InstallError
from reboard.banker.book import LEDGER_FILE
from reboard.banker.ledger import Ledger
from reboard.settings.state_directory import USUAL_STATE_DIRECTORY
from tests.systemd.made_up_machine import MadeUpMachine


@pytest.fixture
def machine(tmp_path: Path) -> MadeUpMachine:
    machine = MadeUpMachine(tmp_path)
    machine.path(STATE).mkdir(parents=True)
    return machine


@pytest.fixture
def ledger(machine: MadeUpMachine) -> Path:
    file = machine.path(STATE / LEDGER_NAME)
    book(file)
    return file


def book(file: Path) -> None:
    with closing(Ledger(file)) as ledger:
        game = ledger.new_game("world", 15_000_000, at=0.0, cards=(1, 2))
        ledger.pay(game.id, 1, 2, 500_000, reason="players", press=f"a{game.id}", at=1.0)


def games(file: Path) -> int:
    with closing(Ledger(file, read_only=True)) as ledger:
        assert ledger.verify() == []
        return len(ledger.games())


def migrate(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")


def test_the_installer_looks_where_the_table_keeps_it() -> None:
    assert (LEDGER_NAME, STATE) == (LEDGER_FILE, USUAL_STATE_DIRECTORY)


def test_a_ledger_of_a_new_form_is_as_it_was_before(machine: MadeUpMachine, ledger: Path) -> None:
    copy_ledger(machine)
    migrate(ledger)
    assert restore_ledger(machine)
    assert games(ledger) == 1


def test_what_was_played_meanwhile_stays_when_the_form_is_the_same(machine: MadeUpMachine, ledger: Path) -> None:
    copy_ledger(machine)
    book(ledger)
    assert not restore_ledger(machine)
    assert games(ledger) == 2


def test_what_was_not_yet_in_the_file_itself_is_copied_too(machine: MadeUpMachine, ledger: Path) -> None:
    with closing(Ledger(ledger)) as at_work:
        at_work.new_game("world", 15_000_000, at=2.0, cards=(1, 2))
        copy_ledger(machine)
    assert games(ledger.with_name(COPY_NAME)) == 2


def test_a_ledger_that_the_new_version_spoilt_is_as_it_was_before(machine: MadeUpMachine, ledger: Path) -> None:
    copy_ledger(machine)
    ledger.write_bytes(b"no ledger at all" * 1000)
    ledger.with_name(LEDGER_NAME + "-wal").write_bytes(b"rubbish")
    assert restore_ledger(machine)
    assert games(ledger) == 1


def test_where_nobody_has_played_yet_there_is_nothing_to_copy(machine: MadeUpMachine) -> None:
    machine.path(STATE / COPY_NAME).write_bytes(b"of another time")
    copy_ledger(machine)
    assert not restore_ledger(machine)
    assert list(machine.path(STATE).iterdir()) == []


def test_a_ledger_that_cannot_be_copied_keeps_everything_as_it_is(machine: MadeUpMachine, ledger: Path) -> None:
    ledger.write_bytes(b"no ledger at all" * 1000)
    with pytest.raises(InstallError, match="could not be copied, so no other version was started"):
        copy_ledger(machine)


@pytest.mark.parametrize("said", ['"/data/reboard"', '"../../data/reboard"'])
def test_it_is_found_where_the_config_says(machine: MadeUpMachine, said: str) -> None:
    machine.path(CONFIG).parent.mkdir(parents=True)
    machine.path(CONFIG).write_text(f"[state]\ndirectory = {said}\n")
    elsewhere = machine.path(Path("/data/reboard"))
    elsewhere.mkdir(parents=True)
    book(elsewhere / LEDGER_NAME)
    copy_ledger(machine)
    assert (elsewhere / COPY_NAME).exists()


@pytest.mark.parametrize("text", ["", "nonsense", "state = 3", "[state]\n"])
def test_a_bad_config_leaves_it_in_the_usual_place(machine: MadeUpMachine, ledger: Path, text: str) -> None:
    machine.path(CONFIG).parent.mkdir(parents=True)
    machine.path(CONFIG).write_text(text)
    copy_ledger(machine)
    assert ledger.with_name(COPY_NAME).exists()
