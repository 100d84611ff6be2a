"""The unit as one pure function: what each input does to the state, and the effects that the unit carries out.

Nothing else changes the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from reboard.accessories.banker_unit import dialogs, final_count, paying
from reboard.accessories.banker_unit import inputs as given
from reboard.accessories.banker_unit.accounts import PaymentEnd, Reason
from reboard.accessories.banker_unit.effects import Again
from reboard.accessories.banker_unit.inputs import CardIn, CardOut, Input
from reboard.accessories.banker_unit.keys import ended_hold, held, pressed, released
from reboard.accessories.banker_unit.payments import PATIENCE_S
from reboard.accessories.banker_unit.phone_vocabulary import PhonesChanged
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.requests import answer_request
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import (
    OTHER_SIDE,
    SIDES,
    Answer,
    Effect,
    InsertedCard,
    Notice,
    UnitState,
)
from reboard.accessories.banker_unit.vocabulary import CardInserted, CardRemoved, ClockSet, Side
from reboard.errors import Rejection
from reboard.record import replace

SLEEP_S = 60.0
"""The time without a key, card or gavel after which the unit falls asleep, in seconds, as in the original."""

RESULT_S = 5.0
"""The time for which the new balance of a card that was only tapped is shown, in seconds."""

MINUTE_S = 60.0

WARNING_MIN = 5
"""The minutes left on the game clock when the unit gives a warning."""


# Cards.


def _card_moved(state: UnitState, card: CardIn | CardOut) -> UnitState:
    if isinstance(card, CardIn) and state.tag(card.side) == card.tag:
        return state  # seen already, when inputs were lost
    down = state.down
    spoils = bool(down and (down.answers or (down.key == "GO" and down.card and card.side == "left")))
    if down and (down.key != "GO" or spoils):
        state = replace(state, down=None)
    if isinstance(state.dialog, paying.Offer):
        state = paying.dropped(state)
    elif isinstance(card, CardOut):
        # the display showed whose bankruptcy is chosen, and who gets the money
        state = dialogs.without_choice(state)
    state = state.showing(state.dialog)
    if isinstance(card, CardIn):
        state = _put_in(state.awake().hushed(), card)
    else:
        state = _take_out(state if card.is_done else state.awake().hushed(), card)
    return state.refuse(BankWhy.NOT_BOOKED) if spoils else state


def _take_out(state: UnitState, card: CardOut) -> UnitState:
    side, taken, number, entry = card.side, state.cards.get(card.side), state.number(card.side), state.entry
    state = state.holding(side, None).emit(CardRemoved(side, number))
    if not taken or not number:
        return state
    if card.is_done:
        values = {"number": number, "amount": state.game.balances[number]}
        shown = Notice("+{number} {amount}" if side == "left" else "-{number} {amount}", values)
        first, second = state.guest if isinstance(state.guest, tuple) else ("", "")
        lines = (shown, second) if side == "left" else (first, shown)
        return replace(state, guest=lines, guest_until=state.now + RESULT_S)
    state = state.barred(number).typing(replace(entry, into_pot=False))
    if entry.text:
        state = state.broken().refuse(BankWhy.TORN)
    other = OTHER_SIDE[side]
    if state.tag(other) == taken.tag:
        # it got to the other slot before the reader here noticed that it is gone
        return state.holding(other, None).do(Again(CardIn(other, taken.tag, state.now)))
    return state


def _put_in(state: UnitState, card: CardIn) -> UnitState:
    side, tag = card.side, card.tag
    state = state.typing(replace(state.entry, into_pot=False))
    is_twice = any(present.tag == tag and present.number for present in state.cards.values())
    # a rejected card leaves its slot as good as empty
    state = state.holding(side, InsertedCard(tag, why=BankWhy.SAME_CARD_TWICE if is_twice else None))

    def admitted(state: UnitState, number: int) -> UnitState:
        if state.number(OTHER_SIDE[side]) == number:  # both cards have the ending of one entry of `bank.cards`
            return turned_away(state, Rejection(BankWhy.SAME_CARD_TWICE))
        state = state.holding(side, InsertedCard(tag, number)).emit(CardInserted(side, number))
        # a card that had left is back
        state = state.undid(lambda act: act.reason == Reason.LEFT and number in act.cards)
        out = number in state.game.retired
        return (state.saying(BankWhy.BANKRUPT.display) if out else state).play("card")

    def turned_away(state: UnitState, rejection: Rejection) -> UnitState:
        state = state.holding(side, InsertedCard(tag, why=rejection.why))
        # the card's line says why
        return state.emit(CardInserted(side, None)).refuse(rejection.why).saying(None)

    if isinstance(state.dialog, dialogs.NewCard):
        return dialogs.offer_new_card(state.emit(CardInserted(side, None)), card)
    if is_twice:
        return state.emit(CardInserted(side, None)).refuse(BankWhy.SAME_CARD_TWICE).saying(None)
    return state.ask("admit", tag, then=admitted, refused=turned_away)


def _read_slots_again(state: UnitState, tags: Mapping[Side, str | None]) -> UnitState:
    for side in SIDES:
        if state.tag(side) not in (None, tags[side]):
            state = state.do(Again(CardOut(side, state.now)))
    for side in SIDES:
        if (tag := tags[side]) and state.tag(side) != tag:
            state = state.do(Again(CardIn(side, tag, state.now)))
    return dialogs.without_choice(replace(state, down=None)).broken().refuse(BankWhy.TOO_FAST)


# Time.


def deadlines(state: UnitState) -> dict[str, float]:
    """Return the timers that run, and for each the time at which it posts a `Tick`."""
    times = {
        "sleep": inf if state.is_asleep else state.touched_at + SLEEP_S,
        "notice": state.notice_until,
        "guest": state.guest_until,
        "entry": state.entry.until,
        "dialog": state.dialog_until,
        "choice": state.dialog.choice_until if isinstance(state.dialog, dialogs.Menu) else inf,
        "payment": state.payments.waiting[0].asked_at + PATIENCE_S if state.payments.waiting else inf,
        "code": state.access.code_until,
        "minute": state.minute_at,
    }
    return {timer: due for timer, due in times.items() if due < inf}


def _ticked(state: UnitState, timer: str, due: float) -> UnitState:
    if deadlines(state).get(timer) != due:
        return state  # it was set to another time after it had fired
    match timer:
        case "sleep":
            return replace(state.cleared().hushed(), is_asleep=True, down=None)
        case "notice":
            return state.saying(None)
        case "guest":
            return replace(state, guest=None, guest_until=inf)
        case "entry":
            return state.cleared(keeps_pot=True)
        case "dialog":
            # what is typed in it is for no card
            return paying.dropped(state.broken() if state.entry.text else state)
        case "choice":
            assert isinstance(state.dialog, dialogs.Menu)
            return replace(state, dialog=state.dialog.without_choice())
        case "code":
            return replace(state, access=replace(state.access, code_until=inf))
        case "payment":
            return state.end_payment(state.payments.waiting[0], PaymentEnd.EXPIRED)
    state = replace(state, minute_at=due + MINUTE_S)
    return state.ask("count_down", then=_minute_passed, save=state.deal_at is None)


def _minute_passed(state: UnitState, _: object) -> UnitState:
    left = state.game.clock
    if left not in (0, WARNING_MIN):
        return state
    state = state.awake().emit(ClockSet(left)).play("time_up")
    return state.saying(Text.MINUTES_LEFT, minutes=left) if left else state.saying(Text.TIME_IS_UP)


def _time_is_up(state: UnitState, _: object) -> UnitState:
    if state.game.ended:
        return state
    return final_count.open_count(replace(state.awake(), down=None)).saying(Text.TIME_IS_UP)


def _settled(state: UnitState) -> UnitState:
    """Change what follows from the state alone, after each input."""
    game = state.game
    for payment in state.payments.waiting:
        if why := payment.why_over(game):
            state = state.end_payment(payment, why)
    if isinstance(state.dialog, paying.Offer) and state.dialog.is_stale(state):
        state = paying.dropped(state)
    if state.question != state.asked:
        # a C from now on answers the question, and no longer dismisses an earlier rejection
        refused = "" if state.question else state.refused
        state = replace(state, asked=state.question, asked_since=state.now, refused=refused)
    if game.clock is None or game.ended:
        state = replace(state, minute_at=inf)
    elif state.minute_at == inf:
        state = replace(state, minute_at=state.now + MINUTE_S)
    # a card that only moves from one slot to the other is still in
    is_idle = state.is_idle and not any(isinstance(effect, Again) for effect in state.effects)
    return state.ask("count_down", then=_time_is_up) if game.clock == 0 and is_idle else state


def _stepped(state: UnitState, input: Input | Answer) -> UnitState:
    match input:
        case given.Key(key):
            return ended_hold(state, input) or pressed(state, key)
        case given.Released(key):
            return released(state, key)
        case given.Held(key, times):
            return held(state, key, times)
        case CardIn() | CardOut():
            return ended_hold(state, input) or _card_moved(state, input)
        case given.Tick(timer, due):
            return _ticked(state, timer, due)
        case given.Asked():
            return answer_request(state, input)
        case Answer(ask, result, game):
            # what was shown for a tapped card may not be its balance any more
            guest = state.guest if game.balances == state.game.balances else None
            phones = state.phones_now
            state = replace(state, game=game, busy_until=state.now, guest=guest)
            state = state if state.phones_now == phones else state.emit(PhonesChanged(**state.phones_now))
            return ask.refused(state, result) if isinstance(result, Rejection) else ask.then(state, result)
        case given.Unclear():
            return dialogs.without_choice(replace(state.awake(), down=None)).broken().refuse(BankWhy.UNCLEAR)
        case given.Overrun(tags):
            return _read_slots_again(state, tags)
        case given.DealOver(deal_at):
            # the players still agree on the price
            return replace(state.awake(), deal_at=None if state.deal_at == deal_at else state.deal_at)
        case given.VolumeIs(level):
            return state.saying(Text.VOLUME, level=level) if level else state.saying(Text.SOUND_OFF)
        case given.CodeIs(code):
            return replace(state, access=replace(state.access, code=code))
        case given.CanShow(can_show, _, is_blind):
            state = replace(state, can_show=can_show, is_blind=is_blind)
            return dialogs.blinded(state) if is_blind else state


def step(state: UnitState, input: Input | Answer) -> tuple[UnitState, tuple[Effect, ...]]:
    """Return the state after an *input*, and the effects of the input."""
    # keys that were pressed while the ledger was at work come before any of these
    is_over = isinstance(input, given.Key | given.Tick) and input.at >= state.busy_until
    busy_until = -inf if is_over else state.busy_until
    state = _settled(_stepped(replace(state, now=input.at, busy_until=busy_until), input))
    return replace(state, effects=()), state.effects
