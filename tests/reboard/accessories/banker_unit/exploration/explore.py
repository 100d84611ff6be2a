"""Every sequence of inputs, breadth-first over the states of the unit; states that behave the same count once."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any

from reboard.accessories.banker_unit import step as core
from reboard.accessories.banker_unit.dialogs import Menu
from reboard.accessories.banker_unit.final_count import FinalCount, Ranking
from reboard.accessories.banker_unit.paying import Offer
from reboard.accessories.banker_unit.payments import SETTLE_S
from reboard.accessories.banker_unit.unit_state import UnitState
from reboard.editions.edition import load_edition
from tests.reboard.accessories.banker_unit.exploration.books import Books
from tests.reboard.accessories.banker_unit.exploration.driver import (
    ACTS,
    ASKED_AMOUNT,
    PAYMENTS,
    SETUP_ACTS,
    Node,
    first_node,
    possible,
)
from tests.reboard.accessories.banker_unit.exploration.rules import BrokenRuleError, check_display

EDITIONS = {"world": False, "classic-de": True}
"""The editions to explore, and whether each has the pot: one with units and one without."""

MOST_FOUND = 20

SETUPS: tuple[tuple[str, ...], ...] = (
    (),
    ("insert left 1",),
    ("insert right 2",),
    ("insert left 1", "insert right 2"),
    ("insert left 1", "key 1", "key M"),
    ("hold GO for long",),
    ("hold GO for long", "key 1", "key GO"),
    ("hold GO for long", "key 1", "key GO", "insert left 1"),
    ("hold GO for long", "key 6", "key GO", "key 1", "key GO"),
    ("hold C for long",),
    ("ask 1 pays 2", "wait 1.2"),
    ("insert left 1", "key 1", "key M", "key GO"),
    ("insert left 1", "key 1", "key .", "key 5", "key M"),
    ("insert left 2", *(f"key {key}" for key in "12.345"), "hold M for long", "key GO"),
)
"""The acts before each exploration. Cards 1 and 2 have played before, and card 3 has joined."""


START = ("insert left 1", "insert right 2", "key 5", "key M", "remove left", "remove right", "3 joins")


def start_of(edition: str) -> Node:
    return first_node(load_edition(edition), has_pot=EDITIONS[edition])


# What makes two states the same. Left out are notices, the lines of other accessories, numbers of transfers and exact
# times and amounts: of the timers only the order counts, of balances only what they can pay, of acts the last two.


def normal_form(node: Node) -> tuple[Any, ...]:
    state, books, seen, now = node.state, node.books, node.seen, node.now
    entry, down, game = state.entry, state.down, books.view
    timers = sorted((due, timer) for timer, due in core.deadlines(state).items() if timer not in ("notice", "guest"))
    deal = None if state.deal_at is None else bool(state.undoable) and state.undoable[-1].at > state.deal_at
    go = seen.go
    return (
        *_books(books),
        state.is_asleep,
        entry.text,
        entry.is_broken,
        entry.into_pot,
        tuple((side, card.tag, card.number) for side, card in sorted(state.cards.items())),
        down and (down.key, down.card, bool(down.answers)),
        _dialog(state),
        bool(state.refused),
        bool(state.asked) and (now >= state.asked_since + SETTLE_S, state.asked is state.question),
        bool(state.payments.waiting),
        deal,
        tuple(timer for _, timer in timers),
        tuple((act.reason, act.cards, bool(act.transfers)) for act in state.undoable[-2:]),
        # a longer amount leaves no place for the accounts
        state.last_amount and len(game.edition.money.shown(state.last_amount)) > 3,
        game.clock,
        tuple(min(2, count) for count in books.counts.values()),
        bool(books.kept),
        node.down,
        node.disk_fails,
        seen.typed,
        seen.is_lost,
        now - seen.digit_at <= 5.0 and isinstance(state.dialog, Menu | Offer),
        tuple(cards for _, cards in seen.acts[-2:]),
        go and (go.card, bool(go.question), go.is_free),
        seen.enter,
    )


def _books(books: Books) -> tuple[Any, ...]:
    one = 1_000_000 if books.edition.money.units else 1
    return (
        books.edition.name,
        tuple((card, _class(balance, one)) for card, balance in books.balances.items()),
        books.retired,
        books.left,
        books.freed,
        books.lost,
        _class(books.pot, one),
        bool(books.ended),
        frozenset(press for press in books.presses if "pays" in press),
    )


def _class(balance: int, one: int) -> int:
    return (balance > 0) + (balance >= one) + (balance >= 5 * one) + (balance >= 51 * one)


def _dialog(state: UnitState) -> Any:
    dialog = state.dialog
    match dialog:
        case None:
            return None
        case Menu():
            return (
                tuple(
                    (choice.does, choice.text, choice.args and str(choice.args[0])[:12]) for choice in dialog.choices
                ),
                dialog.at,
                dialog.choice_until < inf,
            )
        case Offer():
            return dialog.does, dialog.text, dialog.payers, dialog.receivers, _added(dialog.back)
        case FinalCount():
            return _added(dialog)
        case Ranking():
            return "ranking", dialog.at % max(1, len(state.game.playing)), _added(dialog.count)
    return dialog


def _added(count: Any) -> tuple[tuple[int, int], ...] | None:
    if not isinstance(count, FinalCount):
        return None
    return tuple((card, min(2, len(added))) for card, added in sorted(count.added.items()) if added)


@dataclass(slots=True)
class Exploration:
    """The exploration of one edition. *depth* is the number of acts after a setup that were tried in full."""

    edition: str
    states: int = 0
    steps: int = 0
    depth: int = 0
    seconds: float = 0.0
    found: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The shortest path to each kind of broken rule, keyed by the rule and the last act."""

    def __str__(self) -> str:
        rate = self.steps / self.seconds if self.seconds else 0
        return (
            f"{self.edition}: {self.states:,} states, {self.steps:,} steps, depth {self.depth}, "
            f"{self.seconds:.1f} s, {rate:,.0f} steps/s, {len(self.found)} broken rules"
        )


