from __future__ import annotations

import asyncio
import errno
import os
import random
import re
from collections.abc import Awaitable, Callable
from typing import Any, Literal, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.board import Board, InputLine
from reboard.parts.slots.input_device import EVENT
from reboard.parts.slots.keyboard import DIGITS, PAUSE_US, Keyboard, TypedTags
from reboard.parts.slots.tap import DONE_S
from reboard_sim.deck import DECK
from reboard_sim.input_device import VirtualInputDevice
from reboard_sim.readers.keyboard import VirtualKeyboard
from reboard_sim.virtual_time import run

KEY_US = 8000
ENTER, KEYPAD_ENTER, LEFT_SHIFT, RIGHT_SHIFT, Z, COMMA = 28, 96, 42, 54, 44, 51
TOP_ROW_CODES = (11, 2, 3, 4, 5, 6, 7, 8, 9, 10)
KEYPAD_CODES = (82, 79, 80, 81, 75, 76, 77, 71, 72, 73)
LETTER_CODES = (30, 48, 46, 32, 18, 33)
LOST = "lost"

Keys = list[int | str]


def codes(digits: str, row: tuple[int, ...] = TOP_ROW_CODES) -> Keys:
    return [(*row, *LETTER_CODES)[int(digit, 16)] for digit in digits]


def event(at_us: int, kind: int, code: int, value: int) -> bytes:
    return EVENT.pack(*divmod(at_us, 1_000_000), kind, code, value)


def typed(keys: Keys, *, from_us: int = 5_000_000, every_us: int = KEY_US) -> bytes:
    """What the kernel tells of keys that are pressed and let go, or that some of it is `LOST`."""
    events = b""
    for place, key in enumerate(keys):
        at_us = from_us + place * every_us
        if isinstance(key, str):
            events += event(at_us, 0, 3, 0) + event(at_us, 0, 0, 0)
            continue
        for value in (1, 0):
            events += event(at_us, 4, 4, 0x70000 + key) + event(at_us, 1, key, value) + event(at_us, 0, 0, 0)
    return events


# --- the lines ---


def test_ten_digits_and_enter_are_a_tag() -> None:
    assert TypedTags().feed(typed([*codes("0012345678"), ENTER])) == ["0012345678"]


def test_the_keypads_digits_and_enter_are_as_good() -> None:
    assert TypedTags().feed(typed([*codes("0123456789", KEYPAD_CODES), KEYPAD_ENTER])) == ["0123456789"]


@pytest.mark.parametrize("shift", [None, LEFT_SHIFT, RIGHT_SHIFT])
def test_letters_are_capital_with_shift_and_without(shift: int | None) -> None:
    keys: Keys = [key for code in codes("62E3086CEDAB") for key in (*([shift] if shift else []), code)]
    assert TypedTags().feed(typed([*keys, ENTER])) == ["62E3086CEDAB"]


@pytest.mark.parametrize(
    ("length", "is_tag"), [(0, False), (3, False), (4, True), (20, True), (21, False), (500, False)]
)
def test_a_tag_has_four_to_twenty_digits(length: int, is_tag: bool) -> None:
    reader = TypedTags()
    assert reader.feed(typed([*codes("7" * length), ENTER])) == (["7" * length] if is_tag else [])
    assert reader.lines_dropped == (0 if is_tag or not length else 1)
    assert reader.feed(typed([*codes("1234"), ENTER], from_us=20_000_000)) == ["1234"]


@pytest.mark.parametrize("key", [Z, COMMA, 1, 14, 15, 57, 29, 56, 58, 69, 0, 0x110, 0x2FF, 0xFFFF, LOST])
@pytest.mark.parametrize("place", [0, 4, 10])
def test_any_other_key_and_whatever_the_kernel_lost_spoils_the_line_and_only_that(key: int | str, place: int) -> None:
    reader = TypedTags()
    digits = codes("0012345678")
    events = typed([*digits[:place], key, *digits[place:], ENTER, *codes("0087654321"), ENTER])
    assert reader.feed(events) == ["0087654321"]
    assert reader.lines_dropped == 1


def test_a_pause_forgets_what_was_typed_before_it() -> None:
    reader = TypedTags()
    half, whole = typed(codes("12345")), typed([*codes("0012345678"), ENTER], from_us=5_000_000 + 4 * KEY_US + PAUSE_US)
    assert reader.feed(half) + reader.feed(whole) == ["0012345678"]
    assert reader.lines_dropped == 1


def test_half_a_second_between_two_keys_is_a_pause_and_a_microsecond_less_is_none() -> None:
    assert TypedTags().feed(typed([*codes("1234"), ENTER], every_us=PAUSE_US)) == []
    assert TypedTags().feed(typed([*codes("1234"), ENTER], every_us=PAUSE_US - 1)) == ["1234"]


