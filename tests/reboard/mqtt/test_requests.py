"""Requests from the broker: what is allowed, carried out, answered and not done twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.control.table_requests import MOST_BYTES
from reboard.errors import ReboardError, Rejection
from reboard.mqtt.broker import ReceivedMessage
from reboard.mqtt.broker_errors import DELIVERED
from reboard.mqtt.requests import MOST_AT_ONCE, Requests, may_answer_on
from reboard.mqtt.topics import LARGEST_PAYLOAD_BYTES
from tests.reboard.web.fake_table import FakeTable

LOUDER = b'{"do": "volume", "level": 4}'
LOWER = b'{"do": "volume", "level": 0}'


@asynccontextmanager
async def a_table(path: Path) -> AsyncIterator[tuple[FakeTable, Requests]]:
    table = FakeTable(path / "table.sock")
    await table.open()
    yield table, Requests("club", path / "table.sock")
    await table.socket.close()


async def test_a_request_names_its_user_and_is_answered(tmp_path: Path) -> None:
    async with a_table(tmp_path) as (table, requests):
        table.answer = {"id": 12}
        assert await requests.answer("maria", b'{"do": "undo", "transfer": 11}', None) == {"ok": {"id": 12}}
        assert table.requests == [("undo", {"transfer": 11, "by": "maria over MQTT"})]
        table.rejection = Rejection(BankWhy.NOTHING_TO_UNDO)
        answer = await requests.answer("maria", b'{"do": "undo", "transfer": 11}', None)
        assert answer["why"] == "nothing to undo"
        assert answer["error"]


@pytest.mark.parametrize(
    "payload",
    [
        b'{"do": "snapshot"}',
        b'{"do": "history"}',
        b'{"do": "ask_payment", "payment": "12345678", "game": 1, "from": 0, "to": 1, "amount": "2M"}',
        b'{"do": "join", "card": 1, "code": "4821"}',
        b'{"do": "confirm_payment", "payment": "12345678", "phone": "1f83d9ab"}',
        b'{"do": "book_outcome", "accessory": "block", "outcome": "coins", "times": 6}',
        b'{"do": "volume", "level": 5}',
        b'{"do": "volume", "level": 4, "by": "the host"}',
        b'{"do": "volume", "level": 4, "id": 1}',
        b'{"do": "volume", "level": 4, "more": 1}',
        b'["volume"]',
        b"volume",
        b"\xff",
        b"[" * MOST_BYTES,
        LOUDER + b" " * MOST_BYTES,
    ],
)
async def test_what_the_host_cannot_do_is_refused(payload: bytes, tmp_path: Path) -> None:
    async with a_table(tmp_path) as (table, requests):
        assert (await requests.answer("maria", payload, b"1")).keys() == {"error"}
        assert not table.requests
        assert not table.reads


@pytest.mark.parametrize("user", ["", "x" * 41, "a\nb"])
async def test_a_user_without_a_usable_name_is_refused(user: str, tmp_path: Path) -> None:
    async with a_table(tmp_path) as (table, requests):
        assert "error" in await requests.answer(user, LOUDER, None)
        assert not table.requests


async def test_the_same_request_again_is_not_carried_out_again(tmp_path: Path) -> None:
    async with a_table(tmp_path) as (table, requests):
        table.answer = 1
        first = await asyncio.gather(*(requests.answer("maria", LOUDER, b"a") for _ in range(3)))
        table.answer = 2
        assert [*first, await requests.answer("maria", LOUDER, b"a")] == [{"ok": 1}] * 4
        assert len(table.requests) == 1
        assert (await requests.answer("maria", LOWER, b"a")).keys() == {"error"}
        assert len(table.requests) == 1
        for user, correlation in [("maria", b"b"), ("o", b"a"), ("x" * 40, b"a"), ("maria", None), ("maria", None)]:
            assert await requests.answer(user, LOUDER, correlation) == {"ok": 2}
        assert len(table.requests) == 6


@pytest.mark.parametrize("error", [Rejection(BankWhy.NO_PLAYERS), ReboardError("the disk is full")])
async def test_a_refusal_of_the_table_is_remembered_too(error: Exception, tmp_path: Path) -> None:
    async with a_table(tmp_path) as (table, requests):
        table.rejection = error
        first = await requests.answer("maria", b'{"do": "end_game", "game": 3}', b"a")
        table.rejection = None
        assert await requests.answer("maria", b'{"do": "end_game", "game": 3}', b"a") == first


async def test_what_has_not_reached_the_table_can_come_again(tmp_path: Path) -> None:
    requests = Requests("club", tmp_path / "table.sock")
    assert "error" in await requests.answer("maria", LOUDER, b"a")
    async with a_table(tmp_path):
        assert "ok" in await requests.answer("maria", LOUDER, b"a")


async def test_only_so_many_requests_wait_for_the_table(tmp_path: Path) -> None:
    async with a_table(tmp_path) as (table, requests):
        answers = await asyncio.gather(
            *(requests.answer("maria", LOUDER, bytes([number])) for number in range(MOST_AT_ONCE + 3))
        )
        assert ["ok" in answer for answer in answers] == [True] * MOST_AT_ONCE + [False] * 3
        assert len(table.requests) == MOST_AT_ONCE
        assert "ok" in await requests.answer("maria", LOUDER, bytes([MOST_AT_ONCE]))


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
ASKED = st.fixed_dictionaries({"do": st.sampled_from(["volume", "undo", "end_game", "name", "new_game"]) | JSON})
ARGUMENTS = st.dictionaries(st.sampled_from(["level", "transfer", "game", "worths", "card", "name", "self"]), JSON)


@given(st.binary() | st.builds(lambda asked, more: json.dumps({**more, **asked}).encode(), ASKED, ARGUMENTS))
async def test_any_payload_is_answered(payload: bytes) -> None:
    requests = Requests("club", Path("/nonexistent"))
    assert (await requests.answer("maria", payload, None)).keys() == {"error"}


@pytest.mark.parametrize(
    ("topic", "may"),
    [
        ("reboard/club/response/maria", True),
        ("reboard/club/response/maria/7", True),
        ("reboard/club/response/maria/#", False),
        ("reboard/club/response/maria2", False),
        ("reboard/club/response/otto", False),
        ("reboard/club/state", False),
        ("reboard/other/response/maria", False),
        ("", False),
    ],
)
def test_answers_go_only_to_the_users_own_topic(topic: str, may: bool) -> None:
    assert may_answer_on(topic, "club", "maria") is may


class Outgoing:
    """Stands for the connection to the broker."""

    def __init__(self) -> None:
        self.published: list[tuple[str, Any, bytes | None]] = []

    def publish(self, topic: str, payload: bytes, *, correlation: bytes | None = None) -> asyncio.Future[int]:
        self.published.append((topic, json.loads(payload), correlation))
        delivered: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        delivered.set_result(DELIVERED)
        return delivered


def request(respond_on: str | None, *, user: str = "maria", is_retained: bool = False) -> ReceivedMessage:
    return ReceivedMessage(f"reboard/club/request/{user}", LOUDER, 1, 1, is_retained, respond_on, b"7")


async def test_an_answer_goes_to_the_response_topic_with_its_correlation_data(tmp_path: Path) -> None:
    async with a_table(tmp_path) as (table, requests):
        connection: Any = Outgoing()
        await requests.serve(request("reboard/club/response/maria"), connection)
        assert connection.published == [("reboard/club/response/maria", {"ok": None}, b"7")]
        await requests.serve(request(None, user="home"), connection)
        assert len(connection.published) == 1
        assert [args["by"] for _, args in table.requests] == ["maria over MQTT", "home over MQTT"]


@pytest.mark.parametrize(
    "message", [request(None, is_retained=True), request("reboard/club/state"), request("reboard/club/response/otto")]
)
async def test_a_retained_request_or_one_for_another_topic_does_nothing(
    message: ReceivedMessage, tmp_path: Path
) -> None:
    async with a_table(tmp_path) as (table, requests):
        connection: Any = Outgoing()
        await requests.serve(message, connection)
        assert not table.requests
        assert not connection.published


async def test_a_very_long_answer_is_not_sent(tmp_path: Path) -> None:
    async with a_table(tmp_path) as (table, requests):
        table.answer = "x" * LARGEST_PAYLOAD_BYTES
        connection: Any = Outgoing()
        await requests.serve(request("reboard/club/response/maria"), connection)
        assert connection.published[0][1].keys() == {"error"}
