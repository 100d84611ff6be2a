"""The final count at the end of a game, and the ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from reboard.accessories.banker_unit.game_settings import ranking
from reboard.accessories.banker_unit.paying import Offer, offer
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import Dialog, Lines, Notice, UnitState
from reboard.errors import Rejection
from reboard.languages import DISPLAY_COLUMNS as COLUMNS
from reboard.languages import Texts
from reboard.record import replace

COUNT_PATIENCE_S = 600.0
"""The time without a key or card after which the final count and the ranking close, in seconds.

It is long because the players add up deeds and houses between two cards."""


def play_winner(state: UnitState, _: object) -> UnitState:
    """Play the sound for the end of the game."""
    return state.play("winner")


class FinalCount(Dialog):
    """The dialog that adds the values of deeds and houses to the balances, and ends the game.

    An amount is *added* to the worth of the card in the slots, if there is only one. Only players count: neither
    bankrupt cards nor those that only joined.
    """

    name: ClassVar[str] = "count"
    patience_s = COUNT_PATIENCE_S
    added: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        card, title, entry = state.alone, texts(Text.FINAL_COUNT), texts.amount(state.entry.shown)
        if card:
            last = entry or "".join(state.game.shown(added, texts) for added in self.added.get(card, ())[-1:])
            return f"{card} {state.game.shown(self.worth(card, state), texts)}", f"+ {last}".rstrip().rjust(COLUMNS)
        if entry:
            return title, entry.rjust(COLUMNS)
        return title, texts(BankWhy.TWO_CARDS.display if state.taken else Text.COUNT_KEYS)

    def worth(self, card: int, state: UnitState) -> int:
        return state.game.balances[card] + sum(self.added.get(card, ()))

    def worths(self, state: UnitState) -> dict[int, int]:
        return {card: self.worth(card, state) for card in state.game.playing}


def open_count(state: UnitState) -> UnitState:
    """Open the final count, with a reminder of what a hotel is worth if the book has a rule."""
    state, houses = state.showing(FinalCount()), state.game.edition.hotel_houses
    return state.saying(Text.HOTEL_COUNTS, houses=houses) if houses else state


def _count(state: UnitState) -> FinalCount:
    assert isinstance(state.dialog, FinalCount)
    return state.dialog


def count_digit(state: UnitState, key: str) -> UnitState:
    """Type an amount. Without a card: `1` chooses the end of the game."""
    if state.alone:
        return state.typing(state.entry.typed(key)).play("key")
    if key == "1" and not state.taken:
        return offer(state, Offer(_end_game, (_count(state),), Text.END_GAME, back=_count(state)))
    return state.refuse(BankWhy.TWO_CARDS if state.taken else BankWhy.NO_CARD)


def count_amount(state: UnitState, key: str) -> UnitState:
    """Add the amount to the card's worth."""
    count, card, game, entry = _count(state), state.alone, state.game, state.entry
    state = state.cleared()
    try:
        if card is None:
            raise Rejection(BankWhy.TWO_CARDS if state.taken else BankWhy.NO_CARD)
        if entry.is_broken:
            raise Rejection(BankWhy.TORN)
        if card not in game.playing:
            raise Rejection(BankWhy.BANKRUPT if card in game.retired else BankWhy.NOT_PLAYING)
        amount = game.edition.money.typed(entry.text, key)
        if count.worth(card, state) + amount > game.edition.money.largest:
            raise Rejection(BankWhy.TOO_MUCH)
    except Rejection as rejection:
        return state.refuse(rejection.why)
    added = {**count.added, card: (*count.added.get(card, ()), amount)}
    return state.showing(FinalCount(added)).play("received")


def count_go(state: UnitState, key: str) -> UnitState:
    """Refuse: without a card, `1` chooses the end of the game."""
    if state.entry:
        return state.refuse(BankWhy.TORN if state.entry.is_broken else BankWhy.M_ENTERS)
    return state.refuse(BankWhy.CARDS_IN) if state.taken else state.refuse(BankWhy.DIALOG, Notice(Text.COUNT_KEYS))


def _end_game(state: UnitState, count: FinalCount) -> UnitState:
    worths = count.worths(state)
    if not worths:
        return state.showing(count).refuse(BankWhy.NO_PLAYERS)
    state = state.showing(Ranking(count))
    if state.game.ended and state.game.ended.worths == worths:
        return state
    return state.ask(
        "end", worths, then=play_winner, refused=lambda state, rejection: state.showing(count).refuse(rejection.why)
    )


def count_c(state: UnitState, key: str) -> UnitState:
    """Clear the amount, remove the last one of the card, or close the count."""
    count, card = _count(state), state.alone or 0
    if state.entry:
        return state.cleared().play("undone")
    if count.added.get(card):
        return state.showing(FinalCount({**count.added, card: count.added[card][:-1]})).play("undone")
    is_saved = state.game.ended and state.game.ended.worths == count.worths(state)
    if any(count.added.values()) and not is_saved:
        return offer(state, Offer(_close_count, (), Text.COUNT_ENDS, back=count))
    return state.showing(None)


def _close_count(state: UnitState) -> UnitState:
    return state.showing(None).play("key")


class Ranking(Dialog):
    """A dialog that shows one player at a time, in the order of the ranking."""

    name: ClassVar[str] = "ranking"
    patience_s = COUNT_PATIENCE_S
    count: FinalCount
    at: int = 0

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        ranked = ranking(self.count.worths(state))
        if not ranked:
            return texts(Text.FINAL_COUNT), ""
        best = ranked[self.at % len(ranked)]
        return f"{best.place}. {state.game.holder(best.card, texts)}", state.game.shown(best.worth, texts).rjust(
            COLUMNS
        )


def next_place(state: UnitState, key: str) -> UnitState:
    """Show the next player."""
    assert isinstance(state.dialog, Ranking)
    return state.showing(replace(state.dialog, at=state.dialog.at + 1))


def back_to_count(state: UnitState, key: str) -> UnitState:
    """Go back to the final count."""
    assert isinstance(state.dialog, Ranking)
    return state.showing(state.dialog.count)
