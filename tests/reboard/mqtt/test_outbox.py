"""The outbox: whatever broker, receiver and table do, nothing is skipped and everything arrives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from reboard.mqtt.broker_errors import DELIVERED, FORBIDDEN, NO_SUBSCRIBER
from reboard.mqtt.outbox import WINDOW, Cursor, Flight, Outbox
from reboard.mqtt.topics import Have

LEDGERS = ("0" * 16, "1" * 16)


class FakeLedger:
    """Rows with gaps between their numbers, as the control socket answers them."""

    def __init__(self) -> None:
        self.name = LEDGERS[0]
        self.ids: list[int] = []

    def add(self, gap: int) -> None:
        self.ids.append((self.ids[-1] if self.ids else 0) + gap)

    def answer(self, after: int, most: int) -> dict[str, Any]:
        rows = [id_ for id_ in self.ids if id_ > after][:most]
        return {
            "ledger": self.name,
            "before": max((id_ for id_ in self.ids if id_ <= after), default=0),
            "last": self.ids[-1] if self.ids else 0,
            "editions": {"1": "world"},
            "transfers": [
                {"id": id_, "game": 1, "from": 0, "to": 1, "amount": 1, "reason": "test", "at": 1.0, "undoes": None}
                for id_ in rows
            ],
        }


class AnyDelivery(RuleBasedStateMachine):
    """A table, a broker that forgets or forbids, and a receiver that loses its store, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.ledger = FakeLedger()
        self.outbox = Outbox(Cursor(), lambda: self.now)
        self.asked: tuple[int, dict[str, Any]] | None = None
        self.flights: list[Flight] = []
        self.acknowledged: set[tuple[str, int]] = set()
        self.stored: dict[str, dict[int, int]] = {name: {} for name in LEDGERS}

    @initialize(gaps=st.lists(st.integers(1, 3), max_size=40))
    def begin(self, gaps: list[int]) -> None:
        for gap in gaps:
            self.ledger.add(gap)

    @rule(gap=st.integers(1, 3))
    def transfer(self, gap: int) -> None:
        self.ledger.add(gap)
        self.outbox.look_again()

    @rule(most=st.integers(1, 30))
    def ask_table(self, most: int) -> None:
        if (after := self.outbox.wants) is not None:
            self.asked = (after, self.ledger.answer(after, most))

    @precondition(lambda self: self.asked)
    @rule()
    def table_answers(self) -> None:
        assert self.asked
        after, answer = self.asked
        self.asked = None
        self.outbox.fill(after, answer)

    @rule(most=st.integers(1, 20))
    def publish(self, most: int) -> None:
        for _ in range(most):
            if flight := self.outbox.next_flight():
                self.flights.append(flight)

    @precondition(lambda self: self.flights)
    @rule(data=st.data(), code=st.sampled_from([DELIVERED, DELIVERED, DELIVERED, NO_SUBSCRIBER, FORBIDDEN, 0x97]))
    def broker_answers(self, data: st.DataObject, code: int) -> None:
        flight = self.flights.pop(data.draw(st.integers(0, len(self.flights) - 1)))
        message = flight.message
        if code == DELIVERED:
            self.acknowledged.add((message.ledger, message.id))
            if data.draw(st.booleans()):  # a broker that is killed forgets what it has acknowledged
                self.stored[message.ledger][message.id] = message.prev
        self.outbox.acknowledge(flight, code)

    @rule()
    def lose_the_broker(self) -> None:
        self.flights.clear()
        self.outbox.disconnected()

    @rule(again=st.booleans(), ledger=st.sampled_from(LEDGERS))
    def receiver_says_what_it_has(self, again: bool, ledger: str) -> None:
        self.outbox.receiver_has(Have(ledger, self.upto(ledger), again))

    @rule(upto=st.integers(0, 200), again=st.booleans())
    def somebody_says_anything(self, upto: int, again: bool) -> None:
        self.outbox.receiver_has(Have(self.ledger.name, upto, again))

    @rule()
    def receiver_loses_its_store(self) -> None:
        self.stored = {name: {} for name in LEDGERS}

    @precondition(lambda self: self.ledger.name == LEDGERS[0])
    @rule(kept=st.integers(0, 5))
    def a_backup_replaces_the_ledger(self, kept: int) -> None:
        self.ledger.name = LEDGERS[1]
        del self.ledger.ids[kept:]
        self.outbox.look_again()

    @rule(restarted=st.booleans())
    def wait(self, restarted: bool) -> None:
        self.now += 70
        if restarted:
            self.flights.clear()
            self.outbox = Outbox(self.outbox.cursor, lambda: self.now)

    @invariant()
    def cursor_passes_no_row_without_an_acknowledgement(self) -> None:
        cursor = self.outbox.cursor
        if cursor.ledger == self.ledger.name:
            done = [id_ for id_ in self.ledger.ids if id_ <= cursor.id]
            assert {(cursor.ledger, id_) for id_ in done} <= self.acknowledged
            on_the_way = [flight.message for flight in self.outbox._flights]
            assert len(on_the_way) <= WINDOW
            before = [max(done, default=0), *(message.id for message in on_the_way)]
            assert [message.prev for message in on_the_way] == before[:-1], "none is skipped"

    def upto(self, ledger: str) -> int:
        upto = 0
        for id_, prev in sorted(self.stored[ledger].items()):
            if prev > upto:
                break
            upto = id_
        return upto

    def teardown(self) -> None:
        """From now on everything works: the receiver soon has each row, whatever happened before."""
        name = self.ledger.name
        self.flights.clear()
        self.outbox.disconnected()
        for _ in range(2 * len(self.ledger.ids) + 20):
            self.now += 1.5
            self.outbox.look_again()
            self.ask_table(30)
            if self.asked:
                self.table_answers()
            self.publish(20)
            for flight in self.flights:
                if flight.message.ledger == name:
                    self.stored[name][flight.message.id] = flight.message.prev
                self.outbox.acknowledge(flight, DELIVERED)
            self.flights.clear()
            head = self.outbox.head
            if head and head.last > self.upto(head.ledger):
                self.outbox.receiver_has(Have(name, self.upto(name), True))
        assert sorted(self.stored[name]) == self.ledger.ids
        last = self.ledger.ids[-1] if self.ledger.ids else 0
        assert self.outbox.cursor == Cursor(name, last)


