"""A unit without its shell: inputs go to `step`, and its questions to the model of the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from typing import Any, NamedTuple

from reboard.accessories.banker_unit import dialogs
from reboard.accessories.banker_unit import step as core
from reboard.accessories.banker_unit.accessory import BANKER_UNIT
from reboard.accessories.banker_unit.accounts import BANK, POT
from reboard.accessories.banker_unit.effects import Again, Reply, Volume
from reboard.accessories.banker_unit.inputs import (
    HELD_ON_S,
    HOLDS_S,
    Asked,
    CanShow,
    CardIn,
    CardOut,
    DealOver,
    Held,
    Input,
    Key,
    Overrun,
    Released,
    Tick,
    VolumeIs,
)
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.unit_state import Answer, Ask, UnitState
from reboard.accessories.banker_unit.vocabulary import Refused, Side
from reboard.editions.edition import Edition
from reboard.errors import Rejection
from reboard.vocabulary.declared import Event
from tests.reboard.accessories.banker_unit.exploration.books import READS, Books
from tests.reboard.accessories.banker_unit.exploration.rules import NOTHING_SEEN, Seen, Told, look

MOST_TYPED = 3
"""The characters of the longest typed amount, so that there are not too many states."""

CLOCK_RESOLUTION_S = 1e-9
"""The time by which a timer is called too early, as asyncio does."""

ASKED_AMOUNT = "5"


class Node(NamedTuple):
    """A unit with its ledger and the hands at it. *seen* is what the users have seen and pressed, for the rules."""

    state: UnitState
    books: Books
    seen: Seen = NOTHING_SEEN
    now: float = 1000.0
    down: str = ""
    """The key that the keypad reports as down, if its release means something."""
    disk_fails: bool = False
    """Whether the next write fails."""
    asked: int = 0


def first_node(edition: Edition, *, has_pot: bool) -> Node:
    editions = (edition, edition.family()[-1])
    books = Books(edition, editions, has_pot=has_pot)
    node = Node(UnitState(books.view), books)
    return given(node, CanShow(True, node.now))


def given(node: Node, first: Input) -> Node:
    """Return the node after an input and everything that follows from it. Raises `BrokenRuleError`."""
    told = Told()
    state, books, disk_fails = node.state, node.books, node.disk_fails
    waiting: list[Any] = [first]
    while waiting:
        effect = waiting.pop()
        kind = type(effect)
        if isinstance(effect, Event):
            if isinstance(effect, Refused):
                told.refused.append(effect.why)
            continue
        if kind is Ask:
            told.asked.append(effect)
            if disk_fails and effect.method not in READS:
                result, disk_fails = Rejection(BankWhy.DISK), False
            else:
                result, books = books.answer(effect)
            following: Input | Answer = Answer(effect, result, books.view, node.now)
        elif kind is Again:
            following = effect.input
        elif kind is Reply:
            told.answer = effect.answer
            continue
        elif kind is Volume:
            if effect.steps < 0:
                continue
            following = VolumeIs(1, node.now)
        elif effect is first:
            following = effect
        else:
            continue
        state, effects = core.step(state, following)
        waiting.extend(reversed(effects))
    seen = look(node.state, state, node.books, books, first, told, node.seen)
    return node._replace(state=state, books=books, disk_fails=disk_fails, seen=seen)


# Acts of the hands.


def press(node: Node, key: str) -> Node:
    node = node._replace(down=key if key in HOLDS_S else "")
    return given(node, Key(key, node.now))


def release(node: Node) -> Node:
    key = node.down
    return given(node._replace(down=""), Released(key, node.now))


def hold_on(node: Node) -> Node:
    """Keep the key down until it counts as held, for the second time if it is the point."""
    node = passed(node, HOLDS_S[node.down])
    node = given(node, Held(node.down, 1, node.now))
    if node.down == ".":
        node = passed(node, HELD_ON_S)
        node = given(node, Held(".", 2, node.now))
    return node


def tap(node: Node, key: str) -> Node:
    node = press(node, key)
    return release(node) if node.down else node


def hold(node: Node, key: str) -> Node:
    return release(hold_on(press(node, key)))


def next_due(state: UnitState) -> tuple[float, str] | None:
    return min(((due, timer) for timer, due in core.deadlines(state).items()), default=None)


def fire(node: Node) -> Node:
    """Let the next timer fire, as early as a clock lets it."""
    nearest = next_due(node.state)
    assert nearest
    due, timer = nearest
    node = node._replace(now=max(node.now, due - CLOCK_RESOLUTION_S))
    return given(node, Tick(timer, due, max(due, node.now)))._replace(now=max(node.now, due))


def passed(node: Node, seconds: float) -> Node:
    """Let time pass, with the timers that fire in it."""
    end = node.now + seconds
    while (nearest := next_due(node.state)) and nearest[0] <= end:
        node = fire(node)
    return node._replace(now=max(node.now, end))


def wait(node: Node) -> Node:
    """Wait for the next timer that does more than to remove a notice."""
    while nearest := next_due(node.state):
        node = fire(node)
        if nearest[1] != "notice":
            break
    return node


def sleep(node: Node) -> Node:
    while not node.state.is_asleep:
        node = fire(node)
    return node


def insert(side: Side, tag: str) -> Callable[[Node], Node]:
    return lambda node: given(node, CardIn(side, tag, node.now))


def remove(side: Side) -> Callable[[Node], Node]:
    return lambda node: given(node, CardOut(side, node.now))


class NoAnswer:
    """The caller of a request, who does not care for the answer."""


def request(node: Node, name: str, **args: object) -> Node:
    return given(node, Asked(BANKER_UNIT.vocabulary.requests[name].of(args), NoAnswer(), node.now))  # type: ignore[arg-type]


def ask(payer: int, payee: int) -> Callable[[Node], Node]:
    def asked(node: Node) -> Node:
        args = {"from": payer, "to": payee, "game": node.books.game, "amount": _amount(node)}
        return request(node._replace(asked=node.asked + 1), "ask_payment", payment=f"p{node.asked}", **args)

    return asked


def confirm(node: Node) -> Node:
    return request(node, "confirm_payment", payment=node.state.payments.waiting[0].payment)


def pay(payer: int, payee: int) -> Callable[[Node], Node]:
    """Let an accessory pay. It has one id for these accounts, and so it pays once."""
    args = {"from": payer, "to": payee, "reason": "an accessory", "payment": f"{payer} pays {payee}"}
    return lambda node: request(node, "pay", amount=node.books.edition.money.written(_amount(node)), **args)


def _amount(node: Node) -> str:
    return ASKED_AMOUNT + "M" * node.state.game.edition.money.units


def overrun(node: Node) -> Node:
    return given(node, Overrun({"left": node.state.tag("left"), "right": node.state.tag("right")}, node.now))


def gavel(node: Node) -> Node:
    assert node.state.deal_at is not None
    return given(node, DealOver(node.state.deal_at, node.now))


def key_down(key: str) -> Callable[[Node], Node]:
    return lambda node: press(node, key)


def tapping(key: str) -> Callable[[Node], Node]:
    return lambda node: tap(node, key)


def holding(key: str) -> Callable[[Node], Node]:
    return lambda node: hold(node, key)


TYPING = "1", "5", ".", "K"
CHOOSING = "2", "3", "4", "6", "7", "8", "9"
"""The digits that are only pressed in a menu."""

ACTS: Mapping[str, Callable[[Node], Node]] = {
    **{f"key {key}": tapping(key) for key in (*TYPING, *CHOOSING, "M", "C", "GO", "DEAL")},
    **{f"hold {key} for long": holding(key) for key in ("M", "GO", "C", ".")},
    **{f"hold {key}": key_down(key) for key in ("M", "GO")},
    "hold on": hold_on,
    "release": release,
    **{f"insert {side} {card}": insert(side, card) for side in ("left", "right") for card in "12"},
    **{f"remove {side}": remove(side) for side in ("left", "right")},
    "wait": wait,
    "wait 1.2": lambda node: passed(node, 1.2),
    "sleep": sleep,
    "ask 1 pays 2": ask(1, 2),
    "host confirms": confirm,
    "accessory: 2 pays 1": pay(2, 1),
    "disk fails once": lambda node: node._replace(disk_fails=True),
    "overrun": overrun,
    "gavel": gavel,
}
"""What hands, the clock and the disk can do next, in the words of a play as far as it has words for it."""


PAYMENTS = [pay(payer, payee) for payer, payee in permutations((BANK, 1, 2, 3, POT), 2)]
"""The payments of an accessory between all accounts."""


def join(node: Node) -> Node:
    node = request(node, "ask_payment", payment="joins", game=node.books.game, **{"from": 0, "to": 3})
    return confirm(node)


SETUP_ACTS: Mapping[str, Callable[[Node], Node]] = {**ACTS, "3 joins": join}


def possible(node: Node) -> Iterator[str]:
    """Yield the acts that mean something now."""
    state = node.state
    is_full = len(state.entry.text) >= MOST_TYPED
    waits = bool(state.payments.waiting)
    choices = [choice.digit for choice in state.dialog.choices] if isinstance(state.dialog, dialogs.Menu) else ()
    impossible = {
        "hold on": not node.down,
        "release": not node.down,
        f"hold {node.down}": True,
        "wait 1.2": not (state.asked and node.now < state.asked_since + 1.0),
        # a key that is down for so long counts as held
        "wait": bool(node.down),
        "sleep": state.is_asleep or bool(node.down),
        "ask 1 pays 2": waits or not {1, 2} <= set(node.books.in_game),
        "host confirms": not waits,
        "disk fails once": node.disk_fails,
        "gavel": state.deal_at is None,
        **{f"key {key}": key not in choices for key in CHOOSING},
        **{f"insert {side} {card}": bool(state.tag(side)) for side in ("left", "right") for card in "12"},
        **{f"remove {side}": not state.tag(side) for side in ("left", "right")},
        **{f"key {key}": is_full for key in TYPING},
        # amounts begin with one digit and go on with another one, so that their order shows
        "key 1": bool(state.entry.text) and not choices,
        "key 5": (is_full or not state.entry.text) and not choices,
    }
    return (act for act in ACTS if not impossible.get(act))
