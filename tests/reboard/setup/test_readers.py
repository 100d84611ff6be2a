"""How setup finds card readers, gives them lasting names, and reads the original cards."""

from __future__ import annotations

import asyncio
from collections.abc import Set

import pytest

from reboard.commands import setup
from reboard.devices.readers.kinds.bumps import BumpsConfig
from reboard.devices.readers.kinds.keyboard import KeyboardConfig
from reboard.devices.readers.kinds.rc522 import Rc522Config
from reboard.devices.readers.kinds.rdm6300 import Rdm6300Config
from reboard.devices.readers.reader_kind import READER_KINDS, SerialReader
from reboard.errors import ReboardError
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import comes_to_part, has_nothing_after
from tests.reboard.setup.person import Person, set_up_at

RULES = "/etc/udev/rules.d/70-reboard-readers.rules"
LEFT = "Hold a card to the left slot now."
KEYBOARD = "/dev/input/by-path/platform-usb-0:1.3:1.0-event-kbd"
ON_USB = 'reader = "rdm6300", port = "/dev/ttyUSB0"'
BUMPS = '[bank]\nleft = { reader = "bumps", pins = [7, 8, 9] }\n'


def wired(left: str, right: str = "") -> str:
    right = f"right = {{ {right} }}" if right else ""
    return f"[bank]\nleft = {{ {left} }}\n{right}\n"


def rules(pi: MadeUpMachine) -> list[str]:
    return [line for line in pi.text(RULES).splitlines() if not line.startswith("#")]


async def has_no_more(person: Person) -> None:
    for part in ("display", "keypad"):
        await person.answers(f"Is there a {part}", "n")
    await has_nothing_after(person, "bank")


async def finds_left(person: Person, *, types: bool = False) -> None:
    await comes_to_part(person, "left slot")
    await person.answers("What is in the slot?")
    if types:
        await person.answers("Is it a USB reader that types", "y")
    await person.sees(LEFT)
    person.pi["bank.left"].put(DECK[2])
    await person.sees("read the card ")
    await person.answers("Is there a right slot", "n")
    await has_no_more(person)


async def finds_nothing(person: Person, *words: str) -> None:
    await comes_to_part(person, "left slot")
    await person.answers("What is in the slot?")
    for each in words:
        await person.sees(each)
        if "Enter" in each:
            person.types("")
    await person.answers("Try again? y or n? [y]", "n", "Is there a right slot", "q")


ON_SERIAL_PORTS = [name for name, kind in READER_KINDS.items() if isinstance(kind, SerialReader)]


@pytest.mark.parametrize("reader", ON_SERIAL_PORTS)
async def test_each_kind_on_a_serial_port_is_recognised(pi: MadeUpMachine, reader: str) -> None:
    async with set_up_at(pi, wired(ON_USB.replace("rdm6300", reader))) as person:
        await finds_left(person)
    assert person.config.section("bank").left == READER_KINDS[reader].config(reader, "/dev/reboard-left")
    assert [command for command in pi.called if "trigger" in command] == [
        "udevadm trigger --settle --subsystem-match=tty --subsystem-match=input"
    ]


@pytest.mark.parametrize("select", [0, 1])
async def test_an_rc522_is_found_by_its_chip_select(pi: MadeUpMachine, select: int) -> None:
    for number in (0, 1):
        pi.write(f"/dev/spidev0.{number}")
    async with set_up_at(pi, wired(f'reader = "rc522", chip_select = {select}')) as person:
        await finds_left(person)
    assert person.config.section("bank").left == Rc522Config("rc522", chip_select=select)
    assert rules(pi) == []


