from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reboard.config import BumpsConfig, Id12Config, KeyboardConfig, Pn532Config, Rdm6300Config
from reboard_sim.deck import DECK
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import comes_to, has_nothing_after
from tests.reboard.setup.person import Acts, Person, set_up_with

RULES = "/etc/udev/rules.d/70-reboard-readers.rules"
LEFT = "Hold a card to the left slot now."


def wired(left: str, right: str = "") -> str:
    right = f"right = {{ {right} }}" if right else ""
    return f"[bank]\nleft = {{ {left} }}\n{right}\n"


def on_usb(reader: str) -> str:
    return f'reader = "{reader}", port = "/dev/ttyUSB0"'


async def comes_to_left(person: Person) -> None:
    await comes_to(person, "bank")
    await person.answers("banker unit", "y")
    await person.answers("Is there a left slot", "y")


async def has_only_that(person: Person) -> None:
    for part in ("display", "keypad"):
        await person.answers(f"Is there a {part}", "n")
    await has_nothing_after(person, "bank")


def finds_left(*, typing: bool = False) -> Acts:
    async def acts(person: Person) -> None:
        await comes_to_left(person)
        await person.answers("What is in it?")
        if typing:
            await person.answers("Is it a USB reader that types", "y")
        await person.sees(LEFT)
        person.pi.reader("left").put(DECK[2])
        await person.sees("was read by a reader of the kind")
        await person.answers("Is there a right slot", "n")
        await has_only_that(person)

    return acts


@pytest.mark.parametrize(
    ("reader", "config"),
    [("rdm6300", Rdm6300Config), ("id12", Id12Config), ("pn532", Pn532Config)],
)
def test_each_kind_on_a_serial_line_is_known_by_what_it_says(pi: MadeUpMachine, reader: str, config: type[Any]) -> None:
    outcome = set_up_with(pi, wired(on_usb(reader)), finds_left())
    assert outcome.config.bank is not None
    assert outcome.config.bank.left == config(reader, "/dev/reboard-left")


def test_a_reader_that_types_is_found_when_somebody_says_that_it_types(pi: MadeUpMachine) -> None:
    device = "/dev/input/by-path/platform-usb-0:1.3:1.0-event-kbd"
    pi.write(device)
    pi.commands[f"udevadm info --query=property --name={device}"] = "ID_PATH=platform-usb-0:1.3:1.0\nID_BUS=usb"
    outcome = set_up_with(pi, wired(f'reader = "keyboard", device = "{device}"'), finds_left(typing=True))
    assert outcome.config.bank is not None
    assert outcome.config.bank.left == KeyboardConfig("keyboard", "/dev/reboard-left")
    assert pi.text(RULES).splitlines()[-1] == (
        'SUBSYSTEM=="input", KERNEL=="event*", ENV{ID_PATH}=="platform-usb-0:1.3:1.0", SYMLINK+="reboard-left"'
    )


def test_keyboards_are_given_back_after_half_a_minute(pi: MadeUpMachine) -> None:
    device = "/dev/input/by-path/platform-usb-0:1.3:1.0-event-kbd"
    pi.write(device)

    async def acts(person: Person) -> None:
        await comes_to_left(person)
        await person.answers("What is in it?")
        await person.answers("Is it a USB reader that types", "y")
        await person.sees(LEFT)
        await person.sees("No card was read.")
        await person.answers("Once more?", "q")

    set_up_with(pi, wired(f'reader = "keyboard", device = "{device}"'), acts)