def as_play(edition: str, path: tuple[str, ...]) -> str:
    """Return a path as the lines of a play, with the times that pass, as far as a play has words for it."""
    node = start_of(edition)
    lines = [f"edition {edition}", *["config bank.pot true"] * EDITIONS[edition]]
    for act in path:
        before = node.now
        with suppress(BrokenRuleError):
            node = SETUP_ACTS[act](node)
        passed = f"{node.now - before + 0.1:.1f}"
        lines += {
            "wait": [f"wait {passed}"],
            "sleep": [f"wait {passed}"],
            "hold on": [f"wait {passed}"],
            "gavel": ["wait until deal.ended"],
            "release": [f"release {node.down}"],
            "3 joins": ["ask 3 joins", "host confirms"],
            "ask 1 pays 2": [f"ask 1 pays 2 {ASKED_AMOUNT}{'M' if node.state.game.edition.money.units else ''}"],
            "accessory: 2 pays 1": ["# an accessory lets card 2 pay card 1"],
            "disk fails once": ["fault disk full            # for one write"],
            "overrun": ["# the unit loses keys: AGAIN, SLOWER"],
        }.get(act, [re.sub(r"^hold (\S+) for long$", rf"hold \1 {passed}", act)])
    return "\n".join(lines)


def explore(
    edition: str, *, depth: int = 99, seconds: float = inf, say: Callable[[str], None] = lambda line: None
) -> Exploration:
    """Explore *edition* to a depth, for a time, or until `MOST_FOUND` kinds of broken rules are found."""
    began = time.perf_counter()
    result = Exploration(edition)
    known: set[int] = set()
    at_home: set[int] = set()
    level: list[tuple[Node, Any]] = []
    for setup in SETUPS:
        node = start_of(edition)
        path: tuple[str, ...] = ()
        try:
            for act in (*START, *setup):
                path = (*path, act)
                node = SETUP_ACTS[act](node)
        except BrokenRuleError as broken:
            _note(result, str(broken), (None, path))
        else:
            _new(node, (None, path), known, at_home, level, result)
    while level and result.depth < depth:
        below: list[tuple[Node, Any]] = []
        for node, path in level:
            for act in possible(node):
                result.steps += 1
                try:
                    after = ACTS[act](node)
                except BrokenRuleError as broken:
                    _note(result, str(broken), (path, act))
                except Exception as error:
                    _note(result, f"{type(error).__name__}: {error}", (path, act))
                else:
                    _new(after, (path, act), known, at_home, below, result)
                if len(result.found) >= MOST_FOUND:
                    break
            is_late = time.perf_counter() - began > seconds
            if is_late or len(result.found) >= MOST_FOUND:
                break
        else:
            result.depth += 1
            level = below
            result.states, result.seconds = len(known), time.perf_counter() - began
            say(f"{result}, {len(level):,} new")
            continue
        break
    result.states, result.seconds = len(known), time.perf_counter() - began
    return result


def _new(
    node: Node,
    path: Any,
    known: set[int],
    at_home: set[int],
    level: list[tuple[Node, Any]],
    result: Exploration,
) -> None:
    mark = hash(normal_form(node))
    if mark in known:
        return
    known.add(mark)
    try:
        check_display(node.state, node.books)
        if (books := hash(_books(node.books))) not in known:
            known.add(books)
            for pay in PAYMENTS:
                pay(pay(node))
    except BrokenRuleError as broken:
        _note(result, str(broken), path)
    _check_way_home(node, path, mark, at_home, result)
    level.append((node, path))


HOME = ("key C", "key C", "key C", "key C", "remove left", "remove right", "wait", "wait", "wait", "sleep", "key C")


def _check_way_home(node: Node, path: Any, mark: int, at_home: set[int], result: Exploration) -> None:
    """Check that C, taking the cards out, and waiting lead to an idle unit."""
    way = [mark]
    try:
        for act in (*HOME, *HOME):
            state = node.state
            if mark in at_home or not (state.cards or state.entry or state.dialog or state.deal_at or state.is_asleep):
                at_home.update(way)
                return
            if act in possible(node):
                path = (path, act)
                node = ACTS[act](node)
                mark = hash(normal_form(node))
                way.append(mark)
        raise BrokenRuleError("C, taking the cards out and waiting do not lead to an idle unit")
    except BrokenRuleError as broken:
        _note(result, str(broken), path)


def _note(result: Exploration, message: str, path: Any) -> None:
    acts = tuple(_acts_of(path))
    result.found.setdefault(f"{message} ({acts[-1]})", acts)


def _acts_of(path: Any) -> Iterator[str]:
    before, act = path
    if before is None:
        yield from act
    else:
        yield from _acts_of(before)
        yield act