AnyDelivery.TestCase.settings = settings(max_examples=150, stateful_step_count=40)
test_any_delivery = AnyDelivery.TestCase


def filled(rows: int, clock: list[float]) -> tuple[FakeLedger, Outbox]:
    ledger, outbox = FakeLedger(), Outbox(Cursor(), lambda: clock[0])
    for _ in range(rows):
        ledger.add(1)
    outbox.fill(0, ledger.answer(0, 100))
    return ledger, outbox


def test_a_ledger_that_goes_back_under_its_name_is_a_problem_until_it_has_another() -> None:
    clock = [0.0]
    ledger, outbox = filled(5, clock)
    del ledger.ids[2:]
    outbox.look_again()
    outbox.fill(5, ledger.answer(5, 100))
    assert "DELETE FROM setting" in outbox.ledger_problem
    ledger.add(1)
    outbox.fill(2, ledger.answer(2, 100))
    assert outbox.ledger_problem
    ledger.name = LEDGERS[1]
    outbox.fill(3, ledger.answer(3, 100))
    assert not outbox.ledger_problem


def test_without_a_receiver_the_pauses_grow_to_a_minute_and_a_request_ends_them() -> None:
    clock = [0.0]
    ledger, outbox = filled(3, clock)
    pauses = []
    for _ in range(9):
        outbox.fill(outbox.wants or 0, ledger.answer(outbox.wants or 0, 100))
        flights = [flight for _ in range(3) if (flight := outbox.next_flight())]
        assert len(flights) == 3
        for flight in flights:
            outbox.acknowledge(flight, NO_SUBSCRIBER)
        assert outbox.next_flight() is None
        assert outbox.head, "a receiver that comes now has to learn that there are rows"
        assert outbox.due_s
        pauses.append(outbox.due_s)
        clock[0] += outbox.due_s
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    outbox.fill(0, ledger.answer(0, 100))
    last = outbox.next_flight()
    assert last
    outbox.acknowledge(last, NO_SUBSCRIBER)
    assert outbox.wants is None
    clock[0] += 1
    outbox.receiver_has(Have(ledger.name, 0, True))
    assert outbox.wants == 0


def test_a_receiver_that_asks_all_the_time_gets_the_rows_once_a_second() -> None:
    clock = [0.0]
    ledger, outbox = filled(3, clock)
    published = 0
    for _ in range(1000):
        clock[0] += 0.01
        outbox.receiver_has(Have(ledger.name, 0, True))
        if (after := outbox.wants) is not None:
            outbox.fill(after, ledger.answer(after, 100))
        while flight := outbox.next_flight():
            published += 1
            outbox.acknowledge(flight, DELIVERED)
    assert published <= 3 * 12


def test_all_pages_of_a_long_ledger_are_read_without_news() -> None:
    ledger, outbox = filled(250, [0.0])
    sent: list[int] = []
    while len(sent) < 250:
        if (after := outbox.wants) is not None:
            outbox.fill(after, ledger.answer(after, 100))
        flight = outbox.next_flight()
        assert flight
        sent.append(flight.message.id)
        outbox.acknowledge(flight, DELIVERED)
    assert sent == ledger.ids
    assert outbox.wants is None
    assert outbox.head


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"3", b'{"id": 3}', b'{"ledger": 1, "id": "x"}', b"[" * 999])
def test_a_damaged_cursor_is_the_beginning(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "cursor.json"
    file.write_bytes(content)
    assert Cursor.load(file) == Cursor()
    Cursor("f" * 16, 7).save(file)
    assert Cursor.load(file) == Cursor("f" * 16, 7)
