from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reboard.parts.keypad import LEGEND
from reboard.setup.keypad import TO_LEARN, rows_and_columns
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import comes_to, has_nothing_after, press_key
from tests.reboard.setup.person import Person, set_up_with

OTHER_WIRING = "[bank]\nkeypad = { rows = [4, 7, 8, 9], columns = [10, 11, 18, 19] }\n"


async def comes_to_the_keypad(person: Person) -> None:
    await comes_to(person, "bank")
    await person.answers("banker unit", "y")
    for part in ("left slot", "right slot", "display"):
        await person.answers(f"Is there a {part}", "n")
    await person.answers("Is there a keypad?", "y")


def test_a_keypad_with_any_wiring_is_learnt_by_seven_keys(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_the_keypad(person)
        person.pi.button.close()  # what is low all the time joins nothing
        await person.answers("Is it wired so?", "n")
        for key in TO_LEARN:
            await person.sees(f"Press {key}.")
            await press_key(person, key)
            await person.sees(f"{key} joins pins")
        await person.sees("Press every key once")
        for row in LEGEND:
            for key in row:
                await press_key(person, key)
        await person.sees("Every key works.")
        await has_nothing_after(person, "bank")

    config = set_up_with(pi, f"{OTHER_WIRING}[block]\nbutton = 17\n", acts).config
    assert config.bank is not None
    assert config.bank.keypad is not None
    assert (config.bank.keypad.rows, config.bank.keypad.columns) == ((4, 7, 8, 9), (10, 11, 18, 19))


def test_each_key_is_shown_with_its_row_and_column(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_the_keypad(person)
        await person.answers("Is it wired so?", "y")
        await person.sees("Press every key once")
        await press_key(person, "M")
        await person.sees("M row 2 (pin 24), column 4 (pin 26)")
        person.types("")
        await person.sees("Not pressed, or not heard: 1 2 3 K 4 5 6 7 8 9 C . 0 GO DEAL.")
        await person.answers("Take the keypad so? n finds out by seven keys. y or n? [y]", "y")
        await has_nothing_after(person, "bank")

    drawn = "[bank]\nkeypad = { rows = [23, 24, 25, 12], columns = [5, 6, 16, 26] }\n"
    config = set_up_with(pi, drawn, acts).config
    assert config.bank is not None
    assert config.bank.keypad is not None


def test_a_keypad_of_which_nothing_is_heard_is_learnt(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_the_keypad(person)
        await person.answers("Is it wired so?", "y")
        await person.answers("Enter ends it.")
        await person.answers("Take the keypad so? n finds out by seven keys. y or n? [n]")
        await person.sees("Press 1.")
        person.types("q")

    set_up_with(pi, OTHER_WIRING, acts)


def test_keys_that_make_no_keypad_are_asked_for_again(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_the_keypad(person)
        await person.answers("Is it wired so?", "n")
        for key in TO_LEARN:
            await person.sees(f"Press {key}.")
            await press_key(person, "5")
        await person.sees("That makes no keypad: some of these keys were others.")
        await person.sees("Press 1.")
        person.types("q")

    set_up_with(pi, OTHER_WIRING, acts)


@given(st.permutations(range(2, 28)))
def test_seven_keys_tell_every_wire(pins: list[int]) -> None:
    rows, columns = pins[:4], pins[4:8]
    place = {key: (row, column) for row, keys in enumerate(LEGEND) for column, key in enumerate(keys)}
    pairs = {key: frozenset({rows[place[key][0]], columns[place[key][1]]}) for key in TO_LEARN}
    assert rows_and_columns(pairs) == (rows, columns)


PINS = st.integers(2, 9)


@given(st.lists(st.frozensets(PINS, min_size=2, max_size=2), min_size=7, max_size=7))
def test_any_pairs_make_a_keypad_of_eight_wires_or_none(found: list[frozenset[int]]) -> None:
    wires = rows_and_columns(dict(zip(TO_LEARN, found, strict=True)))
    if wires is not None:
        rows, columns = wires
        assert len({*rows, *columns}) == 8
        assert found[0] == {rows[0], columns[0]}
