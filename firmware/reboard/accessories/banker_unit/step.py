"""The unit as one pure function: what each input does to the state, and the effects that the unit carries out.

Nothing else changes the state. `KEYS` shows what each key does in each mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from math import inf
from typing import TYPE_CHECKING

from reboard.accessories.banker_unit import dialogs, final_count, paying
from reboard.accessories.banker_unit import inputs as given
from reboard.accessories.banker_unit.accounts import BANK, PaymentEnd, Reason
from reboard.accessories.banker_unit.inputs import CardIn, CardOut, Input
from reboard.accessories.banker_unit.payments import PATIENCE_S, SETTLE_S
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.requests import answer_request
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import (
    HEAL_S,
    OTHER_SIDE,
    SIDES,
    Again,
    Answer,
    Deal,
    Down,
    Effect,
    InsertedCard,
    Notice,
    TransferNotice,
    UnitState,
    Volume,
)
from reboard.accessories.banker_unit.vocabulary import CardInserted, CardRemoved, ClockSet, Side
from reboard.errors import Rejection
from reboard.record import replace

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.schema import Transfer

SLEEP_S = 60.0
"""The time without a key, card or gavel after which the unit falls asleep, in seconds, as in the original."""

POINT_S = 3.0
"""The time within which a digit after a point with another meaning makes it the beginning of an amount, in seconds."""

RESULT_S = 5.0
"""The time for which the new balance of a card that was only tapped is shown, in seconds."""

MINUTE_S = 60.0

WARNING_MIN = 5
"""The minutes left on the game clock when the unit gives a warning."""

LAST_TRANSFERS = 3
"""The number of a card's latest transfers that holding the point key shows, one after the other."""


class Mode(StrEnum):
    """What decides what a key does."""

    ASLEEP = "asleep"
    IDLE = "no card"
    CARDS = "cards"
    QUESTION = "a phone asks"
    OFFER = "an offer"
    MENU = "menu"
    COUNT = "final count"
    RANKING = "ranking"
    POT = "bank to pot"
    NEW_CARD = "waits for a new card"


MODES = {"offer": Mode.OFFER, "menu": Mode.MENU, "count": Mode.COUNT, "ranking": Mode.RANKING, "pot": Mode.POT}

TYPING = (Mode.IDLE, Mode.CARDS, Mode.QUESTION, Mode.COUNT, Mode.POT)
"""The modes in which an amount can be typed."""


def mode_of(state: UnitState) -> Mode:
    """Return the mode of the unit."""
    if state.is_asleep:
        return Mode.ASLEEP
    if state.dialog:
        return MODES.get(state.dialog.name, Mode.NEW_CARD)
    if state.question:
        return Mode.QUESTION
    return Mode.CARDS if state.taken or state.entry else Mode.IDLE


# What keys do. The first line of a handler's docstring is in the table of the documents.


def _wake(state: UnitState, key: str) -> UnitState:
    """Wake."""
    return state


def _wake_broken(state: UnitState, key: str) -> UnitState:
    """Wake. The amount is broken."""
    return state.broken().refuse(BankWhy.TORN)


def _wake_go(state: UnitState, key: str) -> UnitState:
    """Wake. Held: open the menu."""
    return state if state.dialog else replace(state, down=Down(key, has_woken=True))


def _type(state: UnitState, key: str) -> UnitState:
    """Type an amount."""
    if state.entry.is_volume:
        # the point before it was no step of the volume, but begins an amount
        state = state.do(Volume(-1))
    elif state.entry.has_lost_point:
        state = state.broken()
    return state.typing(state.entry.typed(key)).play("key")


def _point(state: UnitState, key: str) -> UnitState:
    """Type a point. Without a card and an amount: step the volume."""
    state = state.cleared(keeps_pot=True) if state.entry.is_volume else state
    entry = state.entry.typed(key)
    if state.taken or state.entry:
        return replace(state, down=Down(key), entry=entry).play("key")
    return state.typing(replace(entry, until=state.now + POINT_S)).do(Volume(1))


def _zeros(state: UnitState, key: str) -> UnitState:
    """Add two zeros."""
    return _type(state, key).saying(Text.ADDS_ZEROS)