async def test_a_reader_that_types_is_found_among_the_keyboards(pi: MadeUpMachine) -> None:
    opened = []
    pi.write(KEYBOARD)
    pi.commands[f"udevadm info --query=property --name={KEYBOARD}"] = "ID_PATH=platform-usb-0:1.3:1.0\nID_BUS=usb"
    async with set_up_at(pi, wired(f'reader = "keyboard", device = "{KEYBOARD}"')) as person:
        person.pi.open_serial = lambda path, _: opened.append(path)  # type: ignore
        await finds_left(person, types=True)
    assert not opened, "a serial port is not asked"
    assert person.config.section("bank").left == KeyboardConfig("keyboard", "/dev/reboard-left")
    assert rules(pi)[-1] == (
        'SUBSYSTEM=="input", KERNEL=="event*", ENV{ID_PATH}=="platform-usb-0:1.3:1.0", SYMLINK+="reboard-left"'
    )


async def test_setup_says_why_a_port_cannot_be_listened_to(pi: MadeUpMachine) -> None:
    words = ("Press Enter to stop.", "No card was read.", "/dev/ttyAMA0 does not exist")
    async with set_up_at(pi, wired(ON_USB)) as person:
        await finds_nothing(person, *words)


async def test_setup_says_what_a_silent_reader_may_lack(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, wired(ON_USB)) as person:
        pi.ports.pop("/dev/ttyAMA0")
        words = ("Press Enter to stop.", "Nothing arrived on /dev/ttyUSB0.", "if it has 5 V, if its TX is on the RX")
        await finds_nothing(person, *words)


@pytest.mark.parametrize("ports", [set(), {"/dev/ttyUSB0"}], ids=["no port", "a port"])
async def test_setup_says_how_the_bus_of_an_rc522_is_switched_on(pi: MadeUpMachine, ports: Set[str]) -> None:
    for port in pi.ports.keys() - ports:
        pi.ports.pop(port)
    async with set_up_at(pi, wired(ON_USB)) as person:
        await finds_nothing(person, *["Press Enter to stop."] * bool(ports), "RC522 needs the SPI bus, which is off")


@pytest.mark.parametrize(("fault", "is_there"), [("once", True), ("stops", True), ("stops", False)])
async def test_a_reader_that_does_not_repeat_its_card_is_noticed(pi: MadeUpMachine, fault: str, is_there: bool) -> None:
    async with set_up_at(pi, wired(ON_USB)) as person:
        person.pi["bank.left"].faults()[fault](True)
        await comes_to_part(person, "left slot")
        await person.answers("What is in the slot?")
        await person.sees(LEFT)
        person.pi["bank.left"].put(DECK[2])
        await person.sees("Leave the card there for 3 s.")
        await person.answers("The reader is silent. Is the card still there?", "y" if is_there else "n")
        await person.answers("Is there a right slot", "n")
        await has_no_more(person)
    assert person.config.section("bank").left.sends == ("once" if is_there else "repeats")


async def test_setup_shows_what_a_reader_sends_whose_data_is_no_card(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, wired(ON_USB)) as person:
        reader = person.pi["bank.left"]
        reader.faults()["garbled"](True)
        pi.link("/proc/612/fd/0", "/dev/ttyUSB0")
        pi.write("/proc/612/comm", "mgetty\n")
        await comes_to_part(person, "left slot")
        await person.answers("What is in the slot?")
        await person.sees(LEFT)
        reader.put(DECK[2])
        await asyncio.sleep(5)
        person.types("")
        await person.sees("The reader on /dev/ttyUSB0 sends no valid card")
        await person.sees("/dev/ttyUSB0 has received")
        await person.sees("/dev/ttyUSB0 is also open in mgetty (process 612)")
        await person.answers("Try again? y or n? [y]", "n", "Is there a right slot", "q")


@pytest.mark.parametrize("port", ["/dev/ttyUSB0", "/dev/ttyAMA4"])
async def test_without_any_port_setup_says_how_to_get_one(pi: MadeUpMachine, port: str) -> None:
    pi.ports = {}
    pi.remove("/dev/ttyUSB0")
    before = wired(f'reader = "rdm6300", port = "{port}"')
    async with set_up_at(pi, before, before=before) as person:
        await finds_nothing(person, "reboard setup boot")


