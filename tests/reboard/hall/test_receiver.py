"""The hall keeps every row of every table once, and knows what it lacks, whatever the network and the hall do."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.hall.receiver import MOST_LEDGERS, RECEIPT_S, SILENT_S
from reboard.hall.removal import forget_player
from reboard.hall.store import Batch
from reboard.hall.table_state import LONGEST_AMOUNT, NO_STATE
from reboard.mqtt.topics import OFFLINE, Have, TopicLevel, topic
from reboard.web.responses import server_sent
from tests.reboard.hall.club import STATE, Desk, PlayedTable, Sent

ACTS = st.lists(
    st.tuples(st.sampled_from(["row", "row", "row", "deliver", "restart", "head", "wait"]), st.integers(0, 2)),
    max_size=60,
)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with closing(Desk(tmp_path / "hall.sqlite")) as desk:
        yield desk


def evening(desk: Desk, acts: list[tuple[str, int]], network: random.Random, *, loss: float) -> list[PlayedTable]:
    """Play at three tables, whose messages are lost, doubled and overtaken, at a hall that ends at any moment."""
    tables = [PlayedTable(f"table-{number}") for number in range(3)]
    way: list[Sent] = []
    for act, number in acts:
        match act:
            case "row":
                way += [tables[number].add()] * network.choice([1, 1, 2])
            case "head":
                way.append(tables[number].head())
            case "wait":
                desk.now += number + 1
                for name, have in desk.asked():
                    way += next(table for table in tables if table.name == name).answer(have)
            case _:
                network.shuffle(way)
                arrived = [message for message in way if network.random() >= loss]
                if act == "restart":
                    desk.restart(*arrived, is_written=network.random() < 0.5)
                else:
                    desk.take(*arrived)
                way = []
    return tables


@settings(max_examples=60)
@given(acts=ACTS, network=st.randoms(use_true_random=False))
def test_in_the_end_every_row_is_there_once(acts: list[tuple[str, int]], network: random.Random) -> None:
    with TemporaryDirectory() as folder, closing(Desk(Path(folder) / "hall.sqlite")) as desk:
        tables = evening(desk, acts, network, loss=0.3)
        desk.receiver.connected()
        desk.settle(tables)
        for table in tables:
            assert desk.rows(table) == [row.id for row in table.rows]
            assert not table.rows or desk.receiver.tables[table.name].upto == table.rows[-1].id


@settings(max_examples=60)
@given(acts=ACTS, network=st.randoms(use_true_random=False))
def test_without_asking_a_loss_is_known(acts: list[tuple[str, int]], network: random.Random) -> None:
    """The control of the test above: without answers to the hall rows are missing, and the hall knows it."""
    with TemporaryDirectory() as folder, closing(Desk(Path(folder) / "hall.sqlite")) as desk:
        tables = evening(desk, [act for act in acts if act[0] != "wait"], network, loss=0.3)
        desk.take(*(table.head() for table in tables))
        for table in tables:
            ids = [row.id for row in table.rows]
            known = desk.receiver.tables[table.name]
            has_all = desk.rows(table) == ids
            assert (known.upto == known.most) == has_all
            desk.asked()
            desk.now += 60
            assert any(name == table.name and have.again for name, have in desk.asked()) or has_all


def test_a_deleted_store_and_a_new_memory_card(desk: Desk, tmp_path: Path) -> None:
    table = PlayedTable("table-1")
    desk.take(table.online(), *(table.add() for _ in range(5)), table.head())
    desk.store.close()
    for file in tmp_path.iterdir():
        file.unlink()
    desk.restart()
    assert desk.receiver.tables == {}
    desk.settle([table])
    assert desk.rows(table) == [row.id for row in table.rows]

    new = PlayedTable("table-1", ledger="fedcba9876543210")
    lost = new.add(amount=7)
    desk.take(new.add(amount=8), new.head())
    assert lost
    desk.settle([new])
    assert desk.rows(new) == [1, 2]
    assert desk.rows(table) == [row.id for row in table.rows], "the old card's rows stay"


def test_an_older_ledger_under_its_old_name_is_reported(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    table = PlayedTable("table-1")
    desk.take(*(table.add() for _ in range(5)), table.head())
    desk.take(table.head())
    assert caplog.messages == []
    del table.rows[2:]
    desk.take(table.head())
    assert "older copy of the ledger" in caplog.text


def test_a_table_gets_receipts_and_a_missing_row_is_asked_for_with_a_backoff(desk: Desk) -> None:
    table = PlayedTable("table-1")
    desk.now = 100
    desk.take(table.online(), table.add(), table.head())
    desk.asked()
    desk.now += RECEIPT_S
    assert desk.asked() == []
    desk.take(table.add(), table.head())
    assert desk.asked() == [("table-1", Have(table.ledger, table.rows[1].id, again=False))]
    desk.take(table.add(), table.head())
    assert desk.asked() == [], "receipts do not come more often"

    missing = table.add()
    desk.take(table.head())
    times = []
    for _ in range(600):
        desk.now += 0.5
        times += [desk.now for _, have in desk.asked() if have.again]
    pauses = [after - before for before, after in pairwise(times)]
    assert pauses[:3] == [3, 6, 12]
    assert max(pauses) == 30
    desk.take(missing)
    desk.now += 100
    assert [have.again for _, have in desk.asked()] == [False]


def test_a_silent_or_absent_table_is_stale(desk: Desk) -> None:
    table = PlayedTable("table-1")
    name, payload, _ = table.state()
    desk.take((name, payload, True), (topic("table-1", TopicLevel.AVAILABILITY), b"online", True))
    desk.receiver.changed()
    assert desk.receiver.tables["table-1"].is_stale, "the broker says retained things of a table that is away"
    desk.take(table.head())
    assert [one.is_stale for one in desk.receiver.changed()] == [False]
    desk.now += SILENT_S - 1
    assert desk.receiver.changed() == []
    desk.now += 1
    assert [one.is_stale for one in desk.receiver.changed()] == [True]
    desk.take(table.head())
    assert [one.is_stale for one in desk.receiver.changed()] == [False]
    desk.take((topic("table-1", TopicLevel.AVAILABILITY), OFFLINE, False))
    assert [one.is_stale for one in desk.receiver.changed()] == [True]


def test_an_empty_state_removes_a_table_but_not_its_games(desk: Desk) -> None:
    table = PlayedTable("table-7")
    name, *_ = table.state()
    desk.take(table.online(), table.state(), table.add(), table.head())
    desk.store.write(Batch(states=desk.receiver.states()))
    desk.receiver.changed()
    desk.take((topic("table-7", TopicLevel.TRANSFER), b"", False))  # the doctor's
    assert desk.receiver.changed() == []
    desk.take(table.head(), (name, b"", False), (topic("table-7", TopicLevel.AVAILABILITY), OFFLINE, False))
    assert [one.as_json() for one in desk.receiver.changed()] == [{"name": "table-7", "gone": True}]
    assert desk.receiver.states() == {}
    desk.restart()
    assert desk.receiver.tables == {}
    assert desk.rows(table) == [1]
    desk.take(table.state())
    assert [one.is_known for one in desk.receiver.changed()] == [True]


@pytest.mark.parametrize("spelled", ["Zoë", "ZOË", "Zoe\u0308"])
def test_a_forgotten_player_is_in_no_file_of_a_hall_that_runs(desk: Desk, tmp_path: Path, spelled: str) -> None:
    table = PlayedTable("table-7")
    ranking = [{"place": 1, "number": 1, "name": "Zoë", "worth": 5, "shown": "5"}]
    players = [{"number": 1, "name": "Zoë"}, {"number": 2, "name": "Bea"}]
    cards = [{**player, "balance": 5, "shown": "5", "retired": False} for player in players]
    for number in range(7, 30):
        one = PlayedTable(f"table-{number}")
        desk.take(one.online(), one.state(cards=cards, ended={"game": 1, "ranking": ranking}))
    desk.store.write(Batch(states=desk.receiver.states()))
    desk.take(table.add(), table.head())
    file = tmp_path / "hall.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        # SQLite keeps what was in a deleted row, but not Debian's
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("DELETE FROM last_state WHERE table_name <> 'table-7'")
    assert forget_player(file, "Zo") == 0
    assert forget_player(file, spelled) == 23
    assert [path.name for path in tmp_path.iterdir() if b"Zo" in path.read_bytes()] == []
    desk.restart()
    assert [card["name"] for card in desk.receiver.tables["table-7"].state["cards"]] == ["", "Bea"]
    assert desk.rows(table) == [1]


def test_made_up_names_do_not_lock_tables_out(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reboard.hall.receiver.MOST_TABLES", 3)
    table = PlayedTable("table-1")
    made_up = [PlayedTable(f"made-up-{number}") for number in range(5)]
    desk.take(*(one.online() for one in made_up), *(one.head() for one in made_up))
    desk.take(table.online(), table.state())
    assert [one.name for one in desk.receiver.changed()] == ["table-1"]
    assert desk.receiver.states().keys() == {"table-1"}
    assert not desk.receiver.is_full
    desk.take(*(one.state() for one in made_up))
    assert desk.receiver.is_full
    assert len(desk.receiver.tables) == 3


def test_a_table_without_a_banker_unit_may_be_silent(desk: Desk) -> None:
    block = PlayedTable("table-2")
    desk.take(block.online(), block.state(game=None, cards=[]))
    desk.now += 10 * SILENT_S
    assert [one.is_stale for one in desk.receiver.changed()] == [False]
    desk.take((topic("table-2", TopicLevel.AVAILABILITY), OFFLINE, False))
    assert [one.is_stale for one in desk.receiver.changed()] == [True]


def test_the_hall_reads_what_the_schema_says() -> None:
    schema = json.loads((Path(__file__).parents[3] / "docs" / "mqtt.schema.json").read_text("utf-8"))
    assert NO_STATE.keys() <= schema["$defs"]["state"]["properties"].keys()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
RANKED = {"place": 1, "number": 1, "name": "Anna", "worth": 7, "shown": "7" * 100}
ENDED = {"game": 1, "ranking": [RANKED]}
LEDGER = "0123456789abcdef"
GOOD: dict[TopicLevel, dict[str, Any]] = {
    TopicLevel.STATE: {**STATE, "ledger": LEDGER, "ended": ENDED, "clock": 28, "pot": {"balance": 1, "shown": "1"},
                 "faults": {"display": ""}},
    TopicLevel.EVENT: {"event": "game.ended", "at": 1.5, "ledger": LEDGER, **ENDED},
    TopicLevel.HEAD: {"ledger": LEDGER, "last": 3},
    TopicLevel.TRANSFER: {"ledger": LEDGER, "id": 3, "prev": 2, "game": 1, "edition": "world", "from": 0, "to": 1,
                    "amount": 5, "reason": "received", "at": 1.5, "undoes": None},
}  # fmt: skip


@st.composite
def spoiled(draw: st.DrawFn) -> Sent:
    """Return a message in which one value is another one."""
    kind = draw(st.sampled_from(list(GOOD)))
    message = inner = deepcopy(GOOD[kind])
    while True:
        key = draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner))))
        if not inner[key] or not isinstance(inner[key], dict | list) or draw(st.integers(0, 3)) == 0:
            inner[key] = draw(JSON)
            return topic("table-1", kind), json.dumps(message).encode(), draw(st.booleans())
        inner = inner[key]


GARBAGE = st.tuples(
    st.builds(topic, st.just("table-1"), st.sampled_from(list(TopicLevel))) | st.text(max_size=20),
    st.binary(max_size=40) | st.sampled_from([b"[" * 5000, b'{"game":' + b"9" * 5000 + b"}", b'"\\ud800"', b"NaN"]),
    st.booleans(),
)


@settings(max_examples=100)
@given(messages=st.lists(spoiled() | GARBAGE, max_size=8))
def test_no_message_stops_the_hall_or_spoils_the_page(messages: list[tuple[str, bytes, bool]]) -> None:
    with TemporaryDirectory() as folder, closing(Desk(Path(folder) / "hall.sqlite")) as desk:
        good = PlayedTable("table-2")
        desk.take(*messages, good.add(), good.state())
        desk.asked()
        for table in desk.receiver.changed():
            if table.is_known:
                assert_page_reads(table.as_json())
        assert desk.rows(good) == [1]
        assert desk.receiver.tables["table-2"].state["game"] == 1
        with desk.store.reading() as store:
            store.played_since(0)
        desk.restart()


def assert_page_reads(table: dict[str, Any]) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    json.loads(server_sent([table]).removeprefix(b"data: "), parse_constant=refuse)
    for entry in (*table["cards"], *(table["ended"] or {"ranking": []})["ranking"]):
        assert isinstance(entry["number"], int)
        assert len(entry["shown"]) <= LONGEST_AMOUNT
    assert all(isinstance(one, str) for one in (table["title"], *table["titles"].values(), *table["faults"].values()))


def test_one_table_cannot_fill_the_hall(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("reboard.hall.receiver.MOST_TABLES", 3)
    tables = [PlayedTable(f"table-{number}") for number in range(5)]
    desk.take(*(table.add() for table in tables))
    assert sorted(desk.receiver.tables) == ["table-0", "table-1", "table-2"]
    many = [PlayedTable("table-0", ledger=f"{number:016x}") for number in range(MOST_LEDGERS + 5)]
    desk.take(*(one.add() for one in many))
    assert len(desk.store.chains()) <= MOST_LEDGERS + 2
    desk.now += 100
    desk.asked()
    desk.take(many[-1].head())
    desk.now += 10
    assert "give the table another name" in caplog.messages[-1]
    assert not any(have.ledger == many[-1].ledger for _, have in desk.asked()), "it would ask for ever"
    # names and rankings of ledgers of which no row came
    ended = {"game": 1, "ranking": [RANKED]}
    talkers = [PlayedTable("table-2", ledger=f"{number:016x}") for number in range(2 * MOST_LEDGERS)]
    for number, one in enumerate(talkers):
        desk.take(one.state(cards=[{**STATE["cards"][0], "name": "Anna"}], ended=ended))
        event = {"event": "game.ended", "at": 1.5, "ledger": f"{number:08x}cafecafe", **ended}
        desk.take((topic("table-2", TopicLevel.EVENT), json.dumps(event).encode(), False))
        if number == MOST_LEDGERS:
            desk.restart()
    with closing(sqlite3.connect(tmp_path / "hall.sqlite")) as store:
        counted = store.execute("SELECT count(DISTINCT ledger) FROM seat WHERE table_name = 'table-2'").fetchone()
    assert counted == (MOST_LEDGERS,)
    # amounts whose sum no integer of SQLite holds
    rich = PlayedTable("table-1", ledger="00000000000000aa")
    desk.take(*(rich.add(amount=10**15) for _ in range(1200)))
    assert len(desk.rows(rich)) == 1200
