"""Every sequence of requests of phones, breadth-first, and the rules of whose money may move.

Phone *a* has card 1, *b* has card 2, *c* is a stranger in the network who guesses codes, and *d* reads the display.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from reboard.accessories.banker_unit import step as core
from reboard.accessories.banker_unit.accessory import BANKER_UNIT
from reboard.accessories.banker_unit.accounts import BANK, EVERYONE, POT
from reboard.accessories.banker_unit.display_text import Messages, render
from reboard.accessories.banker_unit.effects import Again, DrawCode, Reply
from reboard.accessories.banker_unit.inputs import Asked, CanShow, CodeIs, Input, Key, Released, Tick
from reboard.accessories.banker_unit.phone_access import PhoneAccess
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Transfer
from reboard.accessories.banker_unit.unit_state import Answer, Ask, UnitState
from reboard.accessories.table_vocabulary import PhonePay
from reboard.editions.edition import load_edition
from reboard.errors import Rejection
from reboard.record import replace
from reboard.vocabulary.declared import Event
from tests.reboard.accessories.banker_unit.exploration.books import READS, Books
from tests.reboard.accessories.banker_unit.exploration.driver import NoAnswer
from tests.reboard.accessories.banker_unit.exploration.rules import ENGLISH, BrokenRuleError

CODES = "4821", "7350"
SETTLE_S, PATIENCE_S, TAKE_BACK_S = 1.0, 60.0, 10.0
GUESS = "0000"


class Sent(NamedTuple):
    """A request, by a phone or, with ``""``, by the host."""

    do: str
    phone: str
    args: Mapping[str, Any]


class Booked(NamedTuple):
    """What was booked for a payment at a time, and whether players may take it back."""

    at: float
    transfers: tuple[int, ...]
    is_players: bool


class Node(NamedTuple):
    """A unit with its books, and what was asked and booked so far."""

    state: UnitState
    books: Books
    now: float = 100.0
    disk_fails: int = 0
    """Which of the next writes fails, counting from 1. 0 is none."""
    last: Sent | None = None
    """The latest `ask_payment`."""
    asked: Mapping[str, Sent] = {}
    booked: Mapping[str, Booked] = {}
    taken_back: frozenset[str] = frozenset()
    shown: tuple[str, float] = "", 0.0
    """The payment that the display asks about, and since when."""
    is_heard: bool = False
    """Whether a phone with a card has sent a request since the start."""
    go: str = ""
    """The payment that the display showed when GO was pressed."""


def start(pay: PhonePay, *, display: bool) -> Node:
    books = Books(load_edition("classic-de"), (load_edition("classic-de"),), has_pot=True)
    for card in (1, 2, 3):
        books.join(card)
    books._book(1, POT, 5, "pot_paid")
    books.phones = {1: "a", 2: "b"} if display else {}
    books.set_pay(pay)
    books.view = books._view(books.view.editions)
    node = Node(UnitState(books.view, access=PhoneAccess(CODES[0])), books)
    return given(node, CanShow(display, node.now))


def given(node: Node, first: Input) -> Node:
    """Return the node after an input. Raises `BrokenRuleError`."""
    state, books, disk_fails, answer = node.state, node.books, node.disk_fails, None
    waiting: list[Any] = [first]
    while waiting:
        effect = waiting.pop()
        following: Any = effect if effect is first else None
        if isinstance(effect, Event):
            _check_secret(str(effect), state)
        elif isinstance(effect, Ask):
            writes = effect.method not in READS
            if writes and disk_fails == 1:
                result = Rejection(BankWhy.DISK)
            else:
                result, books = books.answer(effect)
            disk_fails -= writes and disk_fails > 0
            following = Answer(effect, result, books.view, node.now)
        elif isinstance(effect, Again):
            following = effect.input
        elif isinstance(effect, DrawCode):
            following = CodeIs(CODES[state.access.code == CODES[0]], node.now)
        elif isinstance(effect, Reply):
            answer = effect.answer
        if following:
            state, effects = core.step(state, following)
            waiting.extend(reversed(effects))
    after = node._replace(state=state, books=books, disk_fails=disk_fails)
    return _checked(node, after, first, answer)


# The rules.


def _checked(before: Node, after: Node, given: Input, answer: object) -> Node:
    state, books = after.state, after.books
    made = books.transfers[len(before.books.transfers) :] if books.game == before.books.game else ()
    sent = _sent(given)
    if isinstance(answer, Rejection) and (made or books.phones != before.books.phones):
        raise BrokenRuleError("a rejected request changed something")
    balances = dict.fromkeys((BANK, POT, *books.balances), 0)
    for each in books.transfers:
        balances[each.from_] -= each.amount
        balances[each.to] += each.amount
    if sum(balances.values()) or {card: balances[card] for card in books.balances} != books.balances:
        raise BrokenRuleError("the balances are not what was transferred")
    if any(after.now - each.asked_at > PATIENCE_S for each in state.payments.waiting if isinstance(given, Tick)):
        raise BrokenRuleError("a payment waits for more than a minute")
    _check_phones(before, after, sent)
    if sent and state.deal_at != before.state.deal_at and not _card(before, sent.phone) and sent.do != "new_game":
        raise BrokenRuleError("a stranger started an auction")
    undone = [each for each in made if each.undoes]
    moved = [each for each in made if not each.undoes and each.reason != "start"]
    if undone:
        after = _check_taken_back(before, after, undone, sent)
    if moved:
        after = _check_moved(before, after, moved, given, sent)
    _check_asked(before, after, sent)
    _check_repeated(before, sent, answer)
    _check_secret(" ".join(render(replace(state, access=state.access.masked()), Messages(), ENGLISH)), state)
    question = state.question.payment if state.question and not state.is_asleep else ""
    is_heard = before.is_heard or bool(sent and sent.phone and _card(after, sent.phone))
    after = after._replace(is_heard=is_heard)
    return after._replace(shown=after.shown if question == after.shown[0] else (question, after.now))


def _sent(given: Input) -> Sent | None:
    if not isinstance(given, Asked):
        return None
    args = given.request.as_json()
    return Sent(given.request.do, args.pop("phone", ""), args)


def _card(node: Node, phone: str) -> int:
    return next((card for card, its in node.books.phones.items() if its == phone), 0)


def _check_repeated(before: Node, sent: Sent | None, answer: object) -> None:
    if not sent or sent.do == "take_back" or sent.args.get("payment") not in before.booked:
        return
    may_not = isinstance(answer, Rejection) and answer.why in (BankWhy.NO_PHONE, BankWhy.PHONES_OFF, BankWhy.OTHER_CARD)
    if not may_not and not (isinstance(answer, dict) and answer["state"] in ("booked", "taken back")):
        raise BrokenRuleError("a repeated request was not answered with the end of its payment")


def _payers(node: Node, asked: Sent) -> set[int]:
    if asked.args["from"] == EVERYONE:
        return set(node.books.in_game) - {asked.args["to"]}
    return {asked.args["from"]} - {BANK, POT}


def _check_moved(before: Node, after: Node, moved: list[Transfer], given: Input, sent: Sent | None) -> Node:
    if moved[0].reason == "bankrupt" and 1 not in after.books.retired:
        raise BrokenRuleError("a bankrupt player is still in the game")
    if sent and sent.do == "ask_payment":
        payment, own = sent.args["payment"], _card(before, sent.phone)
        if not own or before.state.game.pay != "free":
            raise BrokenRuleError("a payment was booked at once that had to wait")
        if _payers(before, sent) - {own}:
            raise BrokenRuleError("a phone moved another player's money at once")
        is_players, asked = True, before.asked[payment]
    else:
        payment = sent.args["payment"] if sent else before.go
        asked = before.asked[payment]
        if sent and sent.do != "confirm_payment":
            raise BrokenRuleError(f"{sent.do} moved money")
        if not sent and not (isinstance(given, Released) and before.go):
            raise BrokenRuleError("money moved without a request and without GO")
        by = _by(asked)
        if sent and sent.phone:
            own = _card(before, sent.phone)
            if not own or own == by or own not in _payers(before, asked):
                raise BrokenRuleError("a phone confirmed what its player does not pay")
        is_players = bool(by) and bool(_payers(before, asked) - {by})
    if payment in before.booked:
        raise BrokenRuleError("a payment was booked twice")
    if asked.phone and asked.args["_own"] not in (asked.args["from"], asked.args["to"]):
        raise BrokenRuleError("a phone moved money between other players")
    if {(each.from_, each.to, each.amount) for each in moved} != _moves(before, asked):
        raise BrokenRuleError("something else was booked than was asked for")
    booked = Booked(after.now, tuple(each.id for each in moved), is_players)
    return after._replace(booked={**before.booked, payment: booked})


def _by(asked: Sent) -> int:
    return int(asked.args["_own"]) if asked.phone else 0


def _moves(node: Node, asked: Sent) -> set[tuple[int, int, int]]:
    from_, to, amount = asked.args["from"], asked.args["to"], int(asked.args["amount"] or node.books.balances[1])
    others = set(node.books.in_game) - {from_, to}
    if from_ == EVERYONE:
        return {(other, to, amount) for other in others}
    return {(from_, other, amount) for other in others} if to == EVERYONE else {(from_, to, amount)}


def _check_taken_back(before: Node, after: Node, undone: list[Transfer], sent: Sent | None) -> Node:
    if not sent or sent.do != "take_back":
        raise BrokenRuleError("a transfer was undone without a request")
    payment = sent.args["payment"]
    booked = before.booked[payment]
    if payment in before.taken_back:
        raise BrokenRuleError("a payment was taken back twice")
    if {each.undoes for each in undone} != set(booked.transfers):
        raise BrokenRuleError("a payment was taken back in part")
    if sent.phone and not _card(before, sent.phone):
        raise BrokenRuleError("a stranger took a payment back")
    if sent.phone and not booked.is_players:
        raise BrokenRuleError("a phone took back what GO or the host confirmed")
    if sent.phone and before.now > booked.at + TAKE_BACK_S:
        raise BrokenRuleError("a phone took back a payment after ten seconds")
    return after._replace(taken_back=before.taken_back | {payment})


def _check_asked(before: Node, after: Node, sent: Sent | None) -> None:
    new = {each.payment for each in after.state.payments.waiting} - {
        each.payment for each in before.state.payments.waiting
    }
    gone = {each.payment for each in before.state.payments.waiting} - {
        each.payment for each in after.state.payments.waiting
    }
    if not sent:
        return
    own = _card(before, sent.phone)
    if new and sent.phone and (not own or before.state.game.pay == "off"):
        raise BrokenRuleError("a stranger asked for a payment")
    if gone and sent.do == "reject_payment" and sent.phone:
        asked = before.asked[sent.args["payment"]]
        if own != _by(asked) and own not in _payers(before, asked):
            raise BrokenRuleError("a phone rejected a payment of others")


def _check_phones(before: Node, after: Node, sent: Sent | None) -> None:
    old, new = before.books.phones, after.books.phones
    if len({*new.values()}) < len(new):
        raise BrokenRuleError("a phone has two cards")
    if old == new:
        return
    if not sent or sent.do not in ("join", "leave_card"):
        raise BrokenRuleError("a card changed its phone without a request")
    if sent.do == "leave_card":
        if set(new) != set(old) - {_card(before, sent.phone) or sent.args["card"]}:
            raise BrokenRuleError("another phone than the one that left has no card")
        return
    card = sent.args["card"]
    if new.get(card) != sent.phone or {**old, card: ""}.keys() - new.keys() - {_card(before, sent.phone)}:
        raise BrokenRuleError("a phone that joined has no card, or another one has lost it")
    if before.state.game.pay == "off":
        raise BrokenRuleError("a phone joined while phones are off")
    if old.get(card) and not sent.args["instead"]:
        raise BrokenRuleError("a phone lost its card, and was not replaced on purpose")
    is_known = _card(before, sent.phone) or sent.args["code"] == before.state.access.code
    if not is_known and (before.state.can_show or before.is_heard):
        raise BrokenRuleError("a stranger got a card")


def _check_secret(text: str, state: UnitState) -> None:
    if any(code in text for code in CODES):
        raise BrokenRuleError("the code left the unit")


# The acts.


def send(do: str, phone: str = "", /, **args: Any) -> Callable[[Node], Node]:
    def sent(node: Node) -> Node:
        values = {name: value(node) if callable(value) else value for name, value in args.items()}
        values = {name.rstrip("_"): value for name, value in values.items()}
        request = BANKER_UNIT.vocabulary.requests[do].of({**values, **({"phone": phone} if phone else {})})
        if do == "ask_payment":
            asked = Sent(do, phone, {**values, "_own": _card(node, phone)})
            node = node._replace(last=node.last or asked, asked={**node.asked, values["payment"]: asked})
        return given(node, Asked(request, NoAnswer(), node.now))  # type: ignore[arg-type]

    return sent


def ask(phone: str, from_: int, to: int, amount: str = "5", **more: object) -> Callable[[Node], Node]:
    args = {"from_": from_, "to": to, "amount": amount, **more}
    id_ = lambda node: f"payment {len(node.asked)}"  # noqa: E731
    return send("ask_payment", phone, payment=id_, game=lambda node: node.books.game, **args)


def again(node: Node) -> Node:
    """Send the first payment again, with its id."""
    assert node.last
    do, phone, args = node.last
    payment = args["payment"]
    if not node.state.payments.known(payment) and payment not in node.booked:
        # it was rejected before: now it counts
        node = node._replace(asked={**node.asked, payment: Sent(do, phone, {**args, "_own": _card(node, phone)})})
    request = BANKER_UNIT.vocabulary.requests[do].of(
        {**{name: value for name, value in args.items() if name != "_own"}, "phone": phone}
    )
    return given(node, Asked(request, NoAnswer(), node.now))  # type: ignore[arg-type]


def passed(seconds: float, node: Node) -> Node:
    end = node.now + seconds
    while due := min(((at, timer) for timer, at in core.deadlines(node.state).items() if at <= end), default=None):
        node = node._replace(now=max(node.now, due[0]))
        node = given(node, Tick(due[1], due[0], node.now))
    return node._replace(now=end)


def go(node: Node) -> Node:
    question, since = node.shown
    node = node._replace(go=question if node.now >= since + SETTLE_S else "")
    node = given(node, Key("GO", node.now))
    return given(node, Released("GO", node.now))._replace(go="")


def restart(node: Node) -> Node:
    """Restart the unit: it knows only what the ledger has."""
    state = UnitState(node.books.view, access=PhoneAccess(CODES[0]), now=node.now)
    display = node.state.can_show
    return given(node._replace(state=state, shown=("", 0.0), is_heard=False), CanShow(display, node.now))


def _first_waiting(node: Node) -> str:
    return node.state.payments.waiting[0].payment if node.state.payments.waiting else "nothing waits"


def _last_booked(node: Node) -> str:
    return [*node.booked, "nothing is booked"][-1 if not node.booked else len(node.booked) - 1]


def _code(node: Node) -> str:
    return node.state.access.code


PHONES = "a", "b", "c", "d"

ACTS: Mapping[str, Callable[[Node], Node]] = {
    **{
        f"{phone} asks {from_} > {to}": ask(phone, from_, to)
        for phone, from_, to in (
            *(("a", 1, to) for to in (BANK, 2, POT, EVERYONE)),
            *(("a", from_, 1) for from_ in (BANK, 2, POT, EVERYONE)),
            ("a", 2, BANK),
            ("a", 2, 3),
            ("a", BANK, 2),
            ("b", 2, 1),
            ("b", 1, 2),
            ("c", 1, BANK),
            ("d", 1, BANK),
            ("d", 3, 1),
            ("d", 1, 3),
            ("", 1, 2),
        )
    },
    "a pays too much": ask("a", 1, 2, "1499"),
    **{f"{phone} lets a go bankrupt": ask(phone, 1, 2, "", bankrupt=True) for phone in ("a", "b")},
    "again": again,
    **{
        f"{phone or 'host'} {do}": send(do, phone, payment=payment)
        for phone in (*PHONES, "")
        for do, payment in (
            ("confirm_payment", _first_waiting),
            ("reject_payment", _first_waiting),
            ("take_back", _last_booked),
        )
    },
    "b confirms what is booked": send("confirm_payment", "b", payment=_last_booked),
    **{f"{phone} joins with {card}": send("join", phone, card=card) for phone in PHONES for card in (1, 3)},
    "c guesses": send("join", "c", card=3, code=GUESS, instead=True),
    "d joins with the code": send("join", "d", card=3, code=_code),
    "d takes card 1": send("join", "d", card=1, code=_code, instead=True),
    "a starts an auction": send("auction", "a"),
    "c starts an auction": send("auction", "c"),
    "a leaves": send("leave_card", "a"),
    "host takes phone 2 away": send("leave_card", card=2),
    **{f"phones {pay}": send("phones", pay=pay) for pay in ("off", "ask", "free")},
    "GO": go,
    "wait 1.2": partial(passed, 1.2),
    "wait 9": partial(passed, 9.0),
    "wait 61": partial(passed, 61.0),
    "new game": send("new_game", same_players=True),
    "disk fails once": lambda node: node._replace(disk_fails=1),
    "disk fails at the second write": lambda node: node._replace(disk_fails=2),
    "restart": restart,
}


def normal_form(node: Node) -> tuple[Any, ...]:
    """Return what makes two states the same."""
    state, books, now = node.state, node.books, node.now
    return (
        state.game.pay,
        state.access.wrong,
        bool(state.shown_code),
        state.access.are_known,
        state.can_show,
        tuple(sorted(books.phones.items())),
        tuple((each.from_, each.to, each.by, round(now - each.asked_at, 1)) for each in state.payments.waiting),
        tuple(sorted(books.balances.items())),
        books.retired,
        books.pot,
        books.game,
        tuple(
            (asked.args["from"], asked.args["to"], payment in node.taken_back, round(min(now - booked.at, 20), 1))
            for payment, booked in node.booked.items()
            for asked in (node.asked[payment],)
        ),
        node.last and (node.last.phone, node.last.args["from"], node.last.args["to"]),
        node.disk_fails,
        bool(node.shown[0]) and now >= node.shown[1] + SETTLE_S,
        state.is_asleep,
        state.deal_at is None,
    )


SETUPS: Mapping[str, tuple[PhonePay, bool, Sequence[tuple[str, ...]]]] = {
    "ask": (
        "ask",
        True,
        (
            (),
            ("a asks 1 > 2",),
            ("a asks 2 > 1", "wait 1.2"),
            ("a asks 10 > 1",),
            ("a asks 9 > 1", "host confirm_payment"),
        ),
    ),
    "free": (
        "free",
        True,
        (
            (),
            ("a asks 1 > 10",),
            ("a asks 10 > 1", "b confirm_payment"),
            ("a asks 9 > 1", "wait 9"),
            ("c guesses",) * 4,
        ),
    ),
    "only phones": ("free", False, ((), ("a joins with 1", "d joins with the code"))),
}
"""How phones pay, whether there is a display, and the acts before each exploration."""


def explore(name: str, depth: int) -> tuple[int, dict[str, tuple[str, ...]]]:
    """Return the number of states up to a depth after each setup, and the shortest path to each broken rule."""
    pay, display, setups = SETUPS[name]
    found = dict[str, tuple[str, ...]]()
    level: list[tuple[Node, tuple[str, ...]]] = []
    for setup in setups:
        node = start(pay, display=display)
        for each in setup:
            node = ACTS[each](node)
        level.append((node, setup))
    known = {normal_form(node) for node, _ in level}
    for _ in range(depth):
        below: list[tuple[Node, tuple[str, ...]]] = []
        for node, path in level:
            for what, act in ACTS.items():
                if act is again and not node.last:
                    continue
                try:
                    after = act(node)
                except BrokenRuleError as broken:
                    found.setdefault(str(broken), (*path, what))
                    continue
                if (mark := normal_form(after)) not in known:
                    known.add(mark)
                    below.append((after, (*path, what)))
        level = below
    return len(known), found