async def test_a_reader_on_the_header_keeps_its_name_and_needs_no_rule(pi: MadeUpMachine) -> None:
    pi.commands["udevadm info --query=property --name=/dev/ttyAMA0"] = "ID_PATH=platform-fe201000.serial"
    async with set_up_at(pi, wired('reader = "rdm6300", port = "/dev/ttyAMA0"')) as person:
        await finds_left(person)
    assert person.config.section("bank").left == Rdm6300Config("rdm6300", "/dev/ttyAMA0")
    assert not pi.has(RULES)


SOCKETS = [
    'SUBSYSTEM=="tty", ENV{ID_PATH}=="platform-xhci-usb-0:1.4:1.0", SYMLINK+="reboard-left"',
    'SUBSYSTEM=="tty", ENV{ID_PATH}=="platform-xhci-usb-0:1.2:1.0", SYMLINK+="reboard-right"',
]
SERIALS = [
    'SUBSYSTEM=="tty", ENV{ID_SERIAL_SHORT}=="A50285BI", SYMLINK+="reboard-left"',
    'SUBSYSTEM=="tty", ENV{ID_SERIAL_SHORT}=="B7", SYMLINK+="reboard-right"',
]


@pytest.mark.parametrize(
    ("serials", "written"),
    [
        (("", ""), SOCKETS),
        (("0001", "0001"), SOCKETS),
        (("A50285BI", "B7"), SERIALS),
        (("*", 'B"7'), SOCKETS),  # a rule would take them for a pattern
    ],
)
async def test_two_readers_are_known_by_serial_number_or_else_by_socket(
    pi: MadeUpMachine, serials: tuple[str, str], written: list[str]
) -> None:
    pi.ports = {"/dev/ttyUSB0": "CH340", "/dev/ttyUSB1": "CH340"}
    for number, socket, serial in ((1, "1.4", serials[0]), (0, "1.2", serials[1])):
        facts = f"ID_PATH=platform-xhci-usb-0:{socket}:1.0" + (f"\nID_SERIAL_SHORT={serial}" if serial else "")
        pi.commands[f"udevadm info --query=property --name=/dev/ttyUSB{number}"] = facts

    async with set_up_at(pi, wired(ON_USB.replace("USB0", "USB1"), ON_USB)) as person:
        await comes_to_part(person, "left slot")
        for side, port in (("left", "/dev/ttyUSB1"), ("right", "/dev/ttyUSB0")):
            if side == "right":
                await person.answers("Is there a right slot", "y")
            await person.answers("What is in the slot?")
            await person.sees(f"Hold a card to the {side} slot now.")
            person.pi[f"bank.{side}"].put(DECK[0])
            await person.sees(f"reader on {port} read the card ")
        await has_no_more(person)
    assert rules(pi) == written


@pytest.mark.parametrize(
    ("first", "second"),
    [(ON_USB, ON_USB.replace("USB0", "USB1")), ('reader = "rc522"', 'reader = "rc522", chip_select = 1')],
)
async def test_two_readers_that_are_swapped_are_found_again(pi: MadeUpMachine, first: str, second: str) -> None:
    for name in ("ttyUSB1", "spidev0.0", "spidev0.1"):
        pi.write(f"/dev/{name}")
    pi.ports = {"/dev/ttyUSB0": "CH340", "/dev/ttyUSB1": "CH340"}
    async with set_up_at(pi, wired(second, first), before=wired(first, second)) as person:
        await comes_to_part(person, "left slot")
        for side, file in (("left", "1"), ("right", "0")):
            if side == "right":
                await person.answers("Is there a right slot", "y")
            await person.answers("What is in the slot?")
            await person.sees(f"Hold a card to the {side} slot now.")
            person.pi[f"bank.{side}"].put(DECK[0])
            await person.sees(f"{file} read the card ")
            await asyncio.sleep(4)
            person.pi[f"bank.{side}"].take()
        await has_no_more(person)
    assert person.has_written


