"""Every sequence of inputs, breadth-first over the states of the unit; states that behave the same count once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from reboard.accessories.banker_unit import step as core
from reboard.accessories.banker_unit.dialogs import FinalCount, Menu, Ranking
from reboard.accessories.banker_unit.paying import Offer
from reboard.accessories.banker_unit.payments import SETTLE_S
from reboard.accessories.banker_unit.unit_state import UnitState
from reboard.editions.edition import load_edition
from tests.reboard.accessories.banker_unit.exploration.driver import ACTS, Node, first_node, possible, quickly, request
from tests.reboard.accessories.banker_unit.exploration.rules import Broken, check_display

EDITIONS = {"world": False, "classic-de": True}
"""The editions to explore, and whether each has the pot: one with units and one without."""

SETUPS: tuple[tuple[str, ...], ...] = (
    (),
    ("insert left 1",),
    ("insert right 2",),
    ("insert left 1", "insert right 2"),
    ("insert left 1", "key 5", "key M"),
    ("hold GO for long",),
    ("ask 1 pays 2", "wait 1.2"),
)
"""The acts before each exploration. Cards 1 and 2 have played before, and card 3 has joined."""


def start_of(edition: str) -> Node:
    node = first_node(load_edition(edition), has_pot=EDITIONS[edition])
    for act in ("insert left 1", "insert right 2", "key 5", "key M", "remove left", "remove right"):
        node = ACTS[act](node)
    unit = {"from": 0, "to": 3, "game": node.books.game}
    node = request(node, "ask_payment", payment="joins", **unit)
    return request(node, "confirm_payment", payment="joins")


# What makes two states the same. Left out are notices, the lines of other accessories, numbers of transfers and exact
# times and amounts: of the timers only the order counts, of balances only what they can pay, of acts the last two.


def normal_form(node: Node) -> tuple[Any, ...]:
    state, books, seen, now = node.state, node.books, node.seen, node.now
    entry, down, game = state.entry, state.down, books.view
    timers = sorted((due, timer) for timer, due in core.deadlines(state).items() if timer not in ("notice", "guest"))
    one = 1_000_000 if game.edition.money.units else 1
    deal = None if state.deal_at is None else bool(state.undoable) and state.undoable[-1].at > state.deal_at
    go = seen.go
    return (
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
        bool(state.last_amount),
        game.edition.name,
        tuple((card, _class(balance, one)) for card, balance in books.balances.items()),
        game.retired,
        game.left,
        books.freed,
        books.lost,
        game.pot > 0,
        bool(game.ended),
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


def _class(balance: int, one: int) -> int:
    return (balance > 0) + (balance >= one) + (balance >= 5 * one) + (balance >= 51 * one)


def _dialog(state: UnitState) -> Any:
    dialog = state.dialog
    match dialog:
        case None:
            return None
        case Menu():
            return tuple((choice.does, choice.text, choice.args and str(choice.args[0])[:12]) for choice in dialog.choices), dialog.at, dialog.choice_until < core.inf
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
class Found:
    """A broken rule, and the acts that lead to it."""

    message: str
    path: tuple[str, ...]


@dataclass(slots=True)
class Exploration:
    """The exploration of one edition. *depth* is the number of acts after a setup that were tried in full."""

    edition: str
    states: int = 0
    steps: int = 0
    depth: int = 0
    seconds: float = 0.0
    found: dict[str, Found] = field(default_factory=dict)

    def __str__(self) -> str:
        rate = self.steps / self.seconds if self.seconds else 0
        return (
            f"{self.edition}: {self.states:,} states, {self.steps:,} steps, depth {self.depth}, "
            f"{self.seconds:.1f} s, {rate:,.0f} steps/s, {len(self.found)} broken rules"
        )


def explore(
    edition: str,
    *,
    depth: int = 99,
    seconds: float = 1e9,
    stop_at: int = 20,
    ignore: frozenset[str] = frozenset(),
    say: Callable[[str], None] = lambda line: None,
) -> Exploration:
    """Explore *edition* to a depth, or for a time. Stop after *stop_at* kinds of broken rules."""
    with quickly():
        return _explore(edition, depth, seconds, stop_at, ignore, say)


def _explore(edition: str, depth: int, seconds: float, stop_at: int, ignore: frozenset[str], say: Callable[[str], None]) -> Exploration:
    began = time.perf_counter()
    result = Exploration(edition)
    known: set[int] = set()
    at_home: set[int] = set()
    level: list[tuple[Node, Any]] = []
    for setup in SETUPS:
        node = start_of(edition)
        for act in setup:
            node = ACTS[act](node)
        _new(node, (None, setup), known, at_home, level, result)
    while level and result.depth < depth:
        below: list[tuple[Node, Any]] = []
        for node, path in level:
            for act in possible(node):
                result.steps += 1
                try:
                    after = ACTS[act](node)
                except Broken as broken:
                    if str(broken) not in ignore:
                        _note(result, str(broken), (path, act))
                except Exception as error:
                    _note(result, f"{type(error).__name__}: {error}", (path, act))
                else:
                    _new(after, (path, act), known, at_home, below, result)
                if len(result.found) >= stop_at:
                    break
            if time.perf_counter() - began > seconds or len(result.found) >= stop_at:
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
    node: Node, path: Any, known: set[int], at_home: set[int], level: list[tuple[Node, Any]], result: Exploration
) -> None:
    mark = hash(normal_form(node))
    if mark in known:
        return
    known.add(mark)
    try:
        check_display(node.state, node.books)
        _check_way_home(node, mark, at_home)
    except Broken as broken:
        _note(result, str(broken), path)
    level.append((node, path))


HOME = ("key C", "key C", "key C", "key C", "remove left", "remove right", "wait", "wait", "wait", "sleep", "key C")


def _check_way_home(node: Node, mark: int, at_home: set[int]) -> None:
    """Check that C, taking the cards out, and waiting lead to an idle unit."""
    way = [mark]
    for act in (*HOME, *HOME):
        state = node.state
        if mark in at_home or not (state.cards or state.entry or state.dialog or state.deal_at or state.is_asleep):
            break
        if act in possible(node):
            node = ACTS[act](node)
            mark = hash(normal_form(node))
            way.append(mark)
    else:
        raise Broken("C, taking the cards out and waiting do not lead to an idle unit")
    at_home.update(way)


def _note(result: Exploration, message: str, path: Any) -> None:
    acts = tuple(_acts_of(path))
    result.found.setdefault(f"{message} ({acts[-1]})", Found(message, acts))


def _acts_of(path: Any) -> Iterator[str]:
    before, act = path
    if before is None:
        yield from act
    else:
        yield from _acts_of(before)
        yield act
