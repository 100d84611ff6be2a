"""The banker's book in the terminal: every game that was kept, and every card in it."""

from __future__ import annotations

import csv
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.accounts import BANK, POT
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.schema import Move
from reboard.commands import ledger as command
from reboard.commands.ledger import forget, still_to_do, undo
from reboard.control.client import USUAL_TIMEOUT_S
from reboard.errors import ControlSocketError, ReboardError
from tests.reboard.accessories.banker_unit.ledger_calls import pay
from tests.reboard.control.test_socket_server import at_a_socket

NOON = 1_700_000_000.0


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A game of `world` that was put aside, in which card 3 went bankrupt, and one of `nintendo` that is on."""
    file = tmp_path / "ledger.db"
    with closing(LedgerFile(file)) as ledger:
        world = ledger.new_game("world", 15_000_000, at=NOON, cards=(1, 2, 3)).id
        pay(ledger, world, 1, 2, 1_500_000, reason="players", press="a", at=NOON)
        pay(ledger, world, 2, BANK, 260_000, reason="paid", press="b", at=NOON)
        ledger.bankrupt(world, 3, 2, press="c", at=NOON)
        nintendo = ledger.new_game("nintendo", 1500, at=NOON + 60, cards=(1,)).id
        pay(ledger, nintendo, BANK, 1, 200, reason="salary", press="d", at=NOON + 61)
    return file


def lines(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_games_are_listed(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.games(book)
    first, second = lines(capsys)
    assert first[:5] == ["1", "world", "3", "cards", "since"]
    assert second[:5] == ["2", "nintendo", "1", "card", "since"]
    assert "ended" in first
    assert "aside" not in second


def test_show_prints_the_balances_of_a_game(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.show(book)
    assert lines(capsys)[1:] == [["card", "1", "1700"]]
    command.show(book, 1, names=("Anna",))
    assert lines(capsys)[1:] == [["card", "1", "13.5M", "Anna"], ["card", "2", "31.24M"], ["card", "3", "bankrupt"]]


def test_an_account_that_this_version_does_not_know_is_shown_as_a_card(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(LedgerFile(book)) as ledger:
        ledger.new_game("nintendo", 1500, at=NOON, cards=(12,))
    command.show(book)
    assert lines(capsys)[1:] == [["card", "12", "1500"]]


def test_history_is_of_a_game_or_a_card(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.history(book)
    assert [line[0] for line in lines(capsys)] == ["7", "8"]
    command.history(book, 1, names=("Anna",))
    printed = lines(capsys)
    assert [line[0] for line in printed] == ["1", "2", "3", "4", "5", "6"]
    assert printed[3][3:] == ["Anna", "->", "card", "2", "1.5M", "players"]
    command.history(book, 1, 3)
    start, last = lines(capsys)
    assert start[3:] == ["bank", "->", "card", "3", "15M", "start"]
    assert last[3:] == ["card", "3", "->", "card", "2", "15M", "bankrupt"]


def test_acts_and_leavings_are_in_plain_words(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(LedgerFile(book)) as ledger:
        game = ledger.new_game("nintendo", 1500, at=NOON, cards=(1, 2, 3)).id
        ledger.pay_all(game, [Move(2, 1, 50, "each_received"), Move(3, 1, 50, "each_received")], press="e", at=NOON)
        ledger.pay_all(game, [Move(1, 2, 10, "each_paid"), Move(1, 3, 10, "each_paid")], press="f", at=NOON)
        pay(ledger, game, BANK, POT, 500, reason="pot_filled", press="g", at=NOON)
        ledger.leave(game, 3, press="h", at=NOON)
    command.show(book)
    assert lines(capsys)[1:] == [["card", "1", "1580"], ["card", "2", "1460"], ["card", "3", "left"], ["pot", "500"]]
    command.history(book)
    assert [" ".join(line[3:]) for line in lines(capsys)[3:]] == [
        "card 2 -> card 1 50 received from each player",
        "card 3 -> card 1 50 received from each player",
        "card 1 -> card 2 10 paid to each player",
        "card 1 -> card 3 10 paid to each player",
        "bank -> pot 500 paid into the pot by the bank",
        "card 3 -> bank 1460 left the game",
    ]
    command.verify(book)
    command.export(book, game, as_json=False)
    assert [line.split(",")[7:] for line in capsys.readouterr().out.splitlines()[-6:]] == [
        ["", "12"], ["", "12"], ["", "14"], ["", "14"], ["", ""], ["", ""],
    ]  # fmt: skip


def test_no_reason_is_a_formula(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20a"]
    with closing(LedgerFile(book)) as ledger:
        game = ledger.new_game("nintendo", 1500, at=1.0, cards=(1,)).id
        for outcome in outcomes:
            pay(ledger, game, BANK, 1, 1, reason=outcome, press=outcome, at=1.0)
    command.export(book, game, as_json=False)
    with StringIO(capsys.readouterr().out, newline="") as file:
        assert [row["reason"] for row in csv.DictReader(file)] == [
            "start",
            *(f"'{outcome}".replace("\r", " ") for outcome in outcomes),
        ]


@pytest.mark.parametrize("number", [0, -1, 3, 10**30])
def test_an_unknown_game_is_an_error(book: Path, number: int) -> None:
    for look in (command.show, command.history):
        with pytest.raises(ReboardError, match=f"there is no game {number}. `reboard ledger games`"):
            look(book, number)
    with pytest.raises(ReboardError, match="there is no game"):
        command.export(book, number, as_json=True)


@pytest.mark.parametrize("card", [BANK, 2, -1, 10**30])
def test_an_unknown_card_is_an_error(book: Path, card: int) -> None:
    with pytest.raises(ReboardError, match=f"there is no card {card} in game 2"):
        command.history(book, 2, card)


@pytest.mark.parametrize("spoilt", [slice(0, 4096), slice(4096, None)])
def test_a_damaged_ledger_is_an_error(book: Path, spoilt: slice) -> None:
    data = bytearray(book.read_bytes())
    data[spoilt] = b"\xff" * len(data[spoilt])
    book.write_bytes(data)
    for look in (command.games, command.show, command.history, lambda file: command.export(file, as_json=False)):
        with pytest.raises(ReboardError, match="the file is damaged: restart the table to restore a backup"):
            look(book)


@pytest.fixture
def undone(tmp_path: Path) -> Path:
    """A start, then 12 transfers of which all but the first, transfer 2, were taken back."""
    with closing(LedgerFile(tmp_path / "ledger.db")) as ledger:
        game = ledger.new_game("nintendo", 1500, at=1.0, cards=(1,)).id
        wrong = [pay(ledger, game, BANK, 1, 5, reason="received", press=f"{n}", at=2.0) for n in range(12)]
        for transfer in wrong[1:]:
            ledger.undo(transfer.id, press=f"not {transfer.id}", at=3.0)
    return tmp_path / "ledger.db"


async def test_undo_names_the_last_transfer_that_can_be_undone(
    tmp_path: Path, undone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with at_a_socket(tmp_path) as (table, _client):
        table.result = {"id": 100, "undoes": 2}
        await undo(tmp_path / "table.sock", undone)
    assert table.asked == [("undo", {"transfer": 2, "by": "reboard ledger"})]
    assert capsys.readouterr().out == "transfer 100 undoes transfer 2\n"


async def test_undo_names_each_transfer_of_an_act(
    tmp_path: Path, undone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with at_a_socket(tmp_path) as (table, _client):
        table.result = {"id": 100, "undoes": 2, "more": [{"id": 101, "undoes": 3}]}
        await undo(tmp_path / "table.sock", undone, 3)
    assert capsys.readouterr().out == "transfer 100 undoes transfer 2\ntransfer 101 undoes transfer 3\n"


async def test_without_an_answer_undo_names_the_command_to_repeat(tmp_path: Path, undone: Path) -> None:
    async with at_a_socket(tmp_path) as (table, _client):
        table.answers_after_s = 2 * USUAL_TIMEOUT_S
        with pytest.raises(ControlSocketError, match="reboard ledger undo 2"):
            await undo(tmp_path / "table.sock", undone)


async def test_forget_asks_the_table_and_names_the_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with at_a_socket(tmp_path) as (table, _client):
        table.result = {"cards": [1, 3]}
        await forget(tmp_path / "table.sock", "Anna")
    assert table.asked == [("forget", {"name": "Anna", "by": "reboard ledger"})]
    assert "card 1 and card 3" in capsys.readouterr().out


def test_after_forget_the_config_and_the_kept_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_USER", raising=False)
    state, config = tmp_path / "reboard", tmp_path / "table.toml"
    folders = [tmp_path / "reboard.before-read-only", state / "before-restore-1", state / "old"]
    copies = [state / "ledger.db.damaged-2", tmp_path / "table.toml.before-restore"]
    for folder in (state, *folders, state / "editions.last-good"):
        folder.mkdir()
    for file in (*copies, folders[2] / "ledger.db-wal", state / "ledger.db", state / "ledger.db.backup-4"):
        file.touch()
    *files, restart = still_to_do("anna", state, config, ["Ben", "Anna"])
    assert {file.partition(": ")[0] for file in files} == {str(file) for file in (config, *folders, *copies)}
    assert "restart reboard" in restart
    assert len([*still_to_do("Cem", tmp_path / "nowhere", tmp_path / "no" / "table.toml", ["Ben", "Anna"])]) == 1


def test_the_log_of_sudo_has_a_forgotten_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "pi")
    log, _restart = still_to_do("Anna", tmp_path, tmp_path / "table.toml", [])
    assert "journalctl" in log