async def test_other_rules_of_the_owner_stay(pi: MadeUpMachine) -> None:
    mine = (
        '# SYMLINK+="reboard-left" is only an example\nSUBSYSTEM=="tty", ENV{ID_SERIAL_SHORT}=="B7", SYMLINK+="bell"\n'
    )
    right = 'SUBSYSTEM=="tty", ENV{ID_SERIAL_SHORT}=="A50285BI", SYMLINK+="reboard-right"'
    before = f'{mine}SUBSYSTEM=="tty", KERNEL=="ttyAMA0", SYMLINK+="reboard-left"\n{right}\n'
    pi.write(RULES, before)
    async with set_up_at(pi, wired(ON_USB)) as person:
        await finds_left(person)
    assert pi.text(RULES).startswith(mine)
    assert rules(pi)[1] == right
    assert len(rules(pi)) == 3
    assert "ttyAMA0" not in pi.text(RULES)
    assert pi.text(f"{RULES}.before-setup") == before.rstrip()


async def test_a_setup_that_is_stopped_after_it_wrote_the_config_says_so(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_stopped(*_: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(setup, "write_rules", is_stopped)
    with pytest.raises(ReboardError, match=r"written to .*table\.toml"):
        async with set_up_at(pi, wired(ON_USB)) as person:
            await finds_left(person)
    assert person.config.section("bank").left


async def test_the_switches_of_a_slot_are_found_one_by_one(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, BUMPS) as person:
        await comes_to_part(person, "left slot")
        await person.answers("What is in the slot?", "switches")
        for weight in (1, 2, 4):
            await person.answers(f"Which pin is the switch with the value {weight} on?", "f")
            await person.sees("Press it now.")
            card = next(card for card in DECK if person.pi["bank.left"].says(card) == f"bumps-{weight}")
            person.pi["bank.left"].put(card)
            await person.sees("That was GPIO")
            person.pi["bank.left"].take()
        await person.answers("Is there a right slot", "y", "What is in the slot?", "switches", "value 1 on?", "8")
        await person.sees("Pin 8 is already used by bank.left.")
        person.types("s")
        for number in range(1, 7):
            await person.answers(f"Push card {number}", "n")
        await has_no_more(person)
    bank = person.config.section("bank")
    assert (bank.left, bank.right, bank.cards) == (BumpsConfig("bumps", (7, 8, 9)), None, ())


async def reads_cards(person: Person, *, missing: int | None) -> None:
    """Card 1 has the code 3, and so on. The first one is not in at first, and the second one is put in twice."""
    await comes_to_part(person, "left slot")
    await person.answers("What is in the slot?", "s", "Is there a right slot", "n")
    reader = person.pi["bank.left"]
    for words, tag in (
        ("Push card 1", None),
        ("No switch is closed", "bumps-3"),
        ("Push card 2", "bumps-3"),
        ("Card 2 has the same code as card 1, bumps-3.", "bumps-1"),
        ("Push card 3", "bumps-6"),
        ("Push card 4", "bumps-2"),
        ("Push card 5", "bumps-7"),
        ("Push card 6", "bumps-4"),
    ):
        if words == f"Push card {missing}":
            await person.answers(words, "n")
            continue
        await person.sees(words)
        reader.take()
        await asyncio.sleep(1)
        if tag:
            reader.put(next(card for card in DECK if reader.says(card) == tag))
        await asyncio.sleep(1)
        person.types("")
    await has_no_more(person)


@pytest.mark.parametrize("missing", [None, 4, 6])
async def test_original_cards_keep_their_printed_numbers(pi: MadeUpMachine, missing: int | None) -> None:
    async with set_up_at(pi, BUMPS, before=BUMPS) as person:
        await reads_cards(person, missing=missing)
    read = person.config.section("bank").cards
    cards = ("bumps-3", "bumps-1", "bumps-6", "bumps-2", "bumps-7", "bumps-4")
    assert len(set(read)) == len(read) == (5 if missing == 6 else 6)
    kept = [n for n in range(len(read)) if n + 1 != missing]
    assert [read[n] for n in kept] == [cards[n] for n in kept]
