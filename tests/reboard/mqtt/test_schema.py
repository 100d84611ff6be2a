"""The messages are as docs/mqtt.schema.json says, and so are the examples in docs/mqtt.md."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.mqtt.shared_state import shared_event, shared_state
from reboard.mqtt.topics import Have, Head, MessageError, TopicLevel, TransferMessage, decoded, parse_topic, topic
from reboard.strict_json import Json, encoded
from reboard_sim.plays.play import Player
from reboard_sim.plays.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable

DOCS = Path(__file__).parents[3] / "docs"
SCHEMA = json.loads((DOCS / "mqtt.schema.json").read_text(encoding="utf-8"))
EXAMPLES = re.findall(r'^```json title="(\w+)"\n(.*?)^```', (DOCS / "mqtt.md").read_text(encoding="utf-8"), re.M | re.S)
PARSERS: dict[str, Any] = {"transfer": TransferMessage, "head": Head, "have": Have}


def check(kind: str, message: object) -> None:
    """Check *message* against the schema of *kind*."""
    jsonschema.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{kind}"}).validate(message)


@pytest.mark.parametrize(("kind", "example"), EXAMPLES, ids=[kind for kind, _ in EXAMPLES])
def test_the_examples_are_valid(kind: str, example: str) -> None:
    check(kind, json.loads(example))
    if kind in PARSERS:
        PARSERS[kind].parse(example.encode())


@pytest.mark.parametrize("names", [True, False])
async def test_an_evening_at_a_whole_table_is_as_the_schema_says(tmp_path: Path, names: bool) -> None:
    virtual = VirtualTable(Scene.load(None, tmp_path / "state"), seed=1, socket=tmp_path / "table.sock")
    await virtual.power_on()
    table = virtual.table
    assert table
    messages: list[dict[str, object]] = []

    def hear(event: Any) -> None:
        if shared := shared_event(event.as_json(), at=1.7e9, names=names):
            messages.append(json.loads(encoded(shared)))

    table.events.listen(hear)
    for line in (
        *("insert left 1", "insert right 2", "type 1.5M", "wait 2", "remove left", "remove right", "key DEAL"),
        *("press block", "wait 5", "pull lever", "release lever", "wait 60"),
    ):
        await Player(virtual).perform(parse_play(line))
        state = shared_state(table.snapshot(), names=names)
        check("state", state)
        assert decoded(encoded(state)) == state
    await table.request("name", card=1, name="Anna")
    await table.request("end_game", game=1, worths={"2": 500_000})
    state = shared_state(table.snapshot(), names=names)
    check("state", state)
    transfers = await table.request("transfers", after=0)
    assert isinstance(transfers, Json)
    assert state["ledger"] == json.loads(transfers.text)["ledger"]
    for message in messages:
        check("event", message)
    assert {"block.outcome", "deal.started", "deal.ended", "apple.started", "game.ended"} <= {
        str(message["event"]) for message in messages
    }
    assert ("Anna" in json.dumps([state, *messages])) == names
    await virtual.close()


IDS = st.integers(1, 2**63 - 1)


@given(IDS, st.integers(0, 2**63 - 1), IDS, st.integers(0, 9), st.none() | IDS, st.floats(0, 4e9))
def test_a_row_is_read_as_it_was_written(id_: int, prev: int, game: int, account: int, undoes: Any, at: float) -> None:
    row = TransferMessage("0" * 16, id_, min(prev, id_ - 1), game, "world", account, 1, 5, "salary", at, undoes)
    check("transfer", json.loads(row.encoded()))
    assert TransferMessage.parse(row.encoded()) == row


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("0" * 16),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = [*SCHEMA["$defs"]["transfer"]["properties"], "last", "upto", "again"]


@given(st.sampled_from(sorted(PARSERS)), st.binary(max_size=50) | st.dictionaries(st.sampled_from(FIELDS), VALUES))
def test_any_message_is_read_or_refused(kind: str, message: Any) -> None:
    payload = message if isinstance(message, bytes) else json.dumps(message).encode()
    try:
        parsed = PARSERS[kind].parse(payload)
    except MessageError:
        return
    check(kind, json.loads(parsed.encoded()))


@pytest.mark.parametrize(
    "payload",
    [b"[" * 60_000, b'{"a":' * 30 + b"1" + b"}" * 30, b'{"a": NaN}', b'{"a": 1e999}', b'{"a": "\\ud800"}',
     b" " * 70_000, b'{"a": ' + b"9" * 5000 + b"}", b"\xff", b"", b'"text"', b"{}{}"],
    ids=lambda payload: repr(payload[:12]),
)  # fmt: skip
def test_what_could_harm_a_receiver_is_refused(payload: bytes) -> None:
    with pytest.raises(MessageError):
        decoded(payload)


def test_topics_are_of_a_table_and_a_kind_only() -> None:
    assert parse_topic(topic("table-3", TopicLevel.STATE)) == ("table-3", TopicLevel.STATE)
    for name in ("reboard/T/state", "reboard/a/b", "x/a/state", "reboard/a", "reboard/a/state/x", "reboard//state", ""):
        assert parse_topic(name) is None
