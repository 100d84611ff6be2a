"""A kind of reader of a plug-in: what its package has, and nothing else, makes it a reader like ours."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reboard.commands.check import electrical_findings
from reboard.devices.readers.card_tags import mixed_readers
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.errors import ConfigError
from reboard.finding import Finding, Level
from reboard.table_config import TableConfig
from reboard.wiring.table_drawing import sheets_of_table
from reboard.wiring.table_netlist import circuit_of
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.play_command import UNFINISHED, play_file
from tests.plugged_in import installed_beside_ours, packages_in
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import comes_to_part, has_nothing_after
from tests.reboard.setup.person import set_up_at
from tests.reboard.wiring.tables import table

TR4 = Path(__file__).parents[3] / "examples" / "readers" / "tr4"

TR5 = """
import re
from reboard.devices.displays.kinds.ssd1306 import Ssd1306Kind
from reboard.devices.readers.em4100 import CARDS
from reboard.devices.readers.reader_kind import SerialConfig, UnaskedReader


class BareDigits:
    frames = dropped = stray_bytes = 0

    def feed(self, data):
        tags = re.findall("[0-9A-F]{10}", data.decode("latin-1"))
        self.frames += len(tags)
        self.stray_bytes += len(data) - 10 * len(tags)
        self.dropped = self.stray_bytes // 10
        return tags


class Tr5Kind(UnaskedReader[SerialConfig]):
    name, title, order, cards, config = "tr5", "TR-5", 1, CARDS, SerialConfig

    def decoder(self):
        return BareDigits()


class BareDisplay(Ssd1306Kind):
    name, title = "bare", "BARE"


