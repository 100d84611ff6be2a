from __future__ import annotations

import tomllib
from typing import Any

import pytest

from reboard.setup.config_text import config_text, toml_value
from tests.reboard.test_shipped_table import SHIPPED

DOCUMENTS = {
    "the shipped table": tomllib.loads(SHIPPED.read_text(encoding="utf-8")),
    "only a button": {"block": {"button": 17}},
    "an empty section": {"bank": {}, "speaker": {}},
    "what has only examples": {
        "edition": "own/evening.toml",
        "block": {"button": 4, "odds": {"coins": [1, 0, 3], "laugh": 2}, "bag": True, "linked": False},
        "apple": {"lever": 22, "seconds": 7.5, "pattern": [[1.0, 1.2], [0.6, 0.8]]},
        "bank": {"names": ["Jörg", 'A"B'], "cards": ["62E3086CED"], "language": "de"},
        "page": {"listen": "[::]:8080", "pin": "scrypt$a$b"},
    },
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_what_is_written_is_what_was_said(document: dict[str, Any]) -> None:
    assert tomllib.loads(config_text(document)) == document


def test_what_is_not_said_stands_there_behind_a_sign() -> None:
    text = config_text({"block": {"button": 4}})
    assert "button = 4     # between the pin and ground" in text
    assert "# lamp = 27       # an LED" in text
    assert "\n# [apple]\n# lever = 22" in text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "true"),
        (13.0, "13.0"),
        ([1, 2], "[1, 2]"),
        ("\u201cä\u201d\t", '"\u201cä\u201d\\t"'),
        ({"driver": "hd44780-i2c", "address": 63}, '{ driver = "hd44780-i2c", address = 0x3F }'),
    ],
)
def test_values_are_written_as_toml_has_them(value: object, written: str) -> None:
    assert toml_value(value) == written
