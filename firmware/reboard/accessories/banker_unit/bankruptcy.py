"""Bankruptcies: in the menu, and what follows from one."""

from __future__ import annotations

from reboard.accessories.banker_unit.accounts import BANK, Reason
from reboard.accessories.banker_unit.final_count import FinalCount, play_winner
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Transfer
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import Lines, UnitState
from reboard.languages import DISPLAY_COLUMNS as COLUMNS
from reboard.languages import Texts


def bankruptcy_lines(state: UnitState, texts: Texts) -> Lines:
    """Return the lines of the menu that say what ``GO`` does: who goes bankrupt, and who gets everything."""
    card, creditor, game = state.number("right"), state.number("left"), state.game
    if card is None:
        return texts(Text.BANKRUPTCY), texts(Text.CARD_TO_RIGHT)
    first = game.said(texts, Text.BANKRUPT, {"who": card})
    first = first if len(first) <= COLUMNS else game.holder(card, texts)
    if card in game.retired:
        return first, texts(Text.COME_BACK)
    if game.balances[card] < 0:
        return first, texts(Text.BANK_FORGIVES)
    return game.transfer_lines(card, creditor or BANK, texts(Text.ALL), texts(Text.SHORT_KEYS), texts)


def go_bankrupt(state: UnitState) -> UnitState:
    """Let the right card go bankrupt for the left one, or for the bank. Return one to the game that is bankrupt."""
    card = state.number("right")
    if card is None or state.rejected:
        return state.refuse(state.rejected or BankWhy.NO_CARD)
    if card in state.game.retired:
        return state.ask("readmit", card, then=back_in)

    def went_bankrupt(state: UnitState, transfer: Transfer | None) -> UnitState:
        return bankruptcy_done(state.showing(None).did([transfer], card=card, reason=Reason.BANKRUPT), counts=True)

    return state.ask("bankrupt", card, state.number("left") or BANK, then=went_bankrupt)


def back_in(state: UnitState, _: object) -> UnitState:
    """Show that a card is in the game again."""
    return state.barred().showing(None).saying(Text.BACK_IN).play("undone").done()


def bankruptcy_done(state: UnitState, *, counts: bool = False) -> UnitState:
    """Show that a card went bankrupt. If that ends the game, find the winner.

    *counts* is whether users can count their property at the unit. Otherwise the host ends the game.
    """
    game = state.game
    if not game.is_over:
        return state.saying(Text.BANKRUPT_PAID).play("paid").done()
    state = state.saying(Text.GAME_OVER).done()
    if game.ends_with_count and len(game.in_game) > 1:
        # the final count finds the winner
        return (state.showing(FinalCount()) if counts else state).play("time_up")
    won = {player: game.balances[player] for player in game.playing}
    # the bankruptcy is saved: a disk that refuses the end must not leave it open
    return state.ask("end", won, then=play_winner, refused=lambda state, rejection: state)
