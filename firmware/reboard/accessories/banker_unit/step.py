"""The unit as one pure function: what each input does to the state, and the effects that the unit carries out.

Nothing else changes the state. `KEYS` shows what each key does in each mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from reboard.accessories.banker_unit import dialogs, paying
from reboard.accessories.banker_unit.payments import PATIENCE_S, SETTLE_S
from reboard.accessories.banker_unit.requests import answer_request
from reboard.accessories.banker_unit.schema import BANK
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import (
    HEAL_S,
    OTHER_SIDE,
    SIDES,
    Again,
    Answer,
    Ask,
    CanShow,
    CardIn,
    CardOut,
    Deal,
    DealOver,
    Done,
    Down,
    Effect,
    Event,
    Held,
    Input,
    InsertedCard,
    Key,
    Notice,
    Overrun,
    Released,
    Request,
    Side,
    Sound,
    Step,
    Tick,
    TransferNotice,
    Unclear,
    UnitState,
    Volume,
    VolumeIs,
    another_game,
    end_payment,
    refuse,
)
from reboard.errors import REJECTIONS, Rejection

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.schema import Transfer

SLEEP_S = 60.0
"""The time without a key, card or gavel after which the unit falls asleep, in seconds, as in the original."""

POINT_S = 3.0
"""The time within which a digit after a point makes it the beginning of an amount, not a step of the volume."""

MINUTE_S = 60.0

WARNING_MIN = 5
"""The minutes left on the game clock when the unit gives a warning."""

LAST_TRANSFERS = 3
"""The number of a card's latest transfers that holding the point key shows, one after the other."""


class Mode(StrEnum):
    """What decides what a key does."""

    ASLEEP = "asleep"
    IDLE = "no card, nothing typed"
    CARDS = "a card in, or an amount typed"
    QUESTION = "a phone asks"
    OFFER = "an offer"
    MENU = "menu"
    COUNT = "final count"
    RANKING = "ranking"
    POT = "bank to pot"
    NEW_CARD = "waits for a new card"


MODES = {"offer": Mode.OFFER, "menu": Mode.MENU, "count": Mode.COUNT, "ranking": Mode.RANKING, "pot": Mode.POT}


def mode_of(state: UnitState) -> Mode:
    """Return the mode of the unit."""
    if state.is_asleep:
        return Mode.ASLEEP
    if state.dialog:
        return MODES.get(state.dialog.name, Mode.NEW_CARD)
    if state.question:
        return Mode.QUESTION
    return Mode.CARDS if state.taken or state.entry else Mode.IDLE


# Handlers of keys.


def _ignore(state: UnitState, key: str, at: float) -> Step:
    return state, ()


def _type(state: UnitState, key: str, at: float) -> Step:
    entry = state.entry
    if entry.is_volume:
        # the point before it was no step of the volume, but begins an amount
        return state.with_entry(entry.typed(key)), (Volume(-1), Sound("key"))
    return state.with_entry(entry.typed(key)), (Sound("key"),)


def _point(state: UnitState, key: str, at: float) -> Step:
    entry = state.entry.cleared(into_pot=state.entry.into_pot) if state.entry.is_volume else state.entry
    if state.taken or entry:
        return replace(state, down=Down(key)).with_entry(entry.typed(key)), (Sound("key"),)
    return state.with_entry(replace(entry.typed(key), until=at + POINT_S)), (Volume(1),)


def _zeros(state: UnitState, key: str, at: float) -> Step:
    state, effects = _type(state, key, at)
    return state.saying(Notice(Text.ADDS_ZEROS), at), effects


def _enter(state: UnitState, key: str, at: float) -> Step:
    # with one card, it can be held for everyone: it pays when it is released
    if state.alone and state.entry.text and not state.entry.is_broken and not state.rejected:
        return replace(state, down=Down(key)), ()
    return paying.press_entering_key(state, key, at)


def _go(state: UnitState, key: str, at: float) -> Step:
    # it pays or confirms when it is released, unless it is held until it opens the menu
    answers = state.question if at >= state.asked_since + SETTLE_S else None
    return replace(state, down=Down(key, state.number("left"), answers)), ()


def _c(state: UnitState, key: str, at: float) -> Step:
    return paying.correct(replace(state, down=Down(key)), key, at)


def _reject(state: UnitState, key: str, at: float) -> Step:
    if state.question and at >= state.asked_since + SETTLE_S:
        state, effects = end_payment(state.question, "rejected", state)
        return state, (*effects, Sound("key"))
    return _c(state, key, at)


