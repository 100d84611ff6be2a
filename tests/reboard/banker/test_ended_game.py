"""Whether a game that the host has ended is still over, also after the plug was pulled."""

from __future__ import annotations

import pytest

from reboard.banker.ended_game import NOT_ENDED, SETTING, EndedGame, ended_game, keep_ended
from reboard.banker.ledger import Ledger

ENDED = EndedGame(3, 120, {1: 15_000_000, 4: -5})


def test_what_is_kept_is_what_is_found(ledger: Ledger) -> None:
    assert ended_game(ledger) is None
    keep_ended(ledger, ENDED)
    assert ended_game(ledger) == ENDED


def test_a_game_that_goes_on_is_not_over(ledger: Ledger, game: int) -> None:
    keep_ended(ledger, ENDED)
    ledger.new_game("world", 15_000_000, at=2.0)
    ledger.resume(game, at=3.0, settings=NOT_ENDED)
    assert ended_game(ledger) is None


@pytest.mark.parametrize(
    ("game", "transfer", "players"),
    [(4, 120, [1, 4]), (None, 120, [1, 4]), (3, 121, [1, 4]), (3, 120, [1]), (3, 120, [1, 4, 5])],
)
def test_it_is_over_only_until_something_happens(game: int | None, transfer: int, players: list[int]) -> None:
    assert ENDED.is_still_ended(3, 120, [4, 1])
    assert not ENDED.is_still_ended(game, transfer, players)


@pytest.mark.parametrize(
    "kept",
    ["", "null", "{", "[]", "7", "{}", '{"game": 3, "transfer": 1, "worths": []}', '{"game": 3, "worths": {"1": 5}}',
     '{"game": 3, "transfer": 1, "worths": {"x": 5}}', '{"game": 3, "transfer": 1, "worths": {"1": null}}',
     "[" * 20_000, '{"game": 3, "transfer": 1e999, "worths": {}}'],
)  # fmt: skip
def test_what_a_damaged_file_says_instead_ends_no_game(ledger: Ledger, kept: str) -> None:
    ledger.set_setting(SETTING, kept)
    assert ended_game(ledger) is None
