"""Standings across tables: shares, rounds, ties and names."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.hall.games import MOST_ROUNDS, GameKey, Seat, StoredGame
from reboard.hall.standings import Player, Standings, standings
from reboard.hall.store import Batch
from reboard.languages import Texts
from reboard.mqtt.topics import TransferMessage
from tests.reboard.hall.club import BEGAN_AT, STATE, Desk, PlayedTable


def game(table: str, *seats: Seat, number: int = 1) -> StoredGame:
    return StoredGame(GameKey(table, "0123456789abcdef", number), "world", BEGAN_AT, seats)


def seat(card: int, balance: int, name: str = "", worth: int | None = None) -> Seat:
    return Seat(card, balance, name or None, worth)


def shown(found: Standings) -> list[tuple[int, str, float]]:
    return [(one.place, str(one.player), float(one.total)) for one in found.players]


def test_shares_of_tables_with_different_money_are_compared() -> None:
    found = standings(
        [
            game("table-1", seat(1, 30_000_000, "Anna"), seat(2, 10_000_000, "Ben")),
            game("table-2", seat(1, 40, "Chloé"), seat(2, 60)),
            game("table-2", seat(1, 75, "Anna"), seat(2, 25, "Ben"), number=2),
            game("table-1", seat(1, 0, "Chloé", worth=0), seat(2, 5, worth=100), number=2),
        ]
    )
    assert found.rounds == 2
    assert shown(found) == [
        (1, "Anna", 1.5),
        (2, "table-1 · 2", 1.0),
        (3, "table-2 · 2", 0.6),
        (4, "Ben", 0.5),
        (5, "Chloé", 0.4),
    ]
    assert found.players[0].shares == {1: Fraction(3, 4), 2: Fraction(3, 4)}
    assert found.doubled == []


def test_equal_totals_share_a_place_and_the_next_place_is_left_out() -> None:
    thirds = [seat(card, 1) for card in (1, 2, 3)]
    found = standings([game("a", *thirds), game("b", *thirds), game("c", seat(1, 1), seat(2, 0))])
    assert [one.place for one in found.players] == [1, *[2] * 6, 8]
    # three times a third is one, although no number of a computer is a third
    rounds = [
        game("a", *(seat(card, 1, "Anna" if card == 1 else "") for card in (1, 2, 3)), number=n) for n in (1, 2, 3)
    ]
    found = standings([*rounds, game("b", seat(1, 9, "Ben"), seat(2, 0))])
    assert [(one.place, one.player.name) for one in found.players if one.player.name] == [(1, "Anna"), (1, "Ben")]


def test_two_people_with_one_name_in_a_round_are_reported() -> None:
    one, other = game("table-1", seat(1, 1, "Anna"), seat(2, 1)), game("table-2", seat(1, 1, "Anna"), seat(2, 1))
    assert standings([one, other]).doubled == ["Anna"]
    later = game("table-2", seat(1, 1, "Anna"), seat(2, 1), number=2)
    assert standings([one, game("table-2", seat(1, 1), seat(2, 1)), later]).doubled == []


def test_debts_and_tables_without_money_have_no_share() -> None:
    found = standings([game("table-1", seat(1, -50), seat(2, 50)), game("table-2", seat(1, 0), seat(2, 0))])
    assert [float(one.total) for one in found.players] == [1, 0, 0, 0]


SEATS = st.lists(
    st.builds(seat, st.integers(1, 8), st.integers(-10, 10**15), st.sampled_from(["", "Anna", "Ben"]),
              st.none() | st.integers(0, 10**15)),
    min_size=1, max_size=8, unique_by=lambda one: one.card,
)  # fmt: skip
GAMES = st.lists(st.builds(lambda table, seats: game(table, *seats), st.sampled_from("abc"), SEATS), max_size=8)


@given(GAMES)
def test_every_game_gives_one_share_in_all(games: Sequence[StoredGame]) -> None:
    found = standings(games)
    worth = [any((one.balance if one.worth is None else one.worth) > 0 for one in game.seats) for game in games]
    assert sum((one.total for one in found.players), Fraction()) == sum(worth)
    totals = [one.total for one in found.players]
    assert totals == sorted(totals, reverse=True)
    for one in found.players:
        assert one.place == 1 + sum(total > one.total for total in totals)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with closing(Desk(tmp_path / "hall.sqlite")) as desk:
        yield desk


def played(desk: Desk, since: float = 0) -> list[tuple[int, str, float]]:
    with desk.store.reading() as store:
        return shown(standings(store.played_since(since)))


def test_the_store_knows_the_worth_the_names_and_the_rounds(desk: Desk) -> None:
    table = PlayedTable("table-1")
    start = [table.add(to=card, amount=100, reason="start", at=BEGAN_AT) for card in (1, 2)]
    desk.take(*start)
    assert played(desk) == [], "only starting money has moved"
    desk.take(table.add(from_=1, to=2, amount=50, reason="players"))
    assert played(desk) == [(1, "table-1 · 2", 0.75), (2, "table-1 · 1", 0.25)]

    cards = [{"number": 1, "balance": 50, "shown": "50", "name": "Anna", "retired": False}]
    desk.take(table.state(cards=cards))
    assert played(desk) == [(1, "table-1 · 2", 0.75), (2, "Anna", 0.25)]
    ranking = [{"place": 1, "number": 1, "name": "Anna", "worth": 600, "shown": "600"},
               {"place": 2, "number": 2, "name": "", "worth": 200, "shown": "200"}]  # fmt: skip
    desk.take(table.state(cards=cards, ended={"game": 1, "ranking": ranking}))
    assert played(desk) == [(1, "Anna", 0.75), (2, "table-1 · 2", 0.25)]

    desk.restart()
    desk.take(table.add(game=2, to=1, amount=30, at=BEGAN_AT + 50))
    desk.take(table.add(game=2, to=2, amount=70, reason="received", at=BEGAN_AT + 60))
    desk.take(table.state(game=2))
    assert played(desk) == [(1, "table-1 · 2", 0.95), (2, "Anna", 0.75), (3, "table-1 · 1", 0.3)]
    assert played(desk, since=BEGAN_AT + 1) == [(1, "table-1 · 2", 0.7), (2, "table-1 · 1", 0.3)]

    # the first game continues: its ranking does not count any more
    desk.take(table.state(cards=cards))
    assert played(desk) == [(1, "table-1 · 2", 1.45), (2, "table-1 · 1", 0.3), (3, "Anna", 0.25)]


def test_a_table_with_many_games_makes_the_standings_long_for_no_other(desk: Desk) -> None:
    flood, table = PlayedTable("flood"), PlayedTable("table-1")
    desk.take(*(flood.add(game=game, to=1 + game % 8, at=BEGAN_AT + game) for game in range(1, 2001)), table.add())
    desk.take(flood.state(game=2000, cards=[{**STATE["cards"][0], "name": "Anna"}]))
    with desk.store.reading() as store:
        found: Any = standings(store.played_since(0)).as_json()
        assert store.tables_cut(0) == ["flood"]
        assert store.tables_cut(BEGAN_AT + 1950) == []
    assert found["rounds"] == MOST_ROUNDS
    assert len(json.dumps(found)) < 10_000
    assert [one["shares"] for one in found["players"] if one["table"] == "table-1"] == [[1.0]]
    latest = next(one for one in found["players"] if one["name"] == "Anna")
    assert latest["shares"] == [None] * (MOST_ROUNDS - 1) + [1.0], "the latest games count"


def test_the_standings_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reboard.hall.standings.MOST_PLAYERS", 3)
    seats = [Seat(card, 10 * card, f"player {card}", None) for card in range(1, 6)]
    found = standings([StoredGame(GameKey("table-1", "a", 1), "world", 1.0, seats)])
    assert [one.player.name for one in found.players] == ["player 5", "player 4", "player 3"]
    assert found.left_out == 2
    assert found.players[0].total == Fraction(1, 3)


def test_only_cards_that_play_count(desk: Desk) -> None:
    table = PlayedTable("table-1")
    desk.take(*(table.add(to=card, amount=100, reason="start") for card in range(1, 8)))
    desk.take(*(table.add(from_=payer, to=3 - payer, amount=50, reason="players") for payer in (1, 2)))
    desk.take(table.add(from_=3, to=0, amount=100, reason="left"))
    desk.take(table.add(from_=4, to=0, amount=10, reason="paid"))
    desk.take(table.add(from_=0, to=4, amount=10, reason="undo", undoes=table.rows[-1].id))
    desk.take(table.add(from_=6, to=0, amount=100, reason="bankrupt"))
    # the number of a player who left is another player's, who has only joined
    desk.take(table.add(from_=7, to=0, amount=5, reason="paid"), table.add(from_=7, to=0, amount=95, reason="left"))
    assert played(desk) == [(1, "table-1 · 1", 0.5), (1, "table-1 · 2", 0.5), (3, "table-1 · 7", 0)]
    desk.take(table.add(to=7, amount=100, reason="start"))
    assert played(desk) == [(1, "table-1 · 1", 0.5), (1, "table-1 · 2", 0.5)]


def test_a_ledger_from_a_backup_does_not_count_twice(desk: Desk) -> None:
    old = PlayedTable("table-1")
    cards = [{"number": 1, "balance": 5, "shown": "5", "name": "Anna", "retired": False}]
    ranking = [
        {"place": 1, "number": 1, "name": "Anna", "worth": 7, "shown": "7"},
        {"place": 1, "number": 2, "name": "", "worth": 7, "shown": "7"},
    ]
    # after a deleted store the state comes first
    desk.take(old.state(cards=cards, ended={"game": 1, "ranking": ranking}))
    desk.take(old.head(), *(old.add(to=number, amount=10 * number) for number in (1, 2)))
    desk.take(*(old.add(to=1, amount=1, game=2, at=BEGAN_AT + 10) for _ in range(3)))
    assert played(desk) == [(1, "table-1 · 1", 1.0), (2, "Anna", 0.5), (2, "table-1 · 2", 0.5)]

    # the backup ends before the second row of game 2, which is played again in another way
    new = PlayedTable("table-1", ledger="fedcba9876543210", rows=[
        TransferMessage(**{**vars(row), "ledger": "fedcba9876543210"}) for row in old.rows[:3]])  # fmt: skip
    more = [new.add(to=2, amount=3, game=2, at=BEGAN_AT + 20)]
    desk.take(*map(new.message, new.rows), *more, new.head())
    assert played(desk) == [(1, "table-1 · 2", 1.25), (2, "Anna", 0.5), (3, "table-1 · 1", 0.25)]
    with desk.store.reading() as store:
        assert [game.key.ledger for game in store.games("table-1")] == [new.ledger] * 2


def test_a_renamed_table_does_not_count_twice(desk: Desk) -> None:
    old = PlayedTable("table-7")
    cards = [{"number": 1, "balance": 5, "shown": "5", "name": "Anna", "retired": False}]
    desk.take(old.state(cards=cards), *(old.add(to=number, amount=5) for number in (1, 2)), old.head())
    copy = PlayedTable("table-8")  # its memory card is a copy
    desk.take(*(copy.add(to=number, amount=5, at=BEGAN_AT + 7) for number in (1, 2)), copy.head())
    desk.now += 60
    new = PlayedTable("table-1", rows=old.rows)
    desk.take(new.state(game=2), *map(new.message, new.rows), new.add(to=3, amount=10), new.head())
    desk.store.write(Batch(states=desk.receiver.states()))
    assert played(desk) == [
        (1, "table-1 · 3", 0.5), (1, "table-8 · 1", 0.5), (1, "table-8 · 2", 0.5),
        (4, "Anna", 0.25), (4, "table-1 · 2", 0.25),
    ]  # fmt: skip
    with desk.store.reading() as store:
        assert store.played_before(BEGAN_AT + 5) == 1


def test_rounds_and_the_latest_game_do_not_follow_the_tables_clock(desk: Desk) -> None:
    table = PlayedTable("table-1")
    for game, at in ((1, BEGAN_AT), (2, BEGAN_AT - 500)):  # a Pi without a network starts again with an old time
        winner = 3 - game
        rows = [table.add(game=game, to=card, amount=10, at=at) for card in (1, 2)]
        desk.take(*rows, table.add(game=game, to=winner, amount=80, at=at + 2))
    with desk.store.reading() as store:
        assert [game.key.game for game in store.games("table-1")] == [2, 1]
        found = standings(store.played_since(0))
        assert [one.shares for one in found.players if one.player.card == 2] == [
            {1: Fraction(9, 10), 2: Fraction(1, 10)}
        ]
        assert store.played_before(BEGAN_AT) == 1


@pytest.mark.parametrize("names_ledger", [True, False])
def test_a_new_memory_card_leaves_the_finished_game_as_it_was(desk: Desk, *, names_ledger: bool) -> None:
    old = PlayedTable("table-1")
    cards = [{"number": 1, "balance": 5, "shown": "5", "name": "Anna", "retired": False}]
    ranking = [{"place": 1, "number": 1, "name": "Anna", "worth": 9, "shown": "9"},
               {"place": 2, "number": 2, "name": "", "worth": 1, "shown": "1"}]  # fmt: skip
    desk.take(*(old.add(to=number, amount=5) for number in (1, 2)), old.head())
    desk.take(old.state(cards=cards, ended={"game": 1, "ranking": ranking}))
    assert played(desk) == [(1, "Anna", 0.9), (2, "table-1 · 2", 0.1)]

    # the new ledger has a game 1 too, and its state comes before its head
    new = PlayedTable("table-1", ledger="fedcba9876543210")
    cards[0]["name"] = "Ben"
    desk.take(new.state(cards=cards, names_ledger=names_ledger))
    desk.take(*(new.add(to=number, amount=5, at=BEGAN_AT + 90) for number in (1, 2)), new.head())
    other = "Ben" if names_ledger else "table-1 · 1"
    assert played(desk) == [(1, "Anna", 0.9), (2, "table-1 · 2", 0.6), (3, other, 0.5)]


def test_csv_has_the_places_and_no_formula() -> None:
    seats = (seat(1, 3, "=1+1"), seat(2, 1, 'Ben, "B"'), seat(3, 1, "\uff1d1+1"), seat(4, 1, "Cleo;=1+1"))
    found = standings([game("table-1", *seats), game("table-2", seat(1, 1))])
    with StringIO(found.as_csv(Texts()), newline="") as file:
        assert list(csv.reader(file)) == [
            ["place", "player", "total", "round 1"],
            ["1", "table-2 · 1", "1.0", "1.0"],
            ["2", "'=1+1", "0.5", "0.5"],
            ["3", 'Ben, "B"', "0.1667", "0.1667"],
            ["3", "Cleo,=1+1", "0.1667", "0.1667"],
            ["3", "'\uff1d1+1", "0.1667", "0.1667"],
        ]
    assert found.players[0].player == Player("", "table-2", 1)
    with StringIO(found.as_csv(Texts("de")), newline="") as file:
        assert [*csv.reader(file, delimiter=";")][::4] == [
            ["Platz", "Spieler", "Summe", "Runde 1"],
            ["3", "Cleo,=1+1", "0,1667", "0,1667"],
        ]


@pytest.mark.parametrize(("sent", "name"), [("\r\n=1+1\u202e", "=1+1"), ("Ł 👨‍👩‍👧‍👦", "Ł 👨‍👩‍👧‍👦")])
def test_a_name_from_the_network_is_printable(desk: Desk, sent: str, name: str) -> None:
    table = PlayedTable("table-1")
    cards = [{"number": 1, "balance": 5, "shown": "5", "name": sent, "retired": False}]
    desk.take(table.add(), table.state(cards=cards))
    assert played(desk) == [(1, name, 1)]
