from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from installer import ledger_copy
from installer.layout import CONFIG, LEDGER_NAME, STATE
from installer.ledger_copy import copy_ledger, copy_name, fit_ledger
from installer.target import InstallError
from installer.version import NEWEST_FORM
from reboard.banker.book import LEDGER_FILE
from reboard.banker.ledger import Ledger
from tests.systemd.made_up_target import MadeUpTarget


@pytest.fixture
def machine(tmp_path: Path) -> MadeUpTarget:
    machine = MadeUpTarget(tmp_path)
    machine.path(STATE).mkdir(parents=True)
    return machine


@pytest.fixture
def ledger(machine: MadeUpTarget) -> Path:
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


def form(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def damage(file: Path) -> None:
    file.write_bytes(b"no ledger at all" * 1000)


def test_the_installer_looks_for_what_the_table_keeps() -> None:
    assert LEDGER_NAME == LEDGER_FILE


def test_a_ledger_of_a_newer_form_is_set_aside_for_the_one_before(machine: MadeUpTarget, ledger: Path) -> None:
    assert copy_ledger(machine) == NEWEST_FORM
    migrate(ledger)
    words = fit_ledger(machine, NEWEST_FORM)
    assert words == "with the ledger as it was before; what was played since is kept as ledger.db.set-aside-1"
    assert games(ledger) == 1
    assert form(ledger.with_name("ledger.db.set-aside-1")) == 99


def test_what_was_played_meanwhile_stays_when_the_form_is_known(machine: MadeUpTarget, ledger: Path) -> None:
    copy_ledger(machine)
    book(ledger)
    assert fit_ledger(machine, NEWEST_FORM) == ""
    assert games(ledger) == 2


def test_a_copy_of_an_older_form_is_never_overwritten(machine: MadeUpTarget, ledger: Path) -> None:
    copy_ledger(machine)
    migrate(ledger)
    copy_ledger(machine)
    assert form(ledger.with_name(copy_name(99))) == 99
    assert games(ledger.with_name(copy_name(NEWEST_FORM))) == 1
    fit_ledger(machine, NEWEST_FORM)
    migrate(ledger)
    fit_ledger(machine, NEWEST_FORM)
    assert form(ledger.with_name("ledger.db.set-aside-2")) == 99


def test_an_older_copy_serves_where_there_is_none_of_the_very_form(machine: MadeUpTarget, ledger: Path) -> None:
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("PRAGMA user_version = 1")
    copy_ledger(machine)
    migrate(ledger)
    assert fit_ledger(machine, 7)
    assert form(ledger) == 1


def test_without_a_copy_that_fits_it_is_refused_and_nothing_is_changed(machine: MadeUpTarget, ledger: Path) -> None:
    migrate(ledger)
    copy_ledger(machine)
    with pytest.raises(InstallError, match=r"its form is 99, and this one knows none above 2\."):
        fit_ledger(machine, 2)
    assert form(ledger) == 99


def test_what_was_not_yet_in_the_file_itself_is_copied_too(machine: MadeUpTarget, ledger: Path) -> None:
    with closing(Ledger(ledger)) as at_work:
        at_work.new_game("world", 15_000_000, at=2.0, cards=(1, 2))
        copy_ledger(machine)
    assert games(ledger.with_name(copy_name(NEWEST_FORM))) == 2


def test_a_ledger_that_the_new_version_spoilt_is_as_it_was_before(machine: MadeUpTarget, ledger: Path) -> None:
    was = copy_ledger(machine)
    damage(ledger)
    ledger.with_name(LEDGER_NAME + "-wal").write_bytes(b"rubbish")
    assert fit_ledger(machine, NEWEST_FORM, was=was)
    assert games(ledger) == 1
    assert ledger.with_name("ledger.db.set-aside-1-wal").read_bytes() == b"rubbish"


def test_a_ledger_that_was_damaged_before_is_kept_byte_by_byte_and_left_to_the_table(
    machine: MadeUpTarget, ledger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy_ledger(machine)
    damage(ledger)
    assert copy_ledger(machine) is None
    assert ledger.with_name("ledger.db.unreadable").read_bytes() == ledger.read_bytes()
    assert "cannot be read: file is not a database. The table mends what it can." in capsys.readouterr().out
    assert fit_ledger(machine, NEWEST_FORM) == ""
    assert games(ledger.with_name(copy_name(NEWEST_FORM))) == 1


def test_where_nobody_has_played_yet_there_is_nothing_to_copy(machine: MadeUpTarget) -> None:
    assert copy_ledger(machine) is None
    assert fit_ledger(machine, NEWEST_FORM) == ""
    assert list(machine.path(STATE).iterdir()) == []


def test_a_ledger_that_cannot_be_copied_keeps_everything_as_it_is(
    machine: MadeUpTarget, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ledger_copy, "_keep", no_room)
    with pytest.raises(InstallError, match=r"could not be copied, so no other version was started: .*No space left"):
        copy_ledger(machine)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a power that could be borrowed")
@pytest.mark.parametrize("name", [f"{LEDGER_NAME}.new", copy_name(NEWEST_FORM), f"{copy_name(NEWEST_FORM)}.new"])
def test_links_that_the_user_who_plays_has_laid_lead_root_nowhere(machine: MadeUpTarget, name: str) -> None:
    player = 12345
    with tempfile.TemporaryDirectory() as folder:  # pytest's own nobody else may enter
        machine = MadeUpTarget(Path(folder))
        machine.root.chmod(0o755)
        state, roots = machine.path(STATE), machine.path(Path("/etc/job"))
        for there in (state, roots.parent):
            there.mkdir(parents=True)
        roots.write_text("root's own")
        book(state / LEDGER_NAME)
        (state / name).symlink_to(roots)
        for file in (state, *state.iterdir()):
            os.chown(file, player, player, follow_symlinks=False)
        copy_ledger(machine)
        migrate(state / LEDGER_NAME)
        fit_ledger(machine, NEWEST_FORM)
        assert roots.read_text() == "root's own"
        assert roots.stat().st_uid == 0
        assert games(state / LEDGER_NAME) == 1
        assert {file.stat().st_uid for file in state.iterdir()} == {player}
    assert (os.geteuid(), os.getegid()) == (0, 0)


@pytest.mark.parametrize("said", ['"/data/reboard"', '"../../data/reboard"'])
@pytest.mark.parametrize("more", ["", "oops ["], ids=["good", "broken"])
def test_it_is_found_where_the_config_says_however_bad_that_is(machine: MadeUpTarget, said: str, more: str) -> None:
    machine.path(CONFIG).parent.mkdir(parents=True)
    machine.path(CONFIG).write_text(f"[state]\ndirectory = {said}\n{more}\n")
    elsewhere = machine.path(Path("/data/reboard"))
    elsewhere.mkdir(parents=True)
    book(elsewhere / LEDGER_NAME)
    copy_ledger(machine)
    assert (elsewhere / copy_name(NEWEST_FORM)).exists()


@pytest.mark.parametrize("text", ["", "nonsense", "state = 3", "[state]\n"])
def test_a_config_that_names_none_leaves_it_in_the_usual_place(machine: MadeUpTarget, ledger: Path, text: str) -> None:
    machine.path(CONFIG).parent.mkdir(parents=True)
    machine.path(CONFIG).write_text(text)
    copy_ledger(machine)
    assert ledger.with_name(copy_name(NEWEST_FORM)).exists()
