"""Mistakes that are put into the unit on purpose, to show that the exploration finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from reboard.accessories.banker_unit import dialogs, paying
from reboard.accessories.banker_unit import step as core
from reboard.accessories.banker_unit.step import Mode
from reboard.accessories.banker_unit.unit_state import Down, UnitState

Handler = Callable[..., Any]
"""A function of the unit that a mistake replaces."""


@dataclass(frozen=True)
class Mistake:
    """A *wrong* function instead of *name* in *owner*, a module, a class or a row of `core.KEYS`."""

    owner: Any
    name: str
    wrong: Callable[[Any], Any]

    @contextmanager
    def made(self) -> Iterator[None]:
        """Let the unit make the mistake."""
        is_row = isinstance(self.owner, dict)
        right = self.owner[self.name] if is_row else getattr(self.owner, self.name)
        put = self.owner.__setitem__ if is_row else lambda name, value: setattr(self.owner, name, value)
        put(self.name, self.wrong(right))
        try:
            yield
        finally:
            put(self.name, right)


def row(mode: Mode) -> Any:
    return core.KEYS[mode]


def _drops_point(right: Handler) -> Handler:
    def type_digit(state: UnitState, key: str) -> Any:
        return right(state.cleared() if state.entry.is_volume else state, key)

    return type_digit


def _heals(right: Handler) -> Handler:
    return lambda state, key: right(
        state.typing(replace(state.entry, is_broken=False, until=inf)) if state.entry.text else state, key
    )


def _takes_back_older(right: Handler) -> Handler:
    def correct(state: UnitState, key: str) -> Any:
        older = replace(state, undoable=state.undoable[:-1]) if len(state.undoable) > 1 else state
        return replace(right(older, key), undoable=state.undoable)

    return correct


def _takes_back_at_once(right: Handler) -> Handler:
    def correct(state: UnitState, key: str) -> Any:
        after = right(state, key)
        return paying.accept(after, key) if isinstance(after.dialog, paying.Offer) else after

    return correct


def _menu_takes_m(right: Handler) -> Handler:
    return lambda state, key: dialogs.menu_go(state, key) if state.dialog.choice_until < inf else right(state, key)


def _menu_needs_no_choice(right: Handler) -> Handler:
    return lambda state, key: right(state.showing(replace(state.dialog, choice_until=state.now + 5)), key)


def _go_ignores_amount(right: Handler) -> Handler:
    return lambda state, card: right(state.cleared(), card)


def _go_pays_at_once(right: Handler) -> Handler:
    def go(state: UnitState, key: str) -> Any:
        return paying.release_go(replace(state, down=None), state.number("left"))

    return go


def _key_books_salary(right: Handler) -> Handler:
    def pressed(state: UnitState, key: str) -> Any:
        is_go = state.down and state.down.key == "GO" and not state.down.answers
        return right(paying.release_go(state, state.down.card) if is_go and state.down else state, key)

    return pressed


def _pays_twice(right: Handler) -> Handler:
    def pay(state: UnitState, amount: int) -> Any:
        return right(right(state, amount), amount)

    return pay


def _each_pays_twice(right: Handler) -> Handler:
    return lambda state, *args: right(right(state, *args), *args)


def _m_pays_again(right: Handler) -> Handler:
    def press(state: UnitState, key: str) -> Any:
        again = not state.entry and state.last_amount and state.taken
        return paying._pay(state, state.last_amount) if again else right(state, key)

    return press


def _ghost_is_player(right: Handler) -> Handler:
    return lambda count, state: {card: count.worth(card, state) for card in state.game.in_game}


def _offer_takes_m(right: Handler) -> Handler:
    return lambda state, key: paying.accept(state, key)


def _tick_is_lost(right: Handler) -> Handler:
    return lambda state, timer, due: right(state, timer, due) if state.now > due else state


def _removed_card_can_be_taken_back(right: Handler) -> Handler:
    return lambda state, card=None: state


def _torn_amount_stays(right: Handler) -> Handler:
    def take_out(state: UnitState, card: Any) -> Any:
        after = right(state, card)
        return after.typing(replace(state.entry)) if state.entry.text else after

    return take_out


def _no_settling(right: Handler) -> Handler:
    return lambda state, key: replace(state, down=Down(key, state.number("left"), state.payments.waiting[0]))


def _new_game_with_cards(right: Handler) -> Handler:
    return lambda state, key, times: (
        right(state, key, times) if key != "C" else state.ask("start_game", state.game.edition, then=dialogs.started)
    )


def _swapped_slots(right: Handler) -> Handler:
    return lambda state, amount: state.ask(
        "pay", state.number("left") or 0, state.number("right") or 0, amount, "players", then=lambda state, _: state
    )


def _never_closes(right: Handler) -> Handler:
    return lambda state: state


def _says_nothing(right: Handler) -> Handler:
    return lambda state, rejection: state.cleared()


MISTAKES: Mapping[str, Mistake] = {
    "a leading point is dropped": Mistake(row(Mode.CARDS), "digit", _drops_point),
    "a digit heals a broken amount": Mistake(row(Mode.CARDS), "digit", _heals),
    "an amount stays when its card is taken out": Mistake(core, "_take_out", _torn_amount_stays),
    "C takes back an older payment": Mistake(row(Mode.CARDS), "C", _takes_back_older),
    "C takes back without GO": Mistake(row(Mode.CARDS), "C", _takes_back_at_once),
    "C takes back a card's payment after it was taken out": Mistake(
        UnitState, "barred", _removed_card_can_be_taken_back
    ),
    "M confirms in the menu": Mistake(row(Mode.MENU), "enter", _menu_takes_m),
    "GO confirms in the menu without a choice": Mistake(row(Mode.MENU), "GO", _menu_needs_no_choice),
    "GO pays a salary though an amount is typed": Mistake(paying, "release_go", _go_ignores_amount),
    "GO pays the salary when it is pressed": Mistake(row(Mode.CARDS), "GO", _go_pays_at_once),
    "another key books the salary while GO is down": Mistake(core, "_pressed", _key_books_salary),
    "GO answers a question at once": Mistake(row(Mode.QUESTION), "GO", _no_settling),
    "M pays twice": Mistake(paying, "_pay", _pays_twice),
    "everyone pays twice": Mistake(paying, "_pay_each", _each_pays_twice),
    "the final count takes an amount that lost a digit": Mistake(row(Mode.COUNT), "enter", _heals),
    "M M pays twice": Mistake(paying, "press_entering_key", _m_pays_again),
    "M answers an offer": Mistake(row(Mode.OFFER), "enter", _offer_takes_m),
    "the slots are swapped": Mistake(paying, "_pay", _swapped_slots),
    "a card that only joined is a player": Mistake(dialogs.FinalCount, "worths", _ghost_is_player),
    "C held with a card in starts a game": Mistake(core, "_held", _new_game_with_cards),
    "a timer is lost at its very time": Mistake(core, "_ticked", _tick_is_lost),
    "a dialog never closes": Mistake(paying, "dropped", _never_closes),
    "an amount is refused without a word": Mistake(paying, "_refuse_amount", _says_nothing),
}
"""A mistake of each kind that has been made before, and others; some are only found at a depth of four or five acts."""
