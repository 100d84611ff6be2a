"""What must hold after each input, written from the rules and from what the users see and press, not from the code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from reboard.accessories.banker_unit.accounts import BANK, POT
from reboard.accessories.banker_unit.display_text import Messages, render
from reboard.accessories.banker_unit.final_count import FinalCount
from reboard.accessories.banker_unit.inputs import Asked, CardIn, CardOut, Held, Input, Key, Overrun, Released, Tick
from reboard.accessories.banker_unit.paying import Offer
from reboard.accessories.banker_unit.payments import press_of
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Transfer
from reboard.accessories.banker_unit.texts import Text, display_texts
from reboard.accessories.banker_unit.unit_state import Ask, Dialog, Lines, UnitState
from reboard.accessories.banker_unit.vocabulary import Pay, Side
from reboard.editions.edition import Edition
from reboard.errors import Rejection
from reboard.languages import Texts
from tests.reboard.accessories.banker_unit.exploration.books import Books

ENGLISH, GERMAN = display_texts("en"), display_texts("de")
SIDES: tuple[Side, Side] = ("left", "right")
CHANGES_GAME = frozenset({"start_game", "resume", "set_clock", "end"})
TYPED = frozenset({"received", "paid", "players", "pot_paid"})
HEAL_S, CHOICE_S, SETTLE_S = 10.0, 5.0, 1.0


class BrokenRuleError(AssertionError):
    """A broken rule."""


class PressedGo(NamedTuple):
    """A ``GO`` that is down: what it was pressed for."""

    card: int | None
    question: str
    lines: Lines
    is_free: bool
    """Whether no amount and no dialog was shown."""


class PressedEnter(NamedTuple):
    key: str
    typed: str
    is_lost: bool


class Seen(NamedTuple):
    """What the users have pressed and seen."""

    typed: str = ""
    """The digits and points since the display last showed no amount."""
    is_lost: bool = False
    """Whether one of them was lost or rejected."""
    key_at: float = 0.0
    digit_at: float = -1e9
    """The time of the last key, if it was a digit."""
    acts: tuple[tuple[frozenset[int], frozenset[int]], ...] = ()
    """The transfers and the cards of each act at the unit, none of whose cards has moved since."""
    go: PressedGo | None = None
    enter: PressedEnter | None = None
    question: tuple[str, float] = ("", 0.0)
    """The question on the display, and the time at which it came there."""


NOTHING_SEEN = Seen()


@dataclass(slots=True)
class Told:
    """What the unit said and asked during one input."""

    refused: list[str] = field(default_factory=list)
    asked: list[Ask] = field(default_factory=list)
    answer: object = None
    """The answer to a request."""


def lines_of(state: UnitState, texts: Texts = ENGLISH) -> Lines:
    return render(state, Messages(), texts)


def announced(state: UnitState) -> Lines:
    """Return what the display shows when no notice hides a part of it for two seconds."""
    return lines_of(replace(state, notice=None))


def amount_of(typed: str, key: str, edition: Edition) -> Fraction:
    """Return the amount that a user means, or -1 if it is none."""
    if not re.fullmatch(r"\d+\.?\d*|\.\d+", typed):
        return Fraction(-1)
    zeros = {"K": 1_000, "M": 1_000_000}[key] if edition.money.units else 1
    whole, _, decimals = typed.partition(".")
    return (int(whole or "0") + Fraction(int(decimals or "0"), 10 ** len(decimals))) * zeros


def is_typing(state: UnitState) -> bool:
    """Return whether the display has a place for an amount."""
    name = state.dialog.name if state.dialog else ""
    return not state.is_asleep and name in ("", "count", "pot")


def look(before: UnitState, after: UnitState, books: Books, now: Books, given: Input, told: Told, seen: Seen) -> Seen:
    """Return what the users have seen after an input. Raises `BrokenRuleError` if it broke a rule."""
    kind = type(given)
    made = now.transfers[len(books.transfers) :] if now.game == books.game else ()
    if after.game is not now.view:
        raise BrokenRuleError("the unit does not have the ledger's balances")
    settles = seen.enter is not None and kind in (Key, CardIn, CardOut)
    if told.refused and any(each.reason != "start" for each in made) and not settles:
        raise BrokenRuleError(f"money moved although the input was refused: {told.refused[0]}")
    if kind is Tick:
        _check_timer(after, given)
    if isinstance(given, Asked) and isinstance(given.request, Pay):
        _check_payment(books, now, made, given.request, told.answer)
    if made or now is not books:
        _check_money(before, books, now, made, given, told, seen)
    elif kind in (Key, Released):
        _check_nothing_is_lost(before, after, given, told)
    if isinstance(before.dialog, FinalCount) and isinstance(after.dialog, FinalCount):
        _check_count(before.dialog, after.dialog, given, books, seen)
    if told.asked:
        _check_game(before, given, told, seen, now.view.playing)
    seen = _noticed(before, after, given, told, seen)
    if made or now.game != books.game or kind is CardOut or kind is Asked:
        seen = seen._replace(acts=_acts(before, given, now, made, seen.acts, is_new=now.game != books.game))
    if seen.is_lost and is_typing(after) and not after.entry.is_broken:
        raise BrokenRuleError("an amount that lost a digit is not shown as broken")
    if is_typing(after) and not after.entry.is_broken and after.entry.text != seen.typed:
        raise BrokenRuleError("the display does not show the digits that were typed since it last showed none")
    return seen


def _check_timer(after: UnitState, tick: Input) -> None:
    from reboard.accessories.banker_unit import step as core

    assert isinstance(tick, Tick)
    if core.deadlines(after).get(tick.timer) == tick.due:
        raise BrokenRuleError(f"the timer {tick.timer} fires again at the same time")


# Money.


def _check_money(
    before: UnitState, books: Books, now: Books, made: tuple[Transfer, ...], given: Input, told: Told, seen: Seen
) -> None:
    kind = type(given)
    if kind is Asked:
        return  # by the host, or by a payment that the host has confirmed
    if kind is Tick or kind is Overrun:
        if made:
            raise BrokenRuleError("money moved without a key or card")
        return
    joins = [each for each in made if each.reason == "start"]
    moved = [each for each in made if each.reason != "start"]
    if joins and kind not in (CardIn, CardOut) and not (kind is Released and seen.go and seen.go.question):
        raise BrokenRuleError("a card joined, but was not inserted")
    is_same = now.game == books.game
    out = (now.retired ^ books.retired) | (now.left ^ books.left) if is_same else frozenset()
    out |= books.balances.keys() - now.balances.keys() if is_same else set()
    if not moved and not out:
        return
    if kind in (CardIn, CardOut) and all(each.reason == "undo" for each in moved):
        return  # a card that left is back, perhaps in the other slot when it is taken out of this one
    if kind is Key and given.name == "GO" and not seen.enter:  # type: ignore[union-attr]
        _check_announced(before, books, moved, out, given, seen)
        return
    if kind is Released and given.name == "GO":  # type: ignore[union-attr]
        _check_go(before, books, moved, seen)
        return
    if out:
        raise BrokenRuleError("a card is in or out of the game without GO")
    pressed = seen.enter
    if kind is Key and not pressed:
        assert isinstance(given, Key)
        pressed = PressedEnter(given.name, seen.typed, seen.is_lost)
        if given.name not in books.edition.money.entering_keys:
            raise BrokenRuleError(f"{given.name} moved money")
        if before.dialog or before.is_asleep:
            raise BrokenRuleError("a key in a dialog or at a sleeping unit moved money")
    if not pressed or kind is Held:
        raise BrokenRuleError("money moved without an entering key or GO")
    _check_entered(before, books, moved, pressed)


def _check_payment(books: Books, now: Books, made: tuple[Transfer, ...], request: Pay, answer: object) -> None:
    """Check what another accessory or a program pays: exactly that, once, and only if the rules allow it."""
    from_, to, amount = request.from_, request.to, request.amount
    press = press_of(request.payment)
    known = books.presses.get(press)
    moved = [(each.from_, each.to, each.amount, each.reason) for each in made]
    if isinstance(answer, Rejection):
        if moved or known or not (answer.why == BankWhy.DISK or _is_forbidden(books, from_, to, amount)):
            raise BrokenRuleError("a payment was rejected although it was made, or although the rules allow it")
        return
    if moved != ([] if known else [(from_, to, amount, request.reason)]):
        raise BrokenRuleError("a payment moved something else, or was made twice")
    if answer != (known or made[0]).as_json() or press not in now.presses:
        raise BrokenRuleError("a payment was not answered with its transfer, or can be made twice")
    if not known and _is_forbidden(books, from_, to, amount):
        raise BrokenRuleError("a payment was made that the rules forbid")


def _is_forbidden(books: Books, from_: int, to: int, amount: int) -> bool:
    has = {**{card: books.balances[card] for card in books.in_game}, POT: books.pot}
    return (
        books.ended is not None
        or not {from_, to} <= {BANK, *has}
        or (to == POT and not books.has_pot)
        or (from_ != BANK and has[from_] < amount)
        or (to != BANK and has[to] + amount > books.edition.money.largest)
    )


def _check_entered(before: UnitState, books: Books, moved: list[Transfer], pressed: PressedEnter) -> None:
    if len(moved) > 1:
        raise BrokenRuleError("one entering key moved money twice")
    (paid,) = moved
    if pressed.is_lost or before.entry.is_broken:
        raise BrokenRuleError("an amount that lost a digit was entered")
    left, right = before.number("left"), before.number("right")
    if paid.reason == "pot_taken":
        if (pressed.typed, pressed.key, paid.from_, paid.to, right) != (".", "M", POT, left, None):
            raise BrokenRuleError("the pot was taken by other keys than . M, or by another card")
        if paid.amount != books.pot:
            raise BrokenRuleError("the pot was not taken as a whole")
        return
    if paid.reason not in TYPED:
        raise BrokenRuleError(f"an entering key made a transfer of kind {paid.reason}")
    if amount_of(pressed.typed, pressed.key, books.edition) != paid.amount:
        raise BrokenRuleError("not the typed amount moved")
    to = left or (POT if before.entry.into_pot else BANK)
    if (paid.from_, paid.to) != (right or BANK, to) or before.rejected:
        raise BrokenRuleError("the amount moved between other accounts than those in the slots")


def _check_go(before: UnitState, books: Books, moved: list[Transfer], seen: Seen) -> None:
    go = seen.go
    if not go or len(moved) != 1:
        raise BrokenRuleError("GO moved money that it was not pressed for, or twice")
    (paid,) = moved
    if paid.reason == "salary":
        if not go.is_free or not is_typing(before) or before.entry or go.question or before.payments.waiting:
            raise BrokenRuleError("GO paid a salary though an amount, a dialog or a payment waited")
        if (paid.from_, paid.to) != (BANK, go.card) or before.number("left") != go.card:
            raise BrokenRuleError("GO paid the salary to a card that was not in the left slot all the time")
        if paid.amount != books.edition.salary:
            raise BrokenRuleError("GO paid another amount than the salary")
        return
    payment = next((each for each in before.payments.waiting if each.payment == go.question), None)
    if not payment or (payment.from_, payment.to, payment.amount) != (paid.from_, paid.to, paid.amount):
        raise BrokenRuleError("GO paid something that no phone had asked for when it was pressed")
    if not _names(go.lines, moved, books):
        raise BrokenRuleError("GO paid something that the display did not show when it was pressed")


def _check_announced(
    before: UnitState, books: Books, moved: list[Transfer], out: frozenset[int], given: Input, seen: Seen
) -> None:
    """Check a ``GO`` in a dialog: the display named the amount and the accounts, or the card that goes."""
    if not before.dialog:
        raise BrokenRuleError("GO moved money when it was pressed, not when it was released")
    lines = announced(before)
    shown = " ".join(lines)
    if before.dialog.name == "menu":
        _check_choice(before, given, seen)
        cards = set(out) or {each.to for each in moved}
        if len(cards) != 1 or str(*cards) not in shown or "GO" not in lines[1]:
            raise BrokenRuleError("GO in a menu did something to a card that the display did not name")
        return
    if before.dialog.name != "offer":
        raise BrokenRuleError("GO moved money in a dialog that is no offer")
    left = [each.id for each in books.transfers if each.reason == "left"]
    if len({(each.from_, each.to) for each in moved}) < len(moved):
        raise BrokenRuleError("GO moved money twice between the same accounts")
    if any(each.reason == "undo" for each in moved):
        undone = frozenset(each.undoes or 0 for each in moved)
        newest = max(
            (each.id for each in books.transfers if _can_be_undone(each) and each.id not in books.undone), default=0
        )
        if not seen.acts or undone != seen.acts[-1][0] or newest not in undone:
            raise BrokenRuleError("GO took back something else than the newest transfer, whose cards are still in")
    if out and all(each.reason == "left" or each.undoes in left for each in moved):
        if not lines[0].startswith(f"CARD {min(out)} "):
            raise BrokenRuleError("GO took a card out of the game or back in that the display did not name")
    elif moved and not _names(lines, moved, books):
        raise BrokenRuleError(
            f"GO did what the display did not name with amount and accounts: {lines[0].split(' ')[0]}"
        )


def _can_be_undone(made: Transfer) -> bool:
    return not made.undoes and made.reason != "start"


def _names(lines: Lines, moved: list[Transfer], books: Books) -> bool:
    """Return whether *lines* name the amount and the accounts of transfers; those that are undone go the other way."""
    if books.edition.money.shown(moved[0].amount) not in " ".join(lines).split():
        return False
    if lines[0].startswith(str(Text.POT_GETS).split(" {")[0]):
        return {(each.from_, each.to) for each in moved} == {(BANK, POT)}
    is_undo = moved[0].reason == "undo"
    payers = {each.to if is_undo else each.from_ for each in moved}
    receivers = {each.from_ if is_undo else each.to for each in moved}
    parties = f"{_accounts(payers)}>{_accounts(receivers)}"
    return any(parties in line.replace("CARD ", "").replace(" > ", ">") for line in lines)


def _accounts(accounts: set[int]) -> str:
    return ",".join({int(BANK): "BANK", int(POT): "POT"}.get(each, str(each)) for each in sorted(accounts))


# Games and menus.


def _check_choice(before: UnitState, given: Input, seen: Seen) -> None:
    first, second = announced(before)
    is_new_game = before.dialog and before.dialog.name == "offer" and first.strip() == Text.NEW_GAME
    if given.at - seen.digit_at > CHOICE_S and not is_new_game:
        raise BrokenRuleError("GO confirmed something that no digit had just chosen")
    if "GO" not in second or "NEXT" in second:
        raise BrokenRuleError("GO confirmed something that the display did not show as chosen")


def _check_game(before: UnitState, given: Input, told: Told, seen: Seen, playing: list[int]) -> None:
    asked = {each.method for each in told.asked} & CHANGES_GAME
    if not asked or isinstance(given, Asked):
        return
    if isinstance(given, Held) and given.name == "C" and not before.taken and asked == {"start_game"}:
        return
    if not isinstance(given, Key) or given.name != "GO":
        raise BrokenRuleError(f"{min(asked)} without GO")
    _check_choice(before, given, seen)
    for each in told.asked:
        if each.method == "end" and set(each.args[0]) != set(playing):
            raise BrokenRuleError("a card that only joined is in the ranking, or a player is not")


def _check_nothing_is_lost(before: UnitState, after: UnitState, given: Input, told: Told) -> None:
    assert isinstance(given, Key | Released)
    enters = given.name in before.game.edition.money.entering_keys
    if not enters or not is_typing(before) or not before.entry or after.entry or told.refused or after.dialog:
        return
    raise BrokenRuleError("an amount vanished, but no money moved and nothing was said")


def _check_count(before: FinalCount, after: FinalCount, given: Input, books: Books, seen: Seen) -> None:
    added = sum(map(sum, after.added.values())) - sum(map(sum, before.added.values()))
    if added <= 0:
        return
    if not isinstance(given, Key) or given.name not in books.edition.money.entering_keys or seen.is_lost:
        raise BrokenRuleError("the final count added something without an amount that is whole and entered")
    if added != amount_of(seen.typed, given.name, books.edition):
        raise BrokenRuleError("the final count added another amount than the typed one")


# What the users have noticed.


def _noticed(before: UnitState, after: UnitState, given: Input, told: Told, seen: Seen) -> Seen:
    typed, is_lost, key_at, digit_at, acts, go, enter, question = seen
    at, kind = given.at, type(given)
    if enter and kind in (Key, Released, Held, CardIn, CardOut):
        typed = ""  # it is entered now
    if kind is Key:
        assert isinstance(given, Key)
        key = given.name
        digit_at, key_at, go, enter = -1e9, at, None, None
        if seen.key_at + HEAL_S <= at:
            is_lost = False
        if key.isdigit() or key == ".":
            if key == typed == after.entry.text == ".":
                typed = ""  # the point before was a step of the volume
            typed += key
            is_lost = is_lost or before.is_asleep or (not seen.enter and bool({*told.refused} - {"not booked"}))
            digit_at = at if key.isdigit() else -1e9
        elif key == "C" or key in before.game.edition.money.entering_keys:
            if key != "C" and not before.dialog and after.entry.text and not after.dialog:
                # it may be held for everyone
                enter = PressedEnter(key, typed, is_lost)
            is_lost = False
        elif key == "K" and typed and is_typing(before):
            typed += "00"
            is_lost = is_lost or (not seen.enter and bool({*told.refused} - {"not booked"}))
        elif key == "GO" and not before.is_asleep:
            # what the user chose in a menu or a final count is done
            is_lost = is_lost and not (before.dialog and (before.dialog.name == "menu" or _has_back(before.dialog)))
            go = PressedGo(
                before.number("left"),
                seen.question[0] if at >= seen.question[1] + SETTLE_S else "",
                announced(before) if before.question else ("", ""),
                not before.dialog and not (after if seen.enter else before).entry,
            )
    elif kind is Released or kind is Held or kind is Overrun:
        go = enter = None
        is_lost = is_lost or kind is Overrun
    elif kind is CardIn or kind is CardOut:
        enter = None
        if go and (go.question or (go.card and given.side == "left")):  # type: ignore[union-attr]
            go = None
        if kind is CardOut and typed and is_typing(before) and before.number(given.side):  # type: ignore[union-attr]
            is_lost, key_at = True, at
    elif kind is Tick and seen.key_at + HEAL_S <= at:
        is_lost = False
    if kind is Overrun:
        key_at = at
    if after.is_asleep or after.game.id != before.game.id:
        is_lost = False
    if is_typing(after) and not after.entry:
        typed = ""
    asks = after.question.payment if after.question and not after.is_asleep else ""
    if asks != question[0]:
        question = asks, at
    return Seen(typed, is_lost, key_at, digit_at, acts, go, enter, question)


def _has_back(dialog: Dialog) -> bool:
    return isinstance(dialog, Offer) and dialog.back is not None


def _acts(
    before: UnitState,
    given: Input,
    now: Books,
    made: tuple[Transfer, ...],
    acts: tuple[tuple[frozenset[int], frozenset[int]], ...],
    *,
    is_new: bool,
) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
    if is_new:
        return ()
    if isinstance(given, Asked):
        return () if made else acts
    undone = {each.undoes for each in made if each.undoes}
    acts = tuple(act for act in acts if not act[0] & undone)
    new = [each for each in made if _can_be_undone(each)]
    if new:
        cards = frozenset(card for each in new for card in (each.from_, each.to)) - {BANK, POT}
        acts = (*acts, (frozenset(each.id for each in new), cards))
    if isinstance(given, CardOut) and (card := before.number(given.side)):
        last = max((place for place, act in enumerate(acts, 1) if card in act[1]), default=0)
        acts = acts[last:]
    return acts


# The display.


def check_display(state: UnitState, books: Books) -> None:
    """Check that the display has room for its texts, and shows balances and the typed amount as they are."""
    for texts in (ENGLISH, GERMAN):
        for line in lines_of(state, texts):
            if len(line) > 16:
                raise BrokenRuleError(f"a line of the display is too long: {line}")
    lines = lines_of(state)
    if isinstance(state.dialog, FinalCount) and (card := state.alone):
        worth = books.balances[card] + sum(state.dialog.added.get(card, ()))
        if lines[0] != f"{card} {books.edition.money.shown(worth)}":
            raise BrokenRuleError("the final count does not show the card's worth")
    if state.dialog or state.is_asleep:
        return
    if state.question:
        return
    if state.entry and not any(line.endswith(state.entry.shown) for line in lines):
        raise BrokenRuleError("the typed amount is not on the display")
    for side, sign, line in zip(SIDES, "+-", lines, strict=True):
        if card := state.number(side):
            balance = f"{sign}{card} {books.edition.money.shown(books.balances[card])}"
            is_hidden = not line.startswith(sign) and (state.notice or state.payments.waiting)
            if not (is_hidden or line.startswith(balance) or re.fullmatch(rf"\{sign}{card} +\S+", line)):
                raise BrokenRuleError(f"a card's line does not show the card: {line}")
