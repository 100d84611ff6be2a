from __future__ import annotations

import asyncio
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.devices.readers.input_device import EVENT
from reboard.devices.readers.kinds.keyboard import DIGITS, PAUSE_US, TypedTags
from reboard_sim.devices.readers.keyboard import stroke
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.reboard.devices.readers.reader_bench import reader_bench
from tests.virtual import now

KEY_US = 8000
ENTER, KEYPAD_ENTER, LEFT_SHIFT, RIGHT_SHIFT, Z, COMMA = 28, 96, 42, 54, 44, 51
TAB, CAPS_LOCK, NUM_LOCK = 15, 58, 69
TOP_ROW_CODES = (11, 2, 3, 4, 5, 6, 7, 8, 9, 10)
KEYPAD_CODES = (82, 79, 80, 81, 75, 76, 77, 71, 72, 73)
LETTER_CODES = (30, 48, 46, 32, 18, 33)
LOST = "lost"
"""The kernel dropped events."""

Keys = list[int | str]


def codes(digits: str, row: tuple[int, ...] = TOP_ROW_CODES) -> Keys:
    return [(*row, *LETTER_CODES)[int(digit, 16)] for digit in digits]


def event(at_us: int, kind: int, code: int, value: int) -> bytes:
    return EVENT.pack(*divmod(at_us, 1_000_000), kind, code, value)


def typed(*keys: int | str, from_us: int = 5_000_000, every_us: int = KEY_US) -> bytes:
    """Return the kernel's events for keys that are pressed and released."""
    events = b""
    for place, key in enumerate(keys):
        at_us = from_us + place * every_us
        if isinstance(key, str):
            events += event(at_us, 0, 3, 0) + event(at_us, 0, 0, 0)
            continue
        for value in (1, 0):
            events += event(at_us, 4, 4, 0x70000 + key) + event(at_us, 1, key, value) + event(at_us, 0, 0, 0)
    return events


LATER = typed(*codes("0087654321"), ENTER, from_us=9_000_000)


@pytest.mark.parametrize(
    ("keys", "tag"),
    [
        ([*codes("0012345678"), ENTER], "0012345678"),
        ([*codes("0123456789", KEYPAD_CODES), KEYPAD_ENTER], "0123456789"),
        ([*codes("62E3086CEDAB"), ENTER], "62E3086CEDAB"),
        ([key for code in codes("62E3") for key in (LEFT_SHIFT, code)] + [RIGHT_SHIFT, ENTER], "62E3"),
        ([*codes("0012345678"), TAB], "0012345678"),
        ([NUM_LOCK, CAPS_LOCK, *codes("0012345678", KEYPAD_CODES), NUM_LOCK, ENTER], "0012345678"),
        *(([*codes("7" * length), ENTER], "7" * length) for length in (4, 20)),
        *(([*codes("7" * length), ENTER], None) for length in (3, 21, 500)),
    ],
)
def test_four_to_twenty_hex_digits_and_enter_are_a_tag(keys: Keys, tag: str | None) -> None:
    tags = TypedTags()
    assert tags.feed(typed(*keys)) == ([tag] if tag else [])
    assert tags.dropped == (tag is None)
    assert tags.feed(LATER) == ["0087654321"]


@pytest.mark.parametrize(
    ("events", "found"),
    [
        (typed(*codes("1234"), ENTER, every_us=PAUSE_US), []),
        (typed(*codes("1234"), ENTER, every_us=PAUSE_US - 1), ["1234"]),
        (typed(*codes("12345")) + LATER, ["0087654321"]),
        (typed(*codes("12345678")) + LATER, ["12345678", "0087654321"]),
        (
            typed(*codes("1234"), ENTER) + typed(*codes("5678"), from_us=7_000_000) + LATER,
            ["1234", "5678", "0087654321"],
        ),
        (
            typed(*codes("0012345678"), ENTER) + typed(*codes("001234567"), from_us=7_000_000) + LATER,
            ["0012345678", "0087654321"],
        ),
        (typed(*codes("0012"), COMMA, *codes("345678")) + LATER, ["0087654321"]),
        (typed(*codes("12"), LOST) + LATER, ["0087654321"]),
        (typed(*codes("12345"), from_us=20_000_000) + LATER, ["0087654321"]),
    ],
    ids=[
        "half a second",
        "less",
        "short without Enter",
        "whole without Enter",
        "as long as the one before",
        "shorter",
        "a comma",
        "Enter lost",
        "the clock goes back",
    ],
)
def test_a_pause_ends_a_line(events: bytes, found: list[str]) -> None:
    assert TypedTags().feed(events) == found