def _deal(state: UnitState, key: str, at: float) -> Step:
    if state.dialog:
        return _close_first(state, key, at)
    if state.deal_at is not None:
        return state, ()
    return replace(state, deal_at=at), (Deal(at),)


def _wake_up(state: UnitState, key: str, at: float) -> Step:
    return refuse(state.with_entry(state.entry.broken(at)), "torn", at)


def _wake_go(state: UnitState, key: str, at: float) -> Step:
    # only held, for the menu
    return (state if state.dialog else replace(state, down=Down("woken GO"))), ()


def _answer_first(state: UnitState, key: str, at: float) -> Step:
    return refuse(state, "answer", at)


def _close_first(state: UnitState, key: str, at: float) -> Step:
    return refuse(state, "dialog", at)


Handler = Callable[[UnitState, str, float], Step]
Row = Mapping[str, tuple[str, Handler]]

_PAYING: Row = {
    "digit": ("types an amount", _type),
    ".": ("types a point", _point),
    "enter": ("pays; held with one card: everyone", _enter),
    "zeros": ("adds two zeros", _zeros),
    "GO": ("the salary; held: the menu", _go),
    "C": ("clears the amount, cancels the deal, or offers to take back; held: `TAKE CARDS OUT`", _c),
    "DEAL": ("starts the deal timer", _deal),
}

KEYS: Mapping[Mode, Row] = {
    Mode.ASLEEP: {
        "digit": ("wakes; the amount is broken", _wake_up),
        ".": ("wakes; the amount is broken", _wake_up),
        "enter": ("wakes", _ignore),
        "zeros": ("wakes", _ignore),
        "GO": ("wakes; held: the menu", _wake_go),
        "C": ("wakes", _ignore),
        "DEAL": ("wakes, and starts the deal timer", _deal),
    },
    Mode.IDLE: {
        **_PAYING,
        ".": ("steps the volume; before a digit: a point", _point),
        "enter": ("`NO CARD`", _enter),
        "GO": ("`NO CARD`; held: the menu", _go),
        "C": ("cancels the deal, or offers to take back; held: a new game", _c),
    },
    Mode.CARDS: _PAYING,
    Mode.QUESTION: {
        **_PAYING,
        ".": ("steps the volume; before a digit: a point", _point),
        "enter": ("`NO CARD`", _enter),
        "GO": ("pays what the phone asks for; held: the menu", _go),
        "C": ("rejects it", _reject),
    },
    Mode.OFFER: {
        **dict.fromkeys(("digit", "."), ("`GO OR C FIRST`; the amount is broken", _answer_first)),
        **dict.fromkeys(("enter", "zeros", "DEAL"), ("`GO OR C FIRST`", _answer_first)),
        "GO": ("does it", paying.accept),
        "C": ("drops it", paying.drop),
    },
    Mode.MENU: {
        "digit": ("chooses", dialogs.choose),
        ".": ("`PRESS C FIRST`", dialogs.unchoose),
        "enter": ("`PRESS C FIRST`; clears the choice", dialogs.unchoose),
        "zeros": ("`PRESS C FIRST`; clears the choice", dialogs.unchoose),
        "GO": ("does what is chosen; otherwise shows the next", dialogs.menu_go),
        "C": ("closes it", paying.drop),
        "DEAL": ("`PRESS C FIRST`", dialogs.unchoose),
    },
    Mode.COUNT: {
        "digit": ("types an amount; `1` without a card chooses the end of the game", dialogs.count_digit),
        ".": ("types a point", dialogs.count_digit),
        "enter": ("adds the amount to the card's worth", dialogs.count_amount),
        "zeros": ("adds two zeros", dialogs.count_digit),
        "GO": ("ends the game if that is chosen", dialogs.count_go),
        "C": ("clears the amount, removes the last one, or closes it", dialogs.count_c),
        "DEAL": ("`PRESS C FIRST`", _close_first),
    },
    Mode.RANKING: {
        **dict.fromkeys(("digit", ".", "enter", "zeros", "DEAL"), ("`PRESS C FIRST`", _close_first)),
        "GO": ("shows the next player", dialogs.next_place),
        "C": ("goes back", dialogs.back_to_count),
    },
    Mode.POT: {
        "digit": ("types an amount", dialogs.pot_digit),
        ".": ("types a point", dialogs.pot_digit),
        "enter": ("offers to pay it into the pot", dialogs.pot_amount),
        "zeros": ("adds two zeros", dialogs.pot_digit),
        "GO": ("`PRESS C FIRST`", _close_first),
        "C": ("clears the amount, or closes it", dialogs.pot_c),
        "DEAL": ("`PRESS C FIRST`", _close_first),
    },
    Mode.NEW_CARD: {
        **dict.fromkeys(("digit", ".", "enter", "zeros", "GO", "DEAL"), ("`PRESS C FIRST`", _close_first)),
        "C": ("closes it", paying.drop),
    },
}
"""What each kind of key does in each mode, in words and as a handler. See `kind_of`."""