def _enter(state: UnitState, key: str) -> UnitState:
    """Pay. Held with one card: offer everyone. Without an amount: offer the last one again."""
    # with one card, it can be held for everyone: it pays when it is released
    entry = state.entry
    if state.alone and entry.text and not (entry.is_broken or entry.is_volume or state.rejected):
        return replace(state, down=Down(key))
    return paying.press_entering_key(state, key)


def _go(state: UnitState, key: str) -> UnitState:
    """Released: pay the salary. Held: open the menu."""
    return replace(state, down=Down(key, None if state.entry else state.number("left")))


def _has_settled(state: UnitState) -> bool:
    return state.now >= max(state.asked_since + SETTLE_S, state.busy_until)


def _confirm(state: UnitState, key: str) -> UnitState:
    """Released: pay what the phone asks for. Held: open the menu."""
    return replace(state, down=Down(key, answers=state.question if _has_settled(state) else None))


def _c(state: UnitState, key: str) -> UnitState:
    """Clear the amount, cancel the deal, or offer to take back. Held without a card: start a new game."""
    return paying.correct(replace(state, down=Down(key)), key)


def _reject(state: UnitState, key: str) -> UnitState:
    """Reject what the phone asks for."""
    if not state.question or not _has_settled(state):
        return replace(state, down=Down(key))
    return state.end_payment(state.question, PaymentEnd.REJECTED).play("key")


def _deal(state: UnitState, key: str) -> UnitState:
    """Start the deal timer."""
    if state.dialog:
        return _close_first(state, key)
    return state if state.deal_at is not None else replace(state, deal_at=state.now).do(Deal(state.now))


def _answer_first(state: UnitState, key: str) -> UnitState:
    """Refuse. Clear the choice of a digit."""
    choice = dialogs.without_choice(state)
    return state.refuse(BankWhy.ANSWER) if choice.dialog is state.dialog else choice.refuse(BankWhy.DIALOG)


def _close_first(state: UnitState, key: str) -> UnitState:
    """Refuse: `PRESS C FIRST`."""
    return state.refuse(BankWhy.DIALOG)


Handler = Callable[[UnitState, str], UnitState]

KINDS = ("digit", ".", "enter", "zeros", "GO", "C", "DEAL")
"""The kinds of keys. See `kind_of`."""

# fmt: off
_KEYS: Mapping[Mode, Sequence[Handler]] = {
    Mode.ASLEEP: (_wake_broken, _wake_broken, _wake, _wake, _wake_go, _wake, _deal),
    Mode.IDLE: (_type, _point, _enter, _zeros, _go, _c, _deal),
    Mode.CARDS: (_type, _point, _enter, _zeros, _go, _c, _deal),
    Mode.QUESTION: (_type, _point, _enter, _zeros, _confirm, _reject, _deal),
    Mode.OFFER: (*[_answer_first] * 4, paying.accept, paying.close, _answer_first),
    Mode.MENU: (dialogs.choose, *[dialogs.unchoose] * 3, dialogs.menu_go, paying.close, dialogs.unchoose),
    Mode.COUNT: (*[final_count.count_digit] * 2, final_count.count_amount, final_count.count_digit,
                 final_count.count_go, final_count.count_c, _close_first),
    Mode.RANKING: (*[_close_first] * 4, final_count.next_place, final_count.back_to_count, _close_first),
    Mode.POT: (_type, _type, dialogs.pot_amount, _zeros, _close_first, dialogs.pot_c, _close_first),
    Mode.NEW_CARD: (*[_close_first] * 5, paying.close, _close_first),
}
# fmt: on
KEYS: Mapping[Mode, Mapping[str, Handler]] = {mode: dict(zip(KINDS, row, strict=True)) for mode, row in _KEYS.items()}
"""What each kind of key does in each mode."""


def kind_of(key: str, state: UnitState) -> str:
    """Return the kind of a key in this edition: ``digit``, ``enter``, ``zeros``, or the key itself."""
    if key in ("K", "M"):
        return "enter" if key in state.game.edition.money.entering_keys else "zeros"
    return "digit" if key.isdigit() else key


def _ended_hold(state: UnitState, input: Input) -> UnitState | None:
    """Enter the amount of a held ``K`` or ``M``, before the *input* that ends its hold. ``None`` if none is held."""
    if not state.down or state.down.key not in ("K", "M"):
        return None
    state = paying.enter(replace(state, down=None), state.down.key)
    # a finger that presses GO for "enter" gets no salary for it
    return state if input == given.Key("GO", input.at) else state.do(Again(input))