def test_a_line_whose_enter_was_lost_spoils_nothing_after_a_pause() -> None:
    events = typed([*codes("12"), LOST]) + typed([*codes("0012345678"), ENTER], from_us=9_000_000)
    assert TypedTags().feed(events) == ["0012345678"]


def test_a_clock_that_goes_back_is_a_pause() -> None:
    events = typed(codes("12345"), from_us=9_000_000) + typed([*codes("0012345678"), ENTER], from_us=1_000_000)
    assert TypedTags().feed(events) == ["0012345678"]


def test_a_key_that_is_held_is_one_digit() -> None:
    held = event(5_000_000, 1, TOP_ROW_CODES[7], 2) * 5
    reader = TypedTags()
    events = typed(codes("12"), from_us=4_990_000) + held + typed([*codes("34"), ENTER], from_us=5_000_001)
    assert reader.feed(events) == ["1234"]


def test_other_kinds_of_events_are_no_keys() -> None:
    others = b"".join(event(5_000_000, kind, code, 1) for kind in (0, 2, 3, 4, 5, 17, 20, 21) for code in (1, 2, 28))
    events = typed(codes("12"), from_us=4_990_000) + others + typed([*codes("34"), ENTER], from_us=5_000_001)
    assert TypedTags().feed(events) == ["1234"]


def test_what_is_no_whole_event_is_left_out_and_counted() -> None:
    reader = TypedTags()
    events = typed([*codes("1234"), ENTER])
    assert reader.feed(events + b"\1\2\3") == ["1234"]
    assert reader.stray_bytes == 3
    assert reader.feed(events) == ["1234"]


EVENTS = st.tuples(
    st.integers(0, 3_000_000),
    st.sampled_from([0, 1, 1, 1, 1, 4]),
    st.sampled_from([*DIGITS, ENTER, ENTER, ENTER, KEYPAD_ENTER, LEFT_SHIFT, Z, 3]),
    st.sampled_from([0, 1, 1, 1, 2]),
)


def tags_by_hand(events: list[tuple[int, int, int, int]]) -> list[str]:
    """Another way to say what the tags are, for comparison: what is pressed, as text, then a pattern."""
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
    return re.findall(r"(?<=[|\n])[0-9A-F]{4,20}(?=\n)", text)


@given(st.lists(EVENTS, max_size=60), st.booleans(), st.randoms(use_true_random=False))
def test_exactly_the_lines_that_are_there_are_found(
    events: list[tuple[int, int, int, int]], in_order: bool, rng: random.Random
) -> None:
    if in_order:
        times = sorted(rng.randrange(2_000_000) for _ in events)
        events = [(at_us, *rest) for at_us, (_, *rest) in zip(times, events, strict=True)]  # type: ignore[misc]
    reader = TypedTags()
    found = []
    rest_of = list(events)
    while rest_of:
        cut = rng.randint(1, len(rest_of))
        found += reader.feed(b"".join(event(*one) for one in rest_of[:cut]))
        rest_of = rest_of[cut:]
    assert found == tags_by_hand(events)
    assert reader.tags == len(found)


@given(st.lists(st.binary(max_size=300), max_size=10))
def test_no_bytes_at_all_can_raise_or_make_a_wrong_tag(pieces: list[bytes]) -> None:
    reader = TypedTags()
    for piece in pieces:
        assert all(re.fullmatch("[0-9A-F]{4,20}", tag) for tag in reader.feed(piece))


# --- the slot ---


class Bench:
    """A board with two readers that type and two slots, and what was told."""

    def __init__(self) -> None:
        self.devices = {"left": VirtualInputDevice(), "right": VirtualInputDevice()}
        self.readers = {
            name: VirtualKeyboard(device, rng=random.Random(f"seed 1 {name}")) for name, device in self.devices.items()
        }
        self.told: list[tuple[float, str, str]] = []
        self.slots: dict[str, Keyboard] = {}
        self._loop = asyncio.get_running_loop()

    def open_keyboard(self, device: str) -> InputLine:
        return self.devices[device.removeprefix("/dev/input/")].open()

    def start(self) -> None:
        names: tuple[Literal["left"], Literal["right"]] = ("left", "right")
        for name in names:
            self.slots[name] = Keyboard(f"/dev/input/{name}", board=cast(Board, self), emit=self.emit, name=name)
            self.slots[name].start(self._teller(f"{name} in"), self._teller(f"{name} out"))

    def _teller(self, what: str) -> Callable[[str], None]:
        return lambda tag: self.tell(what, tag)

    def emit(self, name: str, /, **fields: object) -> None:
        self.tell(f"{name} {fields['part']}", str(fields.get("cause", "")))

    def tell(self, what: str, detail: str) -> None:
        self.told.append((round(self._loop.time(), 3), what, detail))

    @property
    def words(self) -> list[str]:
        return [what for _, what, _ in self.told]

    def close(self) -> None:
        for slot in self.slots.values():
            slot.close()
        for reader in self.readers.values():
            reader.close()