TYPING = (Mode.IDLE, Mode.CARDS, Mode.QUESTION, Mode.COUNT, Mode.POT)
"""The modes in which an amount can be typed."""


def kind_of(key: str, state: UnitState) -> str:
    """Return the kind of a key in this edition: ``digit``, ``enter``, ``zeros``, or the key itself."""
    if key.isdigit():
        return "digit"
    if key in "KM":
        return "enter" if key in state.game.edition.money.entering_keys else "zeros"
    return key


def _pressed(state: UnitState, key: str, at: float) -> Step:
    if state.down and state.down.key in "KM":
        # another key ends its hold
        state, effects = paying.enter(replace(state, down=None), state.down.key, at)
        return state, (*effects, Again(Key(key, at)))
    mode, kind = mode_of(state), kind_of(key, state)
    spoiled = state.down if state.down and state.down.key == "GO" and (state.down.card or state.down.answers) else None
    was_refused, dialog = state.refused, state.dialog
    state = replace(state.awake(at), refused="", down=None, guest=None, guest_until=inf).saying(None, at)
    if state.entry.is_broken:
        state = state.with_entry(replace(state.entry, until=at + HEAL_S))
    if kind == "C" and was_refused and mode in TYPING:
        # it only dismisses the rejection
        state = replace(state, down=None if dialog else Down(key)).with_entry(state.entry.healed())
        return _patient(state, at), (Sound("key"),)
    state, effects = KEYS[mode][kind][1](state, key, at)
    if kind in ("digit", ".") and (mode not in TYPING or (mode == Mode.COUNT and not state.alone)):
        # it may be the digit of an amount that is entered later
        state = state.with_entry(state.entry.broken(at))
    elif kind == "enter" and dialog:
        state = state.with_entry(state.entry.cleared())
    if spoiled:
        state, refused = refuse(state, "not booked", at)
        effects = (*effects, *refused)
    return _patient(state, at), effects


def _patient(state: UnitState, at: float) -> UnitState:
    """Return the state in which the patience of the open dialog begins again. An offer has a time of its own."""
    return state if isinstance(state.dialog, paying.Offer) else state.with_dialog(state.dialog, at)


def _released(state: UnitState, key: str, at: float) -> Step:
    down = state.down
    if not down or down.key != key:
        return state, ()
    state = replace(state, down=None)
    if key in "KM":
        return paying.enter(state, key, at)
    if key == "GO" and down.answers in state.payments.waiting:
        assert down.answers
        return state, (paying.confirm(down.answers, lambda state, why, at: (state, ())),)
    if key == "GO":
        return paying.release_go(state, down.card, at)
    return (state.saying(None, at) if key == "." and isinstance(state.notice, TransferNotice) else state), ()


def _held(state: UnitState, key: str, times: int, at: float) -> Step:
    down = state.down
    if not down or down.key.removeprefix("woken ") != key:
        return state, ()
    if key == "." and state.taken and state.entry.text in ("", "."):
        return _show_transfer(state, times, at)
    if times > 1 or key == ".":
        return state, ()
    state = replace(state, down=None)
    if key in "KM":
        return paying.offer_each(state, key, at)
    if key == "GO":
        return dialogs.open_menu(state, at)
    if state.taken:
        return refuse(state.with_dialog(None, at), "cards in", at)
    return state, (Ask("start_game", (state.game.edition,), _new_game),)


def _new_game(state: UnitState, _: object, at: float) -> Step:
    return another_game(state, Notice(Text.NEW_GAME), at)


def _show_transfer(state: UnitState, times: int, at: float) -> Step:
    """Show the next of the latest transfers of the left card, or of the right card if the left slot is empty."""
    # a slow finger may have typed the point
    state = state.with_entry(state.entry.cleared(into_pot=state.entry.into_pot))
    card = state.number("left") or state.number("right") or BANK

    def shown(state: UnitState, last: list[Transfer], at: float) -> Step:
        if not last:
            return state, ()
        place = (times - 1) % len(last)
        return state.saying(TransferNotice(place + 1, card, last[place]), at), ()

    return state, (Ask("latest_of", (card, LAST_TRANSFERS), shown),)


# Cards.