EVENTS = st.tuples(
    st.integers(0, 3_000_000),
    st.sampled_from([0, 1, 1, 1, 1, 4]),
    st.sampled_from(
        [*DIGITS, ENTER, ENTER, ENTER, KEYPAD_ENTER, LEFT_SHIFT, RIGHT_SHIFT, Z, COMMA, 1, 0x110, 0xFFFF, 3]
    ),
    st.sampled_from([0, 1, 1, 1, 2]),
)


def tags_by_pattern(events: list[tuple[int, int, int, int]]) -> list[str]:
    """Find the tags in another way than the product: write down the keys as text, and search that."""
    text, last_us = "|", 0
    for at_us, kind, code, value in events:
        lost, press = (kind, code) == (0, 3), kind == 1 and value == 1
        if not (lost or press):
            continue
        if not 0 <= at_us - last_us < PAUSE_US:
            text += "|"
        last_us = at_us
        if lost:
            text += "x"
        elif code in (ENTER, KEYPAD_ENTER):
            text += "\n"
        elif code not in (LEFT_SHIFT, RIGHT_SHIFT):
            text += DIGITS.get(code, "x")
    found = [""]
    for line, end in re.findall(r"([^|\n]*)([|\n])", text):
        is_whole = end == "\n" or len(line) == (len(found[-1]) or max(len(line), 8))
        if is_whole and re.fullmatch("[0-9A-F]{4,20}", line):
            found.append(line)
    return found[1:]


@given(st.lists(EVENTS, max_size=60), st.booleans(), st.randoms(use_true_random=False))
def test_exactly_the_valid_lines_are_found(
    events: list[tuple[int, int, int, int]], in_order: bool, rng: random.Random
) -> None:
    if in_order:
        times = sorted(rng.randrange(2_000_000) for _ in events)
        events = [(at_us, *rest) for at_us, (_, *rest) in zip(times, events, strict=True)]  # type: ignore[misc]
    tags = TypedTags()
    found = []
    rest_of = list(events)
    while rest_of:
        cut = rng.randint(1, len(rest_of))
        found += tags.feed(b"".join(event(*one) for one in rest_of[:cut]))
        rest_of = rest_of[cut:]
    assert found == tags_by_pattern(events)


async def test_half_a_line_before_an_unplug_joins_nothing_after_it() -> None:
    async with reader_bench("keyboard") as bench:
        await asyncio.sleep(1)
        bench.left.put(DECK[0])
        await asyncio.sleep(0.1)
        bench.left.unplug()
        bench.left.plug()
        await asyncio.sleep(0.61)
        bench.left.put(DECK[1])
        await asyncio.sleep(1)
        assert [tag for _, name, tag in bench.calls if name == "left in"] == [bench.left.says(DECK[1])]


@pytest.mark.parametrize("typed_s", [0.0, 0.05, 0.15, 0.3])
async def test_a_reader_that_is_opened_in_the_middle_of_a_line_reports_no_part_of_a_tag(typed_s: float) -> None:
    async with reader_bench("keyboard", start=False) as bench:
        other = bench.ports["left"].open()
        bench.left.put(DECK[0])
        await asyncio.sleep(typed_s)
        other.close()
        bench.start()
        await asyncio.sleep(0.3)
        bench.left.put(DECK[1])
        await asyncio.sleep(1)
        assert [tag for _, name, tag in bench.calls if name == "left in"] == [bench.left.says(DECK[1])]


async def test_a_reader_that_types_no_enter_is_read_half_a_second_after_its_last_digit() -> None:
    async with reader_bench("keyboard") as bench:
        await asyncio.sleep(1)
        began = now()
        for code in codes("0012345678"):
            bench.ports["left"].report(*stroke(int(code)))
            await asyncio.sleep(0.016)
        await asyncio.sleep(1)
        [(at, name, tag)] = bench.calls
        assert (name, tag) == ("left in", "0012345678")
        assert at - began == pytest.approx(0.5 + 9 * 0.016, abs=0.02)
