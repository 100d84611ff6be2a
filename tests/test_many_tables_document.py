"""The settings of other programs in docs/many-tables.md fit the real messages. test_venues.py tries mosquitto's."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from reboard.mqtt.topics import Kind, TransferMessage, topic

DOCUMENT = Path(__file__).parents[1] / "docs" / "many-tables.md"


def test_telegraf_reads_what_a_transfer_has() -> None:
    text = re.search(r"```toml\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert text
    [consumer] = tomllib.loads(text[1])["inputs"]["mqtt_consumer"]
    [parser] = consumer["json_v2"]
    row = TransferMessage("0123456789abcdef", 2, 1, 1, "world", 0, 1, 15, "start", 1.5, None)
    message = json.loads(row.encoded())
    for field in [*parser["tag"], *parser["field"]]:
        assert field["path"] in message
        assert field.get("type") in (None, {int: "int", str: "string"}[type(message[field["path"]])])
    assert isinstance(message[parser["timestamp_path"]], float)
    # of the same instant there can be several rows: the starting balances
    assert {"from", "to"} <= {tag["path"] for tag in parser["tag"]}
    [levels] = consumer["topic_parsing"]
    assert consumer["topics"] == [levels["topic"]] == [topic("+", Kind.TRANSFER)]
    assert levels["measurement"].count("/") == levels["tags"].count("/") == levels["topic"].count("/")