def _card_moved(state: UnitState, card: CardIn | CardOut) -> Step:
    at, side = card.at, card.side
    if state.down and state.down.key in "KM":
        state, effects = paying.enter(replace(state, down=None), state.down.key, at)
        return state, (*effects, Again(card))
    if isinstance(card, CardIn) and state.tag(side) == card.tag:
        return state, ()  # seen already, when inputs were lost
    state = replace(state.awake(at), refused="", guest=None, guest_until=inf).saying(None, at)
    down = state.down
    if down and (down.key != "GO" or down.answers or (down.card and side == "left")):
        state = replace(state, down=None)
        if down.answers or (down.key == "GO" and down.card):
            state, spoiled = refuse(state, "not booked", at)
            state, effects = _in_or_out(state, card)
            return state, (*effects, *spoiled)
    return _in_or_out(state, card)


def _in_or_out(state: UnitState, card: CardIn | CardOut) -> Step:
    at = card.at
    if isinstance(state.dialog, paying.Offer):
        state = state.with_dialog(None, at)
    elif isinstance(state.dialog, dialogs.Menu):
        state = state.with_dialog(state.dialog, at)
    elif state.dialog:
        state = state.with_dialog(dialogs.without_choice(state.dialog), at)
    return _put_in(state, card) if isinstance(card, CardIn) else _take_out(state, card)


def _take_out(state: UnitState, card: CardOut) -> Step:
    side, at = card.side, card.at
    taken, other = state.cards.get(side), OTHER_SIDE[side]
    number = state.number(side)
    state = state.with_card(side, None)
    effects: tuple[Effect, ...] = (Event("card.removed", {"slot": side, "number": number}),)
    if not taken or not number:
        return state, effects
    if not card.is_done:
        state = state.without_acts_of(number)
    entry = replace(state.entry, into_pot=False)
    state = state.with_entry(entry)
    if entry.text:
        state, torn = refuse(state.with_entry(entry.broken(at)), "torn", at)
        effects = (*effects, *torn)
    if state.tag(other) == taken.tag:
        # it got to the other slot before the reader here noticed that it is gone
        effects = (*effects, Again(CardIn(other, taken.tag, at)))
        state = state.with_card(other, None)
    return state, effects


def _put_in(state: UnitState, card: CardIn) -> Step:
    side, tag, at = card.side, card.tag, card.at
    # a rejected card leaves its slot as good as empty
    state = state.with_entry(replace(state.entry, into_pot=False))
    if isinstance(state.dialog, dialogs.NewCard):
        state = state.with_card(side, InsertedCard(tag, why="unknown card"))
        state, effects = dialogs.offer_new_card(state, side, tag, at)
        return state, (_inserted(side, None), *effects)
    if any(present.tag == tag and present.number for present in state.cards.values()):
        return _turn_away(state, side, tag, "same card twice", at)
    admitted = partial(_admitted, side=side, tag=tag)

    def turned_away(state: UnitState, rejection: Rejection, at: float) -> Step:
        state, effects = _turn_away(state, side, tag, rejection.why, at)
        return state, (*effects, Done(side))

    return state.with_card(side, InsertedCard(tag, why="unknown card")), (Ask("admit", (tag,), admitted, turned_away),)


def _admitted(state: UnitState, number: int, at: float, *, side: Side, tag: str) -> Step:
    state = state.with_card(side, InsertedCard(tag, number))
    if number in state.game.retired:
        state = state.saying(Notice(REJECTIONS["bankrupt"].display), at)
    return state, (_inserted(side, number), Sound("card"))


def _turn_away(state: UnitState, side: Side, tag: str, why: str, at: float) -> Step:
    state, effects = refuse(state.with_card(side, InsertedCard(tag, why=why)), why, at)
    return state, (_inserted(side, None), *effects)


def _inserted(side: Side, number: int | None) -> Event:
    return Event("card.inserted", {"slot": side, "number": number})


def _read_slots_again(state: UnitState, tags: Mapping[Side, str | None], at: float) -> Step:
    state = replace(state, down=None).with_entry(state.entry.broken(at))
    gone: list[Input] = [CardOut(side, at) for side in SIDES if state.tag(side) not in (None, tags[side])]
    new: list[Input] = [CardIn(side, tag, at) for side in SIDES if (tag := tags[side]) and state.tag(side) != tag]
    state, effects = refuse(state, "too fast", at)
    return state, (*map(Again, (*gone, *new)), *effects)


# Time.


