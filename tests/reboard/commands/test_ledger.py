"""The banker's book in the terminal: every game that was kept, and every card in it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from reboard.banker.ledger import BANK, POT, Ledger
from reboard.banker.names import keep_name
from reboard.commands import ledger as command
from reboard.errors import ReboardError

NOON = 1_700_000_000.0


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A game of `world` that was put aside, in which card 3 went bankrupt, and one of `nintendo` that is on."""
    file = tmp_path / "ledger.db"
    with closing(Ledger(file)) as ledger:
        world = ledger.new_game("world", 15_000_000, at=NOON, cards=(1, 2, 3)).id
        ledger.pay(world, 1, 2, 1_500_000, reason="players", press="a", at=NOON)
        ledger.pay(world, 2, BANK, 260_000, reason="paid", press="b", at=NOON)
        ledger.bankrupt(world, 3, 2, press="c", at=NOON)
        nintendo = ledger.new_game("nintendo", 1500, at=NOON + 60, cards=(1,)).id
        ledger.pay(nintendo, BANK, 1, 200, reason="salary", press="d", at=NOON + 61)
    return file


def lines(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_every_game_is_listed_with_its_players_and_whether_it_is_on(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command.games(book)
    first, second = lines(capsys)
    assert first[:5] == ["1", "world", "3", "cards", "since"]
    assert second[:5] == ["2", "nintendo", "1", "card", "since"]
    assert "aside" in first
    assert "aside" not in second


def test_balances_are_those_of_the_game_that_is_on_or_of_the_one_that_is_named(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command.show(book)
    assert lines(capsys)[1:] == [["card", "1", "1700"]]
    command.show(book, 1)
    assert lines(capsys)[1:] == [["card", "1", "13.5M"], ["card", "2", "31.24M"], ["card", "3", "bankrupt"]]


def test_a_history_is_that_of_a_game_or_of_one_card_in_it(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.history(book)
    assert [line[0] for line in lines(capsys)] == ["7", "8"]
    command.history(book, 1)
    assert [line[0] for line in lines(capsys)] == ["1", "2", "3", "4", "5", "6"]
    command.history(book, 1, 3)
    start, last = lines(capsys)
    assert start[3:] == ["bank", "->", "card", "3", "15M", "start"]
    assert last[3:] == ["card", "3", "->", "card", "2", "15M", "bankrupt"]


def test_players_are_called_by_their_names(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.show(book, 1, names=("Anna", "Ben"))
    assert lines(capsys)[1:] == [
        ["card", "1", "13.5M", "Anna"], ["card", "2", "31.24M", "Ben"], ["card", "3", "bankrupt"]
    ]  # fmt: skip
    command.history(book, 1, names=("Anna", "Ben"))
    told = [" ".join(line[3:]) for line in lines(capsys)[3:]]
    assert told == ["Anna -> Ben 1.5M players", "Ben -> bank 260K paid", "card 3 -> Ben 15M bankrupt"]


def test_the_free_parking_pot_is_shown_below_the_cards(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(Ledger(book)) as ledger:
        ledger.pay(2, 1, POT, 50, reason="pot_paid", press="e", at=NOON + 62)
    command.show(book)
    assert lines(capsys)[1:] == [["card", "1", "1650"], ["pot", "50"]]
    command.history(book)
    assert lines(capsys)[-1][3:] == ["card", "1", "->", "pot", "50", "pot_paid"]


def test_the_hosts_word_for_a_player_counts_before_the_configs(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(Ledger(book)) as ledger:
        keep_name(ledger, 2, "Bea")
    command.show(book, 1, names=("Anna", "Ben"))
    assert [line[-1] for line in lines(capsys)[1:]] == ["Anna", "Bea", "bankrupt"]
    command.history(book, 1, names=("Anna", "Ben"))
    assert [" ".join(line[3:]) for line in lines(capsys)][3] == "Anna -> Bea 1.5M players"


def test_one_game_can_be_had_as_csv(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.export(book, 2, as_json=False)
    assert [line[0].split(",")[:2] for line in lines(capsys)[1:]] == [["7", "2"], ["8", "2"]]


@pytest.mark.parametrize("number", [0, -1, 3, 10**30])
def test_a_game_that_never_was_is_said_not_to_be(book: Path, number: int) -> None:
    for look in (command.show, command.history):
        with pytest.raises(ReboardError, match=f"there is no game {number}; `reboard ledger games`"):
            look(book, number)
    with pytest.raises(ReboardError, match="there is no game"):
        command.export(book, number, as_json=True)


@pytest.mark.parametrize("card", [BANK, 2, -1, 10**30])
def test_a_card_that_does_not_play_is_said_not_to(book: Path, card: int) -> None:
    with pytest.raises(ReboardError, match=f"there is no card {card} in game 2"):
        command.history(book, 2, card)


def test_a_game_without_transfers_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        ledger.new_game("nintendo", 1500, at=NOON)
    command.history(tmp_path / "ledger.db")
    assert capsys.readouterr().out == "game 1, nintendo, has no transfers yet\n"


def test_a_book_without_a_game_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Ledger(tmp_path / "ledger.db").close()
    command.games(tmp_path / "ledger.db")
    assert capsys.readouterr().out == "no game was begun yet\n"
    with pytest.raises(ReboardError, match="no game is on"):
        command.show(tmp_path / "ledger.db")


@pytest.mark.parametrize("spoilt", [slice(0, 4096), slice(4096, None)])
def test_a_damaged_book_is_said_to_be_and_what_to_do(book: Path, spoilt: slice) -> None:
    data = bytearray(book.read_bytes())
    data[spoilt] = b"\xff" * len(data[spoilt])
    book.write_bytes(data)
    for look in (command.games, command.show, command.history, lambda file: command.export(file, as_json=False)):
        with pytest.raises(ReboardError, match="the file is damaged: start the table, which mends it"):
            look(book)
