from __future__ import annotations

import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.config.reading import KeyPath, key_lines, line_of

TABLE = '''\
# a comment with a = 1
edition = "world"

[bank] # the unit
left = { reader = "rdm6300", port = "/dev/a" }
"right" = { reader = "rdm6300", port = "/dev/b" }
cards = [
  "62E3086CED", # = 5
  "bank.names = 1"
]
[ bank.keypad ]
rows = [
  [17],
  [18, 19]
]
note = """
[apple]
lever = 3
edition = 4
"""
columns.first = 5\r
[apple]\r
lever=17\r
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("edition",), 2),
        (("bank",), 4),
        (("bank", "left"), 5),
        (("bank", "left", "port"), 5),
        (("bank", "right", "port"), 6),
        (("bank", "cards", 1), 7),
        (("bank", "missing"), 4),
        (("bank", "keypad"), 11),
        (("bank", "keypad", "rows", 1, 0), 12),
        (("bank", "keypad", "note"), 16),
        (("bank", "keypad", "columns", "first"), 21),
        (("apple", "lever"), 23),
        (("speaker", "volume"), 1),
    ],
)
def test_a_setting_has_the_line_of_its_key(path: KeyPath, line: int) -> None:
    text = TABLE.replace("[apple]\nlever = 3\n", "[nothing]\nlever = 3\n")
    assert line_of(key_lines(text, tomllib.loads(text)), path) == line


@given(st.text(alphabet="ab.[]{}=,\"'\\#\n\r 1"))
def test_any_text_has_lines(text: str) -> None:
    assert line_of(key_lines(text, {"a": {"b": 1}}), ("a", "b")) >= 1


@pytest.mark.parametrize(
    "text", ["a." * 32_000, " " * 65_000, "[" * 65_000, "a = 1\n" * 10_000, ("[" + "a" * 1900 + "\n") * 34]
)
def test_the_largest_file_takes_little_time(text: str) -> None:
    began = time.thread_time()
    key_lines(text, {})
    assert time.thread_time() - began < 1