def deadlines(state: UnitState) -> Iterator[tuple[str, float]]:
    """Yield each timer that runs, and the time at which it posts a `Tick`."""
    times = {
        "sleep": inf if state.is_asleep else state.touched_at + SLEEP_S,
        "notice": state.notice_until,
        "guest": state.guest_until,
        "entry": state.entry.until,
        "dialog": state.dialog_until,
        "choice": state.dialog.choice_until if state.dialog else inf,
        "payment": state.payments.waiting[0].asked_at + PATIENCE_S if state.payments.waiting else inf,
        "minute": state.minute_at,
    }
    yield from ((timer, due) for timer, due in times.items() if due < inf)


def _ticked(state: UnitState, tick: Tick) -> Step:
    if dict(deadlines(state)).get(tick.timer) != tick.due:
        return state, ()  # it was set to another time after it had fired
    match tick.timer:
        case "sleep":
            sleeping = replace(state, is_asleep=True, refused="", down=None)
            return sleeping.with_entry(state.entry.cleared()).saying(None, tick.at), ()
        case "notice":
            return state.saying(None, tick.at), ()
        case "guest":
            return replace(state, guest=None, guest_until=inf), ()
        case "entry":
            return state.with_entry(state.entry.cleared(into_pot=state.entry.into_pot)), ()
        case "dialog":
            return state.with_dialog(None, tick.at), ()
        case "choice":
            assert state.dialog
            return replace(state, dialog=dialogs.without_choice(state.dialog)), ()
        case "payment":
            return end_payment(state.payments.waiting[0], "expired", state)
    state = replace(state, minute_at=tick.due + MINUTE_S)
    return state, (Ask("count_down", (state.deal_at is None,), _minute_passed),)


def _minute_passed(state: UnitState, _: object, at: float) -> Step:
    left = state.game.clock
    if left not in (0, WARNING_MIN):
        return state, ()
    notice = Notice(Text.MINUTES_LEFT, {"minutes": left}) if left else Notice(Text.TIME_IS_UP)
    return state.awake(at).saying(notice, at), (Event("game.clock", {"minutes": left}), Sound("time_up"))


def _settled(state: UnitState, at: float) -> Step:
    """Return the step for what follows from the state alone, after each input."""
    effects: tuple[Effect, ...] = ()
    for payment in state.payments.waiting:
        if why := payment.why_over(state.game):
            state, ended = end_payment(payment, why, state)
            effects = (*effects, *ended)
    if isinstance(state.dialog, paying.Offer) and state.dialog.is_stale(state):
        state = state.with_dialog(None, at)
    if state.question != state.asked:
        # a C from now on answers the question, and no longer dismisses an earlier rejection
        asked = state.question
        state = replace(state, asked=asked, asked_since=at, refused="" if asked else state.refused)
    game = state.game
    if game.clock is None or game.ended:
        state = replace(state, minute_at=inf)
    elif state.minute_at == inf:
        state = replace(state, minute_at=at + MINUTE_S)
    if game.clock == 0 and state.is_idle:
        effects = (*effects, Ask("count_down", (True,), _time_is_up))
    return state, effects


def _time_is_up(state: UnitState, _: object, at: float) -> Step:
    if state.game.ended:
        return state, ()
    state, effects = dialogs.open_count(replace(state.awake(at), down=None), at)
    return state.saying(Notice(Text.TIME_IS_UP), at), effects


def step(state: UnitState, given: Input) -> Step:
    """Return the state after the input *given*, and the effects of the input."""
    state, effects = _stepped(state, given)
    state, more = _settled(state, given.at)
    return state, (*effects, *more)


def _stepped(state: UnitState, given: Input) -> Step:
    match given:
        case Key(name, at):
            return _pressed(state, name, at)
        case Released(name, at):
            return _released(state, name, at)
        case Held(name, times, at):
            return _held(state, name, times, at)
        case CardIn() | CardOut():
            return _card_moved(state, given)
        case Tick():
            return _ticked(state, given)
        case Request():
            return answer_request(state, given)
        case Answer(ask, result, game, at):
            state = replace(state, game=game)
            return ask.refused(state, result, at) if isinstance(result, Rejection) else ask.then(state, result, at)
        case Unclear(at):
            return refuse(replace(state.awake(at), down=None).with_entry(state.entry.broken(at)), "unclear", at)
        case Overrun(tags, at):
            return _read_slots_again(state, tags, at)
        case DealOver(deal_at, at):
            # the players still agree on the price
            return replace(state.awake(at), deal_at=None if state.deal_at == deal_at else state.deal_at), ()
        case VolumeIs(level, at):
            return state.saying(Notice(Text.VOLUME, {"level": level}), at), ()
        case CanShow(can_show):
            return replace(state, can_show=can_show), ()