def sets_up_two_readers(pi: MadeUpMachine, *, serials: tuple[str, str]) -> list[str]:
    """What is written about two USB readers with these serial numbers, remarks left out."""
    pi.ports = {"/dev/ttyUSB0": "CH340", "/dev/ttyUSB1": "CH340"}
    for number, socket, serial in ((1, "1.4", serials[0]), (0, "1.2", serials[1])):
        facts = f"ID_PATH=platform-xhci-usb-0:{socket}:1.0" + (f"\nID_SERIAL_SHORT={serial}" if serial else "")
        pi.commands[f"udevadm info --query=property --name=/dev/ttyUSB{number}"] = facts
    pi.link("/dev/reboard-right", "ttyUSB1")

    async def acts(person: Person) -> None:
        await comes_to_left(person)
        await person.answers("What is in it?")
        await person.sees(LEFT)
        person.pi.reader("left").put(DECK[0])
        await person.sees("on /dev/ttyUSB1.")
        await person.answers("Is there a right slot", "y")
        await person.answers("What is in it?")
        await person.sees("Hold a card to the right slot now.")
        person.pi.reader("right").put(DECK[0])
        await person.sees("on /dev/ttyUSB0.")
        await has_only_that(person)

    there = wired('reader = "rdm6300", port = "/dev/ttyUSB1"', 'reader = "rdm6300", port = "/dev/ttyUSB0"')
    set_up_with(pi, there, acts)
    assert pi.text(RULES).startswith("# Written by `reboard setup`")
    return [line for line in pi.text(RULES).splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("serial", ["", "0001"])
def test_two_readers_of_one_make_are_told_apart_by_their_sockets(pi: MadeUpMachine, serial: str) -> None:
    assert sets_up_two_readers(pi, serials=(serial, serial)) == [
        'SUBSYSTEM=="tty", ENV{ID_PATH}=="platform-xhci-usb-0:1.4:1.0", SYMLINK+="reboard-left"',
        'SUBSYSTEM=="tty", ENV{ID_PATH}=="platform-xhci-usb-0:1.2:1.0", SYMLINK+="reboard-right"',
    ]


def test_readers_with_serial_numbers_of_their_own_may_be_plugged_in_anywhere(pi: MadeUpMachine) -> None:
    assert sets_up_two_readers(pi, serials=("A50285BI", "B7")) == [
        'SUBSYSTEM=="tty", ENV{ID_SERIAL_SHORT}=="A50285BI", SYMLINK+="reboard-left"',
        'SUBSYSTEM=="tty", ENV{ID_SERIAL_SHORT}=="B7", SYMLINK+="reboard-right"',
    ]


def test_a_line_that_only_the_config_knows_of_is_listened_to_as_well(pi: MadeUpMachine) -> None:
    pi.ports = {}
    pi.write("/dev/ttyAMA4")
    wiring = wired('reader = "rdm6300", port = "/dev/ttyAMA4"')
    outcome = set_up_with(pi, wiring, finds_left(), before=wiring)
    assert outcome.config.bank is not None
    assert outcome.config.bank.left == Rdm6300Config("rdm6300", "/dev/ttyAMA4")


def test_a_line_of_the_config_that_is_not_there_is_not_listened_to(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_left(person)
        await person.answers("What is in it?")
        await person.sees("There is no serial line to listen to: plug the reader in")
        await person.answers("Once more?", "q")

    pi.ports = {}
    gone = wired('reader = "rdm6300", port = "/dev/ttyAMA4"')
    set_up_with(pi, gone, acts, before=gone)


def test_a_serial_number_that_a_rule_would_read_as_a_pattern_is_not_used(pi: MadeUpMachine) -> None:
    assert 'ENV{ID_PATH}=="platform-xhci-usb-0:1.4:1.0"' in sets_up_two_readers(pi, serials=("*", 'B"7'))[0]


def test_whatever_else_the_owner_wrote_beside_the_readers_names_stays(pi: MadeUpMachine) -> None:
    mine = '# left is by the window\nSUBSYSTEM=="tty", ENV{ID_SERIAL_SHORT}=="B7", SYMLINK+="bell"\n'
    before = f'{mine}SUBSYSTEM=="tty", KERNEL=="ttyAMA0", SYMLINK+="reboard-left"\n'
    pi.write(RULES, before)
    said = set_up_with(pi, wired(on_usb("rdm6300")), finds_left()).said
    assert pi.text(RULES).startswith(mine)
    assert pi.text(RULES).count("reboard-left") == 1
    assert "ttyAMA0" not in pi.text(RULES)
    assert pi.text(f"{RULES}.before-setup") == before.rstrip()
    assert "is kept as" in said


def test_only_devices_that_a_reader_can_be_are_looked_at_anew(pi: MadeUpMachine) -> None:
    set_up_with(pi, wired(on_usb("rdm6300")), finds_left())
    assert [command for command in pi.called if "trigger" in command] == [
        "udevadm trigger --settle --subsystem-match=tty --subsystem-match=input"
    ]


def test_a_reader_on_the_header_keeps_its_own_name_and_needs_no_rule(pi: MadeUpMachine) -> None:
    pi.commands["udevadm info --query=property --name=/dev/ttyAMA0"] = "ID_PATH=platform-fe201000.serial"
    outcome = set_up_with(pi, wired('reader = "rdm6300", port = "/dev/ttyAMA0"'), finds_left())
    assert outcome.config.bank is not None
    assert outcome.config.bank.left == Rdm6300Config("rdm6300", "/dev/ttyAMA0")
    assert not pi.has(RULES)


def test_the_rule_of_the_slot_that_is_left_as_it_is_stays(pi: MadeUpMachine) -> None:
    rule = 'SUBSYSTEM=="tty", ENV{ID_SERIAL_SHORT}=="A50285BI", SYMLINK+="reboard-right"'
    pi.write(RULES, f'# SYMLINK+="reboard-left" is only an example\n{rule}\n')

    outcome = set_up_with(pi, wired(on_usb("rdm6300")), finds_left())
    assert outcome.is_written
    rules = [line for line in pi.text(RULES).splitlines() if not line.startswith("#")]
    assert rules[0] == rule
    assert len(rules) == 2


def test_a_line_that_cannot_be_listened_to_is_told_when_no_card_was_read(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_left(person)
        await person.answers("What is in it?")
        await person.answers("Enter ends it.")
        await person.sees("No card was read.")
        await person.sees("the line /dev/ttyAMA0 is not there")
        await person.answers("Once more? y or n? [y]", "n")
        await person.answers("Is there a right slot", "q")

    set_up_with(pi, wired(on_usb("rdm6300")), acts)


def test_without_any_line_it_is_said_how_to_come_by_one(pi: MadeUpMachine) -> None:
    pi.ports = {}

    async def acts(person: Person) -> None:
        await comes_to_left(person)
        await person.answers("What is in it?")
        await person.sees("There is no serial line to listen to")
        await person.answers("Once more?", "q")

    set_up_with(pi, wired(on_usb("rdm6300")), acts)


def test_switches_for_the_original_cards_are_found_one_by_one(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_left(person)
        await person.answers("What is in it?", "switches")
        for weight, bumps in (("1", "bumps-1"), ("2", "bumps-2"), ("4", "bumps-4")):
            await person.answers(f"Which pin is the switch that counts {weight} on?", "f")
            await person.sees("Press it now.")
            card = next(card for card in DECK if person.pi.reader("left").says(card) == bumps)
            person.pi.reader("left").put(card)
            await person.sees("That was pin")
            person.pi.reader("left").take()
        await person.answers("Is there a right slot", "n")
        for number in range(1, 7):
            await person.answers(f"Push card {number}", "n")
        await has_only_that(person)

    outcome = set_up_with(pi, wired('reader = "bumps", pins = [7, 8, 9]'), acts)
    assert outcome.config.bank is not None
    assert outcome.config.bank.left == BumpsConfig("bumps", (7, 8, 9))
    assert outcome.config.bank.cards == ()


def reads_cards(*, missing: int | None) -> Acts:
    """Card 1 has the code 3, and so on; the first one is not in at first, and the second one is in once more."""
    steps = [
        ("Push card 1", None),
        ("No switch is closed", "bumps-3"),
        ("Push card 2", "bumps-3"),
        ("That is the code of card 1, bumps-3.", "bumps-1"),
        ("Push card 3", "bumps-6"),
        ("Push card 4", "bumps-2"),
        ("Push card 5", "bumps-7"),
        ("Push card 6", "bumps-4"),
    ]

    async def acts(person: Person) -> None:
        await comes_to_left(person)
        await person.answers("What is in it?", "s")
        await person.answers("Is there a right slot", "n")
        reader = person.pi.reader("left")
        for words, tag in steps:
            if words == f"Push card {missing}":
                await person.answers(words, "n")
                continue
            await person.sees(words)
            reader.take()
            if tag:
                reader.put(next(card for card in DECK if reader.says(card) == tag))
            await asyncio.sleep(1)
            person.types("")
        await has_only_that(person)

    return acts


@pytest.mark.parametrize("missing", [None, 4, 6])
def test_original_cards_keep_their_printed_numbers(pi: MadeUpMachine, missing: int | None) -> None:
    before = wired('reader = "bumps", pins = [7, 8, 9]')
    outcome = set_up_with(pi, before, reads_cards(missing=missing), before=before)
    assert outcome.config.bank is not None
    cards = ("bumps-3", "bumps-1", "bumps-6", "bumps-2", "bumps-7", "bumps-4")
    read = outcome.config.bank.cards
    assert len(set(read)) == len(read) == (5 if missing == 6 else 6)
    assert [read[n] for n in range(len(read)) if n + 1 != missing] == [
        cards[n] for n in range(len(read)) if n + 1 != missing
    ]


def test_a_slot_that_is_left_as_it_is_in_the_middle_of_its_questions_is_as_it_was(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_left(person)
        await person.answers("What is in it?", "switches")
        await person.answers("Which pin is the switch that counts 1 on?", "s")
        await person.answers("Is there a right slot", "n")
        await has_only_that(person)

    before = wired(on_usb("id12"))
    config = set_up_with(pi, before, acts, before=before).config
    assert config.bank is not None
    assert config.bank.left == Id12Config("id12", "/dev/ttyUSB0")
