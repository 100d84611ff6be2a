from __future__ import annotations

from reboard.banker.kept_games import MOST_OFFERED, kept_games
from reboard.banker.ledger import BANK, POT, Ledger


def begun(ledger: Ledger, *cards: int, played: bool = True) -> int:
    game = ledger.new_game("world", 100, at=1.0, cards=cards).id
    if played:
        ledger.pay(game, BANK, cards[0], 5, reason="salary", press=f"game {game}", at=2.0)
        ledger.pay(game, cards[0], POT, 1, reason="pot_paid", press=f"pot {game}", at=2.0)
    return game


def test_games_are_kept_with_their_players_newest_first(ledger: Ledger) -> None:
    first, second = begun(ledger, 1), begun(ledger, 1, 2, 3)
    begun(ledger, 1)
    assert [(kept.game.id, kept.players) for kept in kept_games(ledger)] == [(second, 3), (first, 1)]


def test_the_game_that_is_on_is_not_among_them(ledger: Ledger) -> None:
    first, second = begun(ledger, 1), begun(ledger, 1)
    assert [kept.game.id for kept in kept_games(ledger)] == [first]
    ledger.resume(first, at=3.0)
    assert [kept.game.id for kept in kept_games(ledger)] == [second]


def test_a_game_in_which_cards_were_only_put_in_is_not_offered(ledger: Ledger) -> None:
    begun(ledger, 1, 2, played=False)
    ledger.new_game("world", 100, at=3.0)
    begun(ledger, 1)
    assert kept_games(ledger) == []


def test_no_more_are_offered_than_anybody_would_page_through(ledger: Ledger) -> None:
    games = [begun(ledger, 1) for _ in range(MOST_OFFERED + 3)]
    assert [kept.game.id for kept in kept_games(ledger)] == games[-2 : -2 - MOST_OFFERED : -1]
