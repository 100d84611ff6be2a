"""What each key does in each mode of the unit. See `KEYS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from reboard.accessories.banker_unit import booking, dialogs, final_count, paying
from reboard.accessories.banker_unit import inputs as given
from reboard.accessories.banker_unit.accounts import BANK, PaymentEnd
from reboard.accessories.banker_unit.effects import Again, Deal, Volume
from reboard.accessories.banker_unit.inputs import Input
from reboard.accessories.banker_unit.payments import SETTLE_S
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Transfer
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import HEAL_S, Down, TransferNotice, UnitState
from reboard.record import replace

POINT_S = 3.0
"""The time within which a digit after a point with another meaning makes it the beginning of an amount, in seconds."""

LAST_TRANSFERS = 3
"""The number of a card's latest transfers that holding the point key shows, one after the other."""


class Mode:
    """What decides what a key does. An enumeration would cost 0.2 ms of each start."""

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


def mode_of(state: UnitState) -> str:
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
    """Clear the amount, cancel the auction, or offer to take back. Held without a card: start a new game."""
    return paying.correct(replace(state, down=Down(key)), key)


def _reject(state: UnitState, key: str) -> UnitState:
    """Reject what the phone asks for."""
    if not state.question or not _has_settled(state):
        return replace(state, down=Down(key))
    return state.end_payment(state.question, PaymentEnd.REJECTED).play("key")


def _deal(state: UnitState, key: str) -> UnitState:
    """Start an auction."""
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
_KEYS: Mapping[str, Sequence[Handler]] = {
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
KEYS: Mapping[str, Mapping[str, Handler]] = {mode: dict(zip(KINDS, row, strict=True)) for mode, row in _KEYS.items()}
"""What each kind of key does in each mode."""


def kind_of(key: str, state: UnitState) -> str:
    """Return the kind of a key in this edition: ``digit``, ``enter``, ``zeros``, or the key itself."""
    if key in ("K", "M"):
        return "enter" if key in state.game.edition.money.entering_keys else "zeros"
    return "digit" if key.isdigit() else key


def ended_hold(state: UnitState, input: Input) -> UnitState | None:
    """Enter the amount of a held ``K`` or ``M``, before the *input* that ends its hold. ``None`` if none is held."""
    if not state.down or state.down.key not in ("K", "M"):
        return None
    state = paying.enter(replace(state, down=None), state.down.key)
    # a finger that presses GO for "enter" gets no salary for it
    return state if input == given.Key("GO", input.at) else state.do(Again(input))


def pressed(state: UnitState, key: str) -> UnitState:
    """Do what a key does in the present mode."""
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


def released(state: UnitState, key: str) -> UnitState:
    """Do what the release of a key means, if it was not held."""
    down = state.down
    if not down or down.key != key:
        return state
    state = replace(state, down=None)
    if key in ("K", "M"):
        return paying.enter(state, key)
    if down.answers in state.payments.waiting:
        assert down.answers
        return booking.confirm(state, down.answers)
    if key == "GO":
        return state if down.has_woken else paying.release_go(state, down.card)
    if down.offers:
        return paying.offer_undo(state)
    return state.saying(None) if isinstance(state.notice, TransferNotice) else state


def held(state: UnitState, key: str, times: int) -> UnitState:
    """Do what a key means that was held, for the first time or *times* times."""
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
