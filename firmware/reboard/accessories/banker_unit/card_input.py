"""Cards that are inserted and taken out, and their effect on the entry and on what can be taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reboard.accessories.banker_unit.input_queue import CardIn, CardOut
from reboard.accessories.banker_unit.unit_state import OTHER_SIDE, Effects, InsertedCard, Notice, Side, UnitState
from reboard.errors import REJECTIONS, Rejection

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.game_session import GameSession


async def handle_card(card: CardIn | CardOut, state: UnitState, session: GameSession) -> Effects:
    """Handle a card that was inserted or taken out. A typed amount is lost when a card leaves."""
    state = replace(state, is_refused=False)
    if isinstance(card, CardOut):
        effects = await _take_out(card.side, state, session)
    else:
        effects = await _put_in(card, state.with_entry(state.entry.card_in(card.at)), session)
    if state.entry.text and effects.state.entry.is_torn and not effects.rejection:
        return replace(effects, rejection=Rejection("torn"))
    return effects


async def _put_in(card: CardIn, state: UnitState, session: GameSession) -> Effects:
    if state.tag(card.side) == card.tag:
        # seen already, when touches were lost
        return Effects(state)
    if card.has_moved:
        effects = _removed(OTHER_SIDE[card.side], state)
        return _after(effects, await _insert(card.side, card.tag, effects.state, session))
    return await _insert(card.side, card.tag, state, session)


async def _take_out(side: Side, state: UnitState, session: GameSession) -> Effects:
    other, card = OTHER_SIDE[side], state.cards.get(side)
    effects = _removed(side, state)
    if card and card.number and state.tag(other) == card.tag:
        # it got to the other slot before the reader here noticed that it is gone
        effects = _after(effects, _removed(other, effects.state))
        effects = _after(effects, await _insert(other, card.tag, effects.state, session))
    return effects


async def _insert(side: Side, tag: str, state: UnitState, session: GameSession) -> Effects:
    is_twice = any(card.tag == tag and card.number for card in state.cards.values())
    # a rejected card leaves its slot as good as empty
    state = state.with_card(side, InsertedCard(tag)).with_entry(replace(state.entry, into_pot=False))
    try:
        if is_twice:
            raise Rejection("same card twice")
        number = await session.admit(tag)
    except Rejection as rejection:
        done = () if is_twice else (side,)
        return Effects(state, (_event("card.inserted", side, None),), done, rejection=rejection)
    return Effects(
        state.with_card(side, InsertedCard(tag, number)),
        (_event("card.inserted", side, number),),
        sound="card",
        notice=Notice(REJECTIONS["bankrupt"].display) if number in session.retired else None,
    )


def _removed(side: Side, state: UnitState) -> Effects:
    number = state.number(side)
    state = state.with_card(side, None)
    if number:
        entry = replace(state.entry, into_pot=False)
        state = state.with_entry(entry.torn() if entry.text else entry).without_undoable_of(number)
    return Effects(state, (_event("card.removed", side, number),))


def _after(first: Effects, second: Effects) -> Effects:
    return replace(second, events=(*first.events, *second.events))


def _event(name: str, side: Side, number: int | None) -> tuple[str, dict[str, object]]:
    return name, {"slot": side, "number": number}
