from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from installer.layout import CONFIG, STATE
from installer.ledger_copy import copy_ledger, copy_name, fit_ledger
from installer.version import NEWEST_FORM
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from tests.systemd.made_up_target import MadeUpTarget, form_of


@pytest.fixture
def machine(tmp_path: Path) -> MadeUpTarget:
    return MadeUpTarget(tmp_path)


@pytest.fixture
def ledger(machine: MadeUpTarget) -> Path:
    return book(machine.path(STATE / LEDGER_FILE))


def book(file: Path) -> Path:
    file.parent.mkdir(parents=True)
    with closing(LedgerFile(file)) as ledger:
        game = ledger.new_game("world", 15_000_000, at=0.0, cards=(1, 2))
        ledger.pay(game.id, 1, 2, 500_000, reason="players", press=f"a{game.id}", at=1.0)
    return file


def games(file: Path) -> int:
    with closing(LedgerFile(file, read_only=True)) as ledger:
        assert ledger.verify() == []
        return len(ledger.games())


def migrate(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")


def damage(file: Path) -> None:
    file.write_bytes(b"no ledger at all" * 1000)


def test_a_newer_ledger_is_replaced_by_its_copy(machine: MadeUpTarget, ledger: Path) -> None:
    assert copy_ledger(machine) == NEWEST_FORM
    migrate(ledger)
    assert copy_ledger(machine) == 99
    for aside in ("ledger.db.set-aside-1", "ledger.db.set-aside-2"):
        assert aside in fit_ledger(machine, NEWEST_FORM)
        assert games(ledger) == games(ledger.with_name(copy_name(NEWEST_FORM))) == 1
        assert form_of(ledger.with_name(aside)) == form_of(ledger.with_name(copy_name(99))) == 99
        migrate(ledger)


def test_the_copy_includes_the_write_ahead_log(machine: MadeUpTarget, ledger: Path) -> None:
    with closing(LedgerFile(ledger)) as at_work:
        at_work.new_game("world", 15_000_000, at=2.0, cards=(1, 2))
        copy_ledger(machine)
    assert games(ledger.with_name(copy_name(NEWEST_FORM))) == 2


def test_a_spoilt_ledger_is_restored(machine: MadeUpTarget, ledger: Path) -> None:
    was = copy_ledger(machine)
    damage(ledger)
    ledger.with_name(LEDGER_FILE + "-wal").write_bytes(b"rubbish")
    assert fit_ledger(machine, NEWEST_FORM, was=was)
    assert games(ledger) == 1
    assert ledger.with_name("ledger.db.set-aside-1-wal").read_bytes() == b"rubbish"


def test_a_damaged_ledger_is_kept_byte_by_byte(machine: MadeUpTarget, ledger: Path) -> None:
    copy_ledger(machine)
    damage(ledger)
    assert copy_ledger(machine) is None
    assert ledger.with_name("ledger.db.unreadable").read_bytes() == ledger.read_bytes()
    assert fit_ledger(machine, NEWEST_FORM) == ""
    assert games(ledger.with_name(copy_name(NEWEST_FORM))) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a power that could be borrowed")
@pytest.mark.parametrize("name", [f"{LEDGER_FILE}.new", copy_name(NEWEST_FORM), f"{copy_name(NEWEST_FORM)}.new"])
def test_root_follows_no_link_of_the_player(name: str) -> None:
    player = 12345
    with tempfile.TemporaryDirectory() as folder:  # other users may not enter pytest's folder
        machine = MadeUpTarget(Path(folder))
        machine.root.chmod(0o755)
        state, roots = machine.path(STATE), machine.root / "job"
        roots.write_text("root's own")
        book(state / LEDGER_FILE)
        (state / name).symlink_to(roots)
        for file in (state, *state.iterdir()):
            os.chown(file, player, player, follow_symlinks=False)
        copy_ledger(machine)
        migrate(state / LEDGER_FILE)
        fit_ledger(machine, NEWEST_FORM)
        assert roots.read_text() == "root's own"
        assert roots.stat().st_uid == 0
        assert games(state / LEDGER_FILE) == 1
        assert {file.stat().st_uid for file in state.iterdir()} == {player}
    assert (os.geteuid(), os.getegid()) == (0, 0)


@pytest.mark.parametrize("said", ['"/data/reboard"', '"../../data/reboard"'])
@pytest.mark.parametrize("more", ["", "oops ["], ids=["good", "broken"])
def test_the_ledger_is_found_with_a_bad_config(machine: MadeUpTarget, said: str, more: str) -> None:
    machine.path(CONFIG).parent.mkdir(parents=True)
    machine.path(CONFIG).write_text(f"[state]\ndirectory = {said}\n{more}\n")
    elsewhere = book(machine.path(Path("/data/reboard") / LEDGER_FILE))
    copy_ledger(machine)
    assert elsewhere.with_name(copy_name(NEWEST_FORM)).exists()