KIND = Tr5Kind()
DISPLAY = BareDisplay()
"""

ENTRY_POINTS = """
[reboard.readers]
tr5 = reboard_tr5:KIND
broken = reboard_tr5:BareDigits
[reboard.displays]
bare = reboard_tr5:DISPLAY
"""

SLOT = '[bank]\nleft = { reader = "tr4", port = "/dev/ttyUSB0" }\n'


@contextmanager
def plugged_in_with(folder: Path, was: str = "", becomes: str = "") -> Iterator[Path]:
    """Install a copy of the example, in whose file of parts *was* *becomes* another text, and yield its folder."""
    package = shutil.copytree(TR4, folder / "tr4", ignore=shutil.ignore_patterns("__pycache__"))
    parts = package / "reboard_tr4" / "tr4.toml"
    assert was in parts.read_text()
    parts.write_text(parts.read_text().replace(was, becomes) if was else parts.read_text())
    with installed_beside_ours(package):
        yield package


def problems(config: TableConfig) -> list[Finding]:
    return [finding for finding in electrical_findings(config) if finding.level is not Level.FINE]


@pytest.fixture
def plugged_in(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "reboard_tr5.py").write_text(TR5)
    (info := tmp_path / "reboard_tr5-1.0.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: reboard-tr5\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    with packages_in(tmp_path), plugged_in_with(tmp_path):
        yield


@pytest.mark.usefixtures("plugged_in")
async def test_setup_finds_it_at_its_baud_rate(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, SLOT) as person:
        await comes_to_part(person, "left slot")
        await person.answers("What is in the slot?")
        await person.sees("Hold a card to the left slot now.")
        person.pi["bank.left"].put(DECK[2])  # its first frames show that the baud rate is another one
        await person.sees(f"The tr4 reader on /dev/ttyUSB0 read the card {DECK[2]}.")
        await person.answers("Is there a right slot", "n")
        for part in ("display", "keypad"):
            await person.answers(f"Is there a {part}", "n")
        await has_nothing_after(person, "bank")
    assert person.config.section("bank").left == READER_KINDS["tr4"].config("tr4", "/dev/reboard-left")


@pytest.mark.usefixtures("plugged_in")
async def test_a_reader_without_a_valid_card_is_a_fault_although_there_is_another_baud_rate(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, SLOT.replace("tr4", "rdm6300")) as person:
        await comes_to_part(person, "left slot")
        await person.answers("What is in the slot?")
        await person.sees("Hold a card to the left slot now.")
        person.pi["bank.left"].faults()["garbled"](True)
        person.pi["bank.left"].put(DECK[2])
        await asyncio.sleep(6)
        person.pi["bank.left"].take()
        await asyncio.sleep(1)
        person.types("")
        await person.sees("The reader on /dev/ttyUSB0 sends no valid card")
        await person.sees("/dev/ttyUSB0 has received")
        await person.answers("Try again? y or n? [y]", "n", "Is there a right slot", "q")


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
def test_the_bench_plays_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert play_file(TR4 / "cards.play", config=TR4 / "table.toml") == 0, capsys.readouterr().err


@pytest.mark.usefixtures("plugged_in")
def test_a_time_in_which_it_repeats_no_card_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"bank\.left\.hold_s must be more than 0\.12 seconds.* TR-4 .* is 0\.12"):
        table(SLOT.replace(" }", ", hold_s = 0.12 }"))


@pytest.mark.usefixtures("plugged_in")
def test_check_wiring_and_drawing_know_it() -> None:
    config = table(SLOT)
    assert problems(config) == []
    [slot] = (device for device in config.devices() if device.label == "bank.left")
    assert slot.describe() == "tr4 on /dev/ttyUSB0, a card is removed after 0.5 s"
    assert mixed_readers("tr4", "id12") is None
    reader = circuit_of(config).of_device("bank.left")["left reader"]
    assert reader.kind.value == "TR-4"
    assert b"TR-4" in b"".join(sheets_of_table(config))


@pytest.mark.usefixtures("plugged_in")
def test_the_check_says_that_a_reader_without_a_parts_file_is_not_checked() -> None:
    [finding] = problems(table(SLOT.replace("tr4", "tr5")))
    assert (finding.level, finding.name) == (Level.NOTE, "readers.unknown")
    assert "left slot, tr5, has no file tr5.toml" in finding.what


@pytest.mark.usefixtures("plugged_in")
def test_a_display_without_a_parts_file_is_left_out_of_check_and_drawing_with_its_level_shifter() -> None:
    config = table('[bank]\ndisplay = { driver = "bare" }\n[wiring.display]\npower = "5V"\nlevel_shifter = true\n')
    [finding] = problems(config)
    assert (finding.level, finding.name) == (Level.NOTE, "display.unknown")
    assert "display, bare, has no file bare.toml" in finding.what
    assert b"level shifter" not in b"".join(sheets_of_table(config))


def test_a_mistake_in_the_parts_of_a_reader_stops_no_table_without_it(tmp_path: Path) -> None:
    with plugged_in_with(tmp_path, 'symbol = "module"'):
        assert problems(table("[block]\nbutton = 17\n")) == []
    with plugged_in_with(tmp_path / "again", 'kind = "tr4"', "kind = tr4"):
        assert problems(table("[block]\nbutton = 17\n")) == []


def test_the_check_finds_a_terminal_that_is_connected_to_nothing(tmp_path: Path) -> None:
    with plugged_in_with(tmp_path, 'TX = "reader TX"', 'TX = "reader tx"'):
        [finding] = problems(table(SLOT))
    assert (finding.level, finding.name) == (Level.WRONG, "wiring.open")
    assert 'TX of the left reader (net "reader tx")' in finding.what
    assert 'a of the left upper divider (net "reader TX")' in finding.what


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        (
            "takes_ma",
            "takes_mA",
            'tr4.toml:19: [parts.tr4.terminals.5V] has no key "takes_mA"; did you mean "takes_ma"?',
        ),
        ("[4.75, 5.25]", "5", "tr4.toml:19: parts.tr4.terminals.5V.takes_v must be a list of 2 entries, but is 5"),
        ('symbol = "module"', "", 'tr4.toml:11: [parts.tr4] needs the key "symbol"'),
        ("5.00", '"cheap"', 'tr4.toml:16: parts.tr4.price_eur must be a number from 0 to 10000 euros, but is "cheap"'),
        ('kind = "tr4"', 'kind = "tr44"', 'part entry 1: there is no kind of part "tr44"; did you mean "tr4"?'),
        ('TX = "reader TX"', 'TXD = "reader TX"', 'part entry 1: a tr4 has no terminal "TXD": its terminals are 5V'),
        ("[[part]]", "[[parst]]", 'the file has no key "parst"; did you mean "part"?'),
        ('when = ["line"]', 'wehn = ["line"]', '[part entry 1] has no key "wehn"; did you mean "when"?'),
        ('kind = "tr4"', "kind = tr4", "tr4.toml:7: this is not TOML"),
        ('[["TX"', '[["TXD"', 'parts.tr4.pinout lacks the terminal "TX": its pins are 5V, GND, TXD'),
    ],
)
def test_a_typo_in_the_file_of_parts_is_named_with_its_place(tmp_path: Path, was: str, becomes: str, said: str) -> None:
    with plugged_in_with(tmp_path, was, becomes), pytest.raises(ConfigError, match=re.escape(said)):
        circuit_of(table(SLOT))


@pytest.mark.usefixtures("plugged_in")
def test_a_reader_without_a_virtual_device_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (play := tmp_path / "cards.play").write_text("remove left\ninsert left 1\n")
    (config := tmp_path / "table.toml").write_text(SLOT.replace("tr4", "tr5"))
    assert play_file(play, config=config) == UNFINISHED
    assert "cards.play:2: The reader tr5 cannot be simulated" in (said := capsys.readouterr().err)
    assert "the entry point tr5 in the group reboard_sim.readers" in said


@pytest.mark.usefixtures("plugged_in")
def test_a_display_without_a_virtual_device_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (play := tmp_path / "shown.play").write_text('expect display "+1 15M"\n')
    (config := tmp_path / "table.toml").write_text('[bank]\ndisplay = { driver = "bare" }\n')
    assert play_file(play, config=config) == UNFINISHED
    assert "shown.play:1: The display bare cannot be simulated" in (said := capsys.readouterr().err)
    assert "the entry point bare in the group reboard_sim.displays" in said


@pytest.mark.usefixtures("plugged_in")
def test_a_kind_that_is_none_is_reported_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    assert [*READER_KINDS][-1] == "tr4"
    assert "broken" not in READER_KINDS
    assert "the reader broken cannot be used" in caplog.text


@pytest.mark.parametrize(
    ("line", "instead", "said"),
    [
        ("config = RepeatingReaderConfig", "config = dict", "dataclass"),
        ("cards = CARDS", "", "needs a value for cards"),
        ("period_s = 0.12", "", "needs period_s"),
    ],
)
def test_a_mistake_in_a_kind_is_named_and_leaves_only_it_out(
    line: str, instead: str, said: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with plugged_in_with(tmp_path) as package:
        kind = package / "reboard_tr4" / "kind.py"
        kind.write_text(kind.read_text().replace(line, instead))
        assert "tr4" not in READER_KINDS
    assert re.search(f"the reader tr4 cannot be used: .*{said}", caplog.text)


@pytest.mark.parametrize("setting", ["left.reader", "display.driver"])
def test_a_module_that_has_no_kind_is_no_kind(setting: str) -> None:
    with pytest.raises(ConfigError, match=rf"bank\.{setting} must be .* but is \"__init__\"; .*install that package"):
        table(f'[bank]\n{setting} = "__init__"\n')