def _pressed(state: UnitState, key: str) -> UnitState:
    if isinstance(state.dialog, paying.Offer) and state.dialog.does is paying.agree and key not in ("GO", "C"):
        state = paying.dropped(state)
    mode, kind, down, dialog = mode_of(state), kind_of(key, state), state.down, state.dialog
    was_refused = state.refused
    state = replace(state.awake().hushed(), down=None)
    if state.entry.is_broken:
        state = state.typing(replace(state.entry, until=state.seen_at + HEAL_S))
    if kind == "C" and was_refused and mode in TYPING:
        # it only dismisses the rejection
        state = state.cleared(keeps_pot=True) if state.entry.is_broken else state
        state = replace(state, down=None if dialog else Down(key)).play("key")
    elif state.now < state.busy_until and mode in (Mode.OFFER, Mode.MENU) and kind != "C":
        # it was pressed before the display showed the dialog
        state = state.refuse(BankWhy.ANSWER if mode == Mode.OFFER else BankWhy.DIALOG)
    else:
        state = KEYS[mode][kind](state, key)
    is_typing = mode in TYPING and (mode != Mode.COUNT or state.alone)
    if not is_typing and (kind in ("digit", ".") or (kind == "zeros" and state.entry)):
        # it may belong to an amount that is entered later
        state = state.broken()
    elif kind == "enter" and dialog and mode != Mode.COUNT:
        state = state.cleared()
    if down and (down.answers or (down.key == "GO" and down.card)):
        state = state.refuse(BankWhy.NOT_BOOKED)
    # the patience of a dialog begins again, but an offer has a time of its own
    return state if isinstance(state.dialog, paying.Offer) else state.showing(state.dialog)


def _released(state: UnitState, key: str) -> UnitState:
    down = state.down
    if not down or down.key != key:
        return state
    state = replace(state, down=None)
    if key in ("K", "M"):
        return paying.enter(state, key)
    if down.answers in state.payments.waiting:
        assert down.answers
        return paying.confirm(state, down.answers)
    if key == "GO":
        return state if down.has_woken else paying.release_go(state, down.card)
    if down.offers:
        return paying.offer_undo(state)
    return state.saying(None) if isinstance(state.notice, TransferNotice) else state


def _held(state: UnitState, key: str, times: int) -> UnitState:
    down = state.down
    if not down or down.key != key:
        return state
    if key == ".":
        return _show_transfer(state, times) if state.taken and state.entry.shown in ("", ".") else state
    state = replace(state, down=None)
    if key == "GO":
        return dialogs.open_menu(state)
    if key != "C":
        return paying.offer_each(state, key)
    if state.cards:
        return paying.dropped(state).refuse(BankWhy.CARDS_IN)
    return state.ask("start_game", state.game.edition, then=dialogs.started)


def _show_transfer(state: UnitState, times: int) -> UnitState:
    """Show the next of the latest transfers of the left card, or of the right card if the left slot is empty."""
    card = state.number("left") or state.number("right") or BANK

    def shown(state: UnitState, last: list[Transfer]) -> UnitState:
        place = (times - 1) % len(last) if last else 0
        return state.saying(TransferNotice(place + 1, card, last[place])) if last else state

    if times == 1:
        # a slow finger may have typed the point
        lost_until = state.now - given.HOLDS_S["."] + POINT_S
        state = state.typing(replace(state.entry, text="", until=lost_until))
    return state.ask("latest_of", card, LAST_TRANSFERS, then=shown)


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
        first, second = state.guest or ("", "")
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
            return _ended_hold(state, input) or _pressed(state, key)
        case given.Released(key):
            return _released(state, key)
        case given.Held(key, times):
            return _held(state, key, times)
        case CardIn() | CardOut():
            return _ended_hold(state, input) or _card_moved(state, input)
        case given.Tick(timer, due):
            return _ticked(state, timer, due)
        case given.Asked():
            return answer_request(state, input)
        case Answer(ask, result, game):
            # what was shown for a tapped card may not be its balance any more
            guest = state.guest if game.balances == state.game.balances else None
            state = replace(state, game=game, busy_until=state.now, guest=guest)
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