def at_the_bench(story: Callable[[Bench], Awaitable[None]], *, start: bool = True) -> Bench:
    async def main() -> Bench:
        failures: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
        bench = Bench()
        if start:
            bench.start()
            await asyncio.sleep(1)
        try:
            await story(bench)
        finally:
            bench.close()
        assert failures == []
        return bench

    return cast(Bench, run(main))


def test_the_first_tap_puts_a_card_in_and_the_next_one_takes_it_out() -> None:
    async def story(bench: Bench) -> None:
        for _ in range(2):
            bench.readers["left"].put(DECK[0])
            await asyncio.sleep(1)
            bench.readers["left"].take()
            await asyncio.sleep(9)

    bench = at_the_bench(story)
    assert [(what, tag) for _, what, tag in bench.told] == [("left in", "0012852999"), ("left out", "0012852999")]
    assert bench.told[0][0] < 1.2, "as soon as it is typed"


def test_a_card_goes_when_what_it_was_put_in_for_is_done() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(100)
        bench.slots["left"].done()
        await asyncio.sleep(100)

    bench = at_the_bench(story)
    assert bench.words == ["left in", "left out"]
    assert bench.told[1][0] == 101 + DONE_S


def test_a_reader_pulled_out_takes_its_card_along_and_comes_back_within_two_seconds() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        bench.readers["right"].put(DECK[1])
        await asyncio.sleep(10)
        bench.readers["left"].unplug()
        await asyncio.sleep(60.1)
        bench.readers["left"].plug()
        await asyncio.sleep(1)
        bench.readers["left"].put(DECK[2])
        await asyncio.sleep(1)
        assert bench.slots["right"].tag == VirtualKeyboard.says(DECK[1])

    bench = at_the_bench(story)
    expected = ["left in", "right in", "fault left slot", "left out", "recovered left slot", "left in"]
    assert sorted(bench.words[:2]) + bench.words[2:] == expected
    (fault_at, _, cause), (out_at, *_), (back_at, *_) = bench.told[2:5]
    assert (fault_at, out_at) == (11, 11)
    assert cause == "the reader on /dev/input/left went away: look at its plug and its wires"
    assert 71.1 <= back_at <= 71.7


def test_half_a_line_typed_before_the_plug_was_pulled_joins_nothing_that_comes_after() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(0.1)
        bench.readers["left"].unplug()
        bench.readers["left"].plug()
        await asyncio.sleep(0.61)
        bench.readers["left"].put(DECK[1])
        await asyncio.sleep(1)

    bench = at_the_bench(story)
    assert [tag for _, what, tag in bench.told if what == "left in"] == [VirtualKeyboard.says(DECK[1])]


@pytest.mark.parametrize(("typed_s", "is_read"), [(0.0, True), (0.05, False), (0.15, False), (0.3, True)])
def test_a_reader_that_is_opened_in_the_middle_of_a_line_says_no_half_of_a_tag(typed_s: float, is_read: bool) -> None:
    async def story(bench: Bench) -> None:
        other = bench.devices["left"].open()
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(typed_s)
        other.close()
        bench.start()
        await asyncio.sleep(0.3)
        bench.readers["left"].put(DECK[1])
        await asyncio.sleep(1)

    told = [tag for _, what, tag in at_the_bench(story, start=False).told if what == "left in"]
    assert told == [VirtualKeyboard.says(DECK[1])]


def test_a_loop_that_is_late_reads_a_tag_all_the_same() -> None:
    """The kernel says when each key was pressed; when it was heard of means nothing."""
    reader = TypedTags()
    events = typed([*codes("0012345678"), ENTER])
    middle = len(events) // 2 // EVENT.size * EVENT.size
    assert reader.feed(events[:middle]) + reader.feed(events[middle:]) == ["0012345678"]


def test_typed_garbage_is_no_card_and_hides_none() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].noise(True)
        await asyncio.sleep(600)
        assert bench.told == []
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(600)

    bench = at_the_bench(story)
    assert bench.words == ["left in"]
    assert int(re.findall(r"(\d+) lines that were none", bench.slots["left"].health)[0]) > 1000


