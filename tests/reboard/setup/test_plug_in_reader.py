"""A kind of reader of a plug-in: what its package has, and nothing else, makes it a reader like ours."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from reboard.devices.readers.card_tags import mixed_readers
from reboard.devices.readers.installed_readers import READER_KINDS
from reboard.wiring.table_drawing import sheets_of_table
from reboard.wiring.table_netlist import circuit_of
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.plugged_in import packages_in
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import comes_to_part, has_nothing_after
from tests.reboard.setup.person import set_up_at
from tests.reboard.wiring.tables import table

KIND = """
import re
from reboard.devices.readers.em4100 import CARDS
from reboard.devices.readers.reader_kind import SerialConfig, UnaskedReader


class BareDigits:
    frames = dropped = stray_bytes = 0
    pending = b""

    def feed(self, data):
        *whole, self.pending = (self.pending + data).split(b";")
        valid = [each.decode() for each in whole if CARDS.tag.fullmatch(each.decode("latin-1"))]
        self.frames += len(valid)
        self.stray_bytes += 0 if valid else len(data)
        return valid


class Tr4Kind(UnaskedReader[SerialConfig]):
    name, title, cards, config, baud_rate = "tr4", "TR-4", CARDS, SerialConfig, 19_200

    def decoder(self):
        return BareDigits()


class Bare:
    frames = dropped = stray_bytes = 0

    def feed(self, data):
        tags = re.findall("[0-9A-F]{10}", data.decode("latin-1"))
        self.frames += len(tags)
        self.stray_bytes += len(data) - 10 * len(tags)
        return tags


class Tr5Kind(Tr4Kind):
    name, order, baud_rate = "tr5", 1, 9600

    def decoder(self):
        return Bare()


KIND, TR5 = Tr4Kind(), Tr5Kind()
"""

VIRTUAL = """
from reboard_sim.devices.readers.virtual_reader import VirtualSerialReader


class VirtualTr4(VirtualSerialReader):
    baud_rate, reports_once = 19_200, True

    def put(self, card):
        self.card = card
        self._line.send(card.encode() + b";")

    def take(self):
        self.card = None

    def noise(self, on): ...

    flicker = noise
"""

CIRCUIT = """
power_5v = ["usb"]

[[part]]
name = "{name} reader"
kind = "tr4"
when = ["line"]
to = { V = "power", G = "reader ground", S = "reader TX" }

[parts.tr4]
function = "card reader, 125 kHz"
value = "TR-4"
look_for = "4"
instead = "none"
price_eur = 4.00
symbol = "module"
designator = "U"
terminals = { V = { takes_v = [4.5, 5.5], takes_ma = 50 }, G = { ground = true }, S = { drives_v = 5.0 } }
"""

ENTRY_POINTS = """
[reboard.readers]
tr4 = reboard_tr4.kind:KIND
tr5 = reboard_tr4.kind:TR5
broken = reboard_tr4.kind:BareDigits
[reboard_sim.readers]
tr4 = reboard_tr4.virtual:VirtualTr4
"""

SLOT = '[bank]\nleft = { reader = "tr4", port = "/dev/ttyUSB0" }\n'


@pytest.fixture
def plugged_in(tmp_path: Path) -> Iterator[None]:
    files = {"kind.py": KIND, "virtual.py": VIRTUAL, "tr4.toml": CIRCUIT, "__init__.py": ""}
    (tmp_path / "reboard_tr4").mkdir()
    for name, text in files.items():
        (tmp_path / "reboard_tr4" / name).write_text(text)
    (info := tmp_path / "reboard_tr4-1.0.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: reboard-tr4\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    with packages_in(tmp_path):
        yield


@pytest.mark.usefixtures("plugged_in")
async def test_setup_finds_it_at_its_baud_rate(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, SLOT) as person:
        await comes_to_part(person, "left slot")
        await person.answers("What is in the slot?")
        await person.sees("Hold a card to the left slot now.")
        for _ in range(2):  # the first time shows that the baud rate is another one
            person.pi["bank.left"].put(DECK[2])
            await asyncio.sleep(1)
        await person.sees(f"The tr4 reader on /dev/ttyUSB0 read the card {DECK[2]}.")
        await person.answers("Is there a right slot", "n")
        for part in ("display", "keypad"):
            await person.answers(f"Is there a {part}", "n")
        await has_nothing_after(person, "bank")
    assert person.config.section("bank").left == READER_KINDS["tr4"].config("tr4", "/dev/reboard-left")


@pytest.mark.usefixtures("plugged_in")
async def test_digits_in_the_frames_of_our_reader_are_no_tags_of_a_reader_without_frames(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, SLOT.replace("tr4", "rdm6300")) as person:
        await comes_to_part(person, "left slot")
        await person.answers("What is in the slot?")
        await person.sees("Hold a card to the left slot now.")
        person.pi["bank.left"].put(DECK[2])
        await person.sees("The rdm6300 reader on /dev/ttyUSB0 read the card")
        await person.answers("Is there a right slot", "q")


@pytest.mark.usefixtures("plugged_in")
def test_check_wiring_and_drawing_know_it() -> None:
    config = table(SLOT)
    [slot] = (device for device in config.devices() if device.label == "bank.left")
    assert slot.describe() == "tr4 on /dev/ttyUSB0, a tap inserts or removes a card"
    assert mixed_readers("tr4", "id12") is None
    reader = circuit_of(config).of_device("bank.left")["left reader"]
    assert reader.kind.value == "TR-4"
    assert b"TR-4" in b"".join(sheets_of_table(config))


@pytest.mark.usefixtures("plugged_in")
def test_a_kind_that_is_none_is_reported_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    assert [*READER_KINDS][-1] == "tr4"
    assert "broken" not in READER_KINDS
    assert "the reader broken cannot be used" in caplog.text