def test_a_flickering_card_is_one_tap() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].flicker(True)
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(120)
        assert int(bench.slots["left"].health.split()[0]) > 100

    assert at_the_bench(story).words == ["left in"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(errno.ENOENT, "no such file"), "is not there: plug the reader in"),
        (PermissionError(errno.EACCES, "denied"), "add the user that runs reboard to the group input"),
        (OSError(errno.EBUSY, "busy"), "is taken by another program"),
        (OSError(errno.ENOTTY, "inappropriate"), "is no input device"),
        (OSError(errno.EIO, "Input/output error"), "cannot be opened: [Errno 5] Input/output error"),
    ],
)
def test_a_device_that_cannot_be_opened_is_one_fault_that_says_what_to_do(error: OSError, words: str) -> None:
    class Refusing:
        def open_keyboard(self, device: str) -> InputLine:
            raise error

    async def main() -> None:
        causes: list[object] = []

        def emit(name: str, /, **fields: object) -> None:
            causes.append(fields["cause"])

        slot = Keyboard("/dev/input/x", board=cast(Board, Refusing()), emit=emit, name="right")
        slot.start(lambda tag: None, lambda tag: None)
        await asyncio.sleep(10)
        slot.close()
        [cause] = causes
        assert str(cause).startswith("the line /dev/input/x ")
        assert words in str(cause)

    run(main)


def test_a_device_that_another_program_gives_back_is_taken() -> None:
    async def story(bench: Bench) -> None:
        other = bench.devices["left"].open()
        bench.start()
        await asyncio.sleep(5)
        other.close()
        await asyncio.sleep(1)
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(1)

    assert at_the_bench(story, start=False).words == ["fault left slot", "recovered left slot", "left in"]


def test_a_closed_slot_says_nothing_more_and_gives_its_device_back() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(0.1)
        bench.slots["left"].close()
        bench.slots["left"].close()
        bench.devices["left"].open().close()
        await asyncio.sleep(5)

    assert at_the_bench(story).told == []


def test_a_slot_says_what_and_where_it_is() -> None:
    async def story(bench: Bench) -> None:
        slot: Any = Keyboard("/dev/input/left", board=cast(Board, bench), name="left")
        assert slot.description == "a reader that types on /dev/input/left"
        slot.start(lambda tag: None, lambda tag: None)
        await asyncio.sleep(1)
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(1)
        assert slot.description == "Virtual USB reader on /dev/input/left"
        assert repr(slot) == "<Keyboard /dev/input/left tag=0012852999, 1 tags, 0 lines that were none>"
        slot.close()

    at_the_bench(story, start=False)


ACTS = st.sampled_from(["put 0", "put 1", "take", "unplug", "plug", "noise", "quiet", "flicker", "still", "done"])


@settings(max_examples=60)
@given(st.lists(st.tuples(ACTS, st.sampled_from([0.0, 0.05, 0.3, 0.6, 1.2, 6.0])), max_size=25))
def test_whatever_happens_to_a_reader_insertions_and_removals_take_turns(acts: list[tuple[str, float]]) -> None:
    async def story(bench: Bench) -> None:
        reader = bench.readers["left"]
        does: dict[str, Callable[[], None]] = {
            "put 0": lambda: reader.put(DECK[0]),
            "put 1": lambda: reader.put(DECK[1]),
            "take": reader.take,
            "unplug": reader.unplug,
            "plug": reader.plug,
            "noise": lambda: reader.noise(True),
            "quiet": lambda: reader.noise(False),
            "flicker": lambda: reader.flicker(True),
            "still": lambda: reader.flicker(False),
            "done": bench.slots["left"].done,
        }
        for act, then_s in acts:
            does[act]()
            await asyncio.sleep(then_s)

    told = at_the_bench(story).told
    cards = [(what, tag) for _, what, tag in told if what in ("left in", "left out")]
    assert [what for what, _ in cards] == (["left in", "left out"] * len(cards))[: len(cards)]
    assert all(came == went for (_, came), (_, went) in zip(cards[::2], cards[1::2], strict=False))
    assert {tag for _, tag in cards} <= {VirtualKeyboard.says(DECK[0]), VirtualKeyboard.says(DECK[1])}
    plugs = [what.split()[0] for _, what, _ in told if what.endswith("slot")]
    assert plugs == (["fault", "recovered"] * len(plugs))[: len(plugs)]


def test_the_kernel_hands_out_whole_events_only() -> None:
    async def story(bench: Bench) -> None:
        line = bench.devices["left"].open()
        bench.devices["left"].tell((1, 2, 1), (0, 0, 0))
        assert line.read(EVENT.size - 1 + EVENT.size) == EVENT.pack(0, 0, 1, 2, 1)
        assert line.read(100) == EVENT.pack(0, 0, 0, 0, 0)
        assert line.read(100) == b""
        bench.devices["left"].unplug()
        with pytest.raises(OSError, match=re.escape(os.strerror(errno.ENODEV))):
            line.read(100)
        line.close()

    at_the_bench(story, start=False)
