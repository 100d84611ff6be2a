"""``table.toml`` as people write it: what is allowed, and where a problem is reported."""

from __future__ import annotations

import dataclasses
import os
import random
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from reboard.accessories.banker_unit.accessory import BANKER_UNIT
from reboard.accessories.installed import accessories
from reboard.accessories.question_block.outcomes import KINDS
from reboard.config.host_pin import HostPin
from reboard.config.kinds import ByKind, Section, Several
from reboard.config.mqtt import MqttConfig
from reboard.config.pins_and_ports import Listen
from reboard.devices.displays.display_controller import DisplayConfig
from reboard.devices.keypad import KeypadConfig
from reboard.devices.motor import Step
from reboard.devices.readers.kinds.rdm6300 import Rdm6300Config
from reboard.errors import ConfigError
from reboard.table_config import (
    TableConfig,
    TableSection,
    describe,
    described_devices,
    load_config,
    parse_config,
)
from tests.plugged_in import Dragon, installed

WORLD = Path(str(resources.files("reboard.editions").joinpath("world.toml")))
SHIPPED = Path(str(resources.files("reboard.setup").joinpath("table.toml")))
BLOCK = "[block]\nbutton = 17\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.toml"


def read(file: Path, text: str | bytes) -> TableConfig:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_config(file)


def problems(file: Path, text: str | bytes) -> list[str]:
    """Return the problems without the name of the file."""
    with pytest.raises(ConfigError) as caught:
        read(file, text)
    return [line.removeprefix(f"{file}:").strip() for line in str(caught.value).splitlines()]


def test_all_sections(file: Path) -> None:
    config = read(
        file,
        """
        edition = "super-mario"
        block = { button = 4, bag = true, quiet = false, linked = true }
        apple = { lever = 5, motor = 18, seconds = 20, pattern = [[1, 0.5], [0.25, 10]] }
        [bank]
        left = { reader = "rdm6300", port = "/dev/ttyUSB0", hold_s = 1 }
        keypad = { rows = [6, 7, 8, 9], columns = [10, 11, 12, 13] }
        display = { driver = "hd44780-i2c", address = 0x3F }
        cards = ["62e3086ced", "bumps-3"]
        [page]
        listen = "[::1]:80"
        pin = "scrypt$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        """,
    )
    block, apple, bank = (config.section(name) for name in ("block", "apple", "bank"))
    assert (block.button, block.lamp, block.bag, block.quiet) == (4, None, True, False)
    assert (apple.motor, apple.seconds, apple.pattern) == (18, 20.0, (Step(1.0, 0.5), Step(0.25, 10.0)))
    assert bank.left == Rdm6300Config("rdm6300", "/dev/ttyUSB0", 1.0)
    assert (bank.right, bank.keypad) == (None, KeypadConfig((6, 7, 8, 9), (10, 11, 12, 13)))
    assert (bank.display, bank.cards) == (DisplayConfig("hd44780-i2c", 1, 0x3F), ("62E3086CED", "bumps-3"))
    assert config.page
    assert (config.page.listen, config.page.pin) == (Listen("::1", 80), HostPin(bytes(16), bytes(32)))
    assert config.speaker is None
    assert "silent" in describe(config).splitlines()[0]
    assert "linked" in describe(config)
    assert "10, 11, 12, 13" in describe(config)


RULES = r"""
= [block]
button = 27  |  button = 28  |  2: block.button
button = 2  |  button = -1  |  2: block.button
button = 4  |  button = 4.0  |  2: block.button
button = 4  |  button = "GPIO4"  |  2: block.button
button = 4  |  lamp = 4  |  1: [block]
= [block] ; button = 17
lamp = 18  |  lamp = 17  |  3: block.lamp
quiet = false  |  quiet = "no"  |  3: block.quiet
odds.laugh = 1000  |  odds.laugh = 1001  |  3: block.odds.laugh
odds = { coins = [1, 2, 3, 4, 5, 6] }  |  odds = { coins = [1, 2, 3, 4, 5, 6, 7] }  |  3: block.odds.coins
odds = { coins = [1] }  |  odds = { coins = [] }  |  3: block.odds.coins
odds = { coins = [1], laugh = 0, power_up = 0, game_over = 0 }  |  odds = { coins = [-1], laugh = 0, power_up = 0, game_over = 0 }  |  3: block.odds.coins entry 1
lamp = 27  |  lamb = 27  |  3: [block]
[apple] ; lever = 22 ;   |  [appel] ; lever = 22  |  3: the
= [apple]
lever = 22 ; [block] ; button = 17  |  lever = 17 ; [block] ; button = 17  |  4: block.button
lever = 4  |  seconds = 9  |  1: [apple]
=
block = { button = 4 }  |  block = 4  |  1: block
edition = "super-mario" ; [bank] ; [block] ; button = 17 ; linked = true  |  edition = "world" ; [bank] ; [block] ; button = 17 ; linked = true  |  5: block.linked
edition = "super-mario" ; [bank] ; [block] ; button = 17 ; linked = true  |  edition = "super-marios" ; [bank] ; [block] ; button = 17 ; linked = true  |  1: edition
[bank]  |  edition = "world"  |  1: the table
= edition = "super-mario"
[bank] ; [block] ; button = 17 ; linked = true  |  [block] ; button = 17 ; linked = true  |  4: block.linked
[bank] ; [block] ; button = 17 ; linked = true  |  bank = 1 ; [block] ; button = 17 ; linked = true  |  2: bank
= [block] ; button = 17 ; odds.coins = [ ; 1,
2, ; ]  |  -2, ; ]  |  3: block.odds.coins entry 2
= [apple] ; lever = 22
motor = 9  |  motor = 8  |  3: apple.motor
seconds = 5  |  seconds = 4.9  |  3: apple.seconds
seconds = 120.0  |  seconds = inf  |  3: apple.seconds
seconds = 5.5  |  seconds = nan  |  3: apple.seconds
pattern = [[1, 1]]  |  pattern = [[true, 1]]  |  3: apple.pattern entry 1
pattern = [[0.2, 1]]  |  pattern = [[0.1, 1]]  |  3: apple.pattern entry 1
pattern = [[1, 0.1]]  |  pattern = [[1, 0.01]]  |  3: apple.pattern entry 1
motor = 9  |  colour = 9  |  3: [apple]
= [bank]
left = { reader = "rdm6300", port = "/dev/a" }  |  left = { port = "/dev/a" }  |  2: [bank.left]
left = { reader = "rdm6300", port = "/dev/a" }  |  left = 'rdm6300'  |  2: bank.left
right = { reader = "rdm6300", port = "/dev/a" }  |  right = { reader = "RDM630", port = "/dev/a" }  |  2: bank.right.reader
left = { reader = "bumps", pins = [7, 8, 9] }  |  left = { reader = "bumps", pins = [7, 8] }  |  2: bank.left.pins
left = { reader = "keyboard", device = "/dev/input/event0" }  |  left = { reader = "keyboard", device = "event0" }  |  2: bank.left.device
left = { reader = "keyboard", device = "/dev/input/event0" }  |  left = { reader = "keyboard", device = "/dev/k" } ; right = { reader = "keyboard", device = "/dev/k" }  |  3: bank.right.device
left = { reader = "bumps", pins = [7, 8, 9] }  |  left = { reader = "bumps", pins = [7, 8, 9] } ; right = { reader = "bumps", pins = [9, 10, 11] }  |  3: bank.right.pins entry 1
right = { reader = "rdm6300", port = "/dev/a" }  |  right = { reader = "rdm6300" }  |  2: [bank.right]
right = { reader = "rdm6300", port = "/dev/a" }  |  right = { reader = "rdm6300", port = "ttyUSB0" }  |  2: bank.right.port
right = { reader = "rdm6300", port = "/dev/a", hold_s = 5 }  |  right = { reader = "rdm6300", port = "/dev/a", hold_s = 6 }  |  2: bank.right.hold_s
left = { reader = "pn532", port = "/dev/a", hold_s = 0.11 }  |  left = { reader = "pn532", port = "/dev/a", hold_s = 0.1 }  |  2: bank.left.hold_s
left = { reader = "pn532", port = "/dev/a", hold_s = 1 }  |  left = { reader = "id12", port = "/dev/a", hold_s = 1 }  |  2: [bank.left]
display = { driver = "hd44780-i2c", bus = 3 } ; [block] ; button = 3  |  display = { driver = "hd44780-i2c", bus = 1 } ; [block] ; button = 3  |  4: block.button
display = { driver = "hd44780-i2c", bus = 3 } ; [block] ; button = 2  |  display = { driver = "hd44780-i2c" } ; [block] ; button = 2  |  4: block.button
display = { driver = "hd44780-i2c" }  |  display = { driver = "hd44780" }  |  2: bank.display.driver
display = { driver = "hd44780-i2c", bus = 0 }  |  display = { driver = "hd44780-i2c", bus = "/dev/i2c-1" }  |  2: bank.display.bus
display = { driver = "ssd1306", address = 0x3D }  |  display = { driver = "ssd1306", address = 0x3E }  |  2: bank.display.address
display = { driver = "hd44780-i2c", address = 0x20 }  |  display = { driver = "hd44780-i2c", address = 0x28 }  |  2: bank.display.address
display = { driver = "hd44780-i2c", address = 0x27 }  |  display = { driver = "hd44780-i2c", address = 27 }  |  2: bank.display.address
keypad = { rows = [8, 9, 10, 11], columns = [4, 5, 6, 7] }  |  keypad = { rows = [8, 9, 10], columns = [4, 5, 6, 7] }  |  2: bank.keypad.rows
keypad = { rows = [8, 9, 10, 11], columns = [4, 5, 6, 7] }  |  keypad = { rows = [8, 9, 8, 11], columns = [4, 5, 6, 7] }  |  2: bank.keypad.rows entry 3
keypad = { rows = [8, 9, 10, 11], columns = [4, 5, 6, 7] }  |  keypad.rows = [8, 9, 10, 11]  |  2: [bank.keypad]
cards = ["62E3086CED"]  |  cards = ["62E3086CEX"]  |  2: bank.cards entry 1
cards = ["bumps-7"]  |  cards = ["bumps-8"]  |  2: bank.cards entry 1
cards = ["09351929"]  |  cards = ["142,45817"]  |  2: bank.cards entry 1
left = { reader = "rdm6300", port = "/dev/a", sends = "once" }  |  left = { reader = "id12", port = "/dev/a", sends = "once" }  |  2: [bank.left]
left = { reader = "rdm6300", port = "/dev/a", sends = "once" }  |  left = { reader = "rdm6300", port = "/dev/a", sends = "twice" }  |  2: bank.left.sends
cards = ["62E3086CED", "62E3086CEE"]  |  cards = ["62E3086CED", "62e3086ced"]  |  2: bank.cards entry 2
names = ["👨‍👩‍👧‍👦 Gwendolyn-Sophie-M"]  |  names = ["👨‍👩‍👧‍👦 Gwendolyn-Sophie-Mo"]  |  2: bank.names entry 1
names = ["Zoë", "O’Brien", "安娜"]  |  names = ["\u202eZoë"]  |  2: bank.names entry 1
names = ["Banker", "Frank"]  |  names = ["Anna", "Bank"]  |  2: bank.names entry 2
names = ["Cardigan", "Karte"]  |  names = ["CARD 5"]  |  2: bank.names entry 1
names = ["Karla"]  |  names = ["Kàrte 5"]  |  2: bank.names entry 1
names = ["Anna", "Ben"]  |  names = ["Anna", "Anna"]  |  2: bank.names entry 2
language = "de"  |  language = "eo"  |  2: bank.language
cards = ['0000', '0001', '0002', '0003', '0004', '0005', '0006', '0007']  |  cards = ['0000', '0001', '0002', '0003', '0004', '0005', '0006', '0007', '0008']  |  2: bank.cards
left = { reader = "rdm6300", port = "/dev/a", hold_s = 1 }  |  left = { reader = "rdm6300", port = "/dev/a", hold = 1 }  |  2: [bank.left]
= [bank] ; left = { reader = "id12", port = "/dev/a" }
right = { reader = "pn532", port = "/dev/b" }  |  right = { reader = "pn532", port = "/dev/a" }  |  3: bank.right.port
= [bank] ; left = { reader = "rc522" }
right = { reader = "rc522", chip_select = 1 }  |  right = { reader = "rc522" }  |  3: bank.right
right = { reader = "bumps", pins = [4, 5, 6] }  |  right = { reader = "bumps", pins = [4, 5, 9] }  |  3: bank.right.pins entry 3
= [bank] ; left = { reader = "rdm6300", port = "/dev/a" }
right = { reader = "rdm6300", port = "/dev/b" }  |  right = { reader = "rdm6300", port = "/dev/a" }  |  3: bank.right.port
= [bank.left] ; reader = "rdm6300" ; port = "/dev/ttyAMA0" ; [bank.right] ; reader = "rdm6300"
port = "/dev/b"  |  port = "/dev/ttyS0"  |  6: bank.right.port
= [block] ; button = 15 ; [bank]
left = { reader = "rdm6300", port = "/dev/a" }  |  left = { reader = "rdm6300", port = "/dev/serial0" }  |  4: bank.left.port
= [block] ; button = 17 ; [speaker]
library = "silent"  |  library = "asla"  |  4: speaker.library
device = "plughw:1,0"  |  device = 1  |  4: speaker.device
volume = 4  |  volume = 5  |  4: speaker.volume
folder = "my sounds"  |  folder = ""  |  4: speaker.folder
= [block] ; button = 17 ; [page]
listen = "table.local:65535"  |  listen = "localhost"  |  4: page.listen
listen = "localhost:65535"  |  listen = "localhost:65536"  |  4: page.listen
listen = "localhost:1"  |  listen = "localhost:0"  |  4: page.listen
listen = "[fe80::1]:8080"  |  listen = "[fe80:::1]:8080"  |  4: page.listen
pin = "scrypt$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="  |  pin = "4711"  |  4: page.pin
pin = "scrypt$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="  |  pin = 4711  |  4: page.pin
= [block] ; button = 17 ; [mqtt]
broker = "192.168.1.10"  |  port = 1883  |  3: [mqtt]
broker = "fe80::1"  |  broker = "192.168.1.10:1883"  |  4: mqtt.broker
broker = "hall.local"  |  broker = ""  |  4: mqtt.broker
= [block] ; button = 17 ; [mqtt] ; broker = "hall.local"
port = 65535  |  port = 65536  |  5: mqtt.port
ca = "ca.pem"  |  ca = true  |  5: mqtt.ca
table = "table_3-b"  |  table = "Table 3"  |  5: mqtt.table
table = "abcdefghijklmnopqrstuvwxyz123456"  |  table = "abcdefghijklmnopqrstuvwxyz1234567"  |  5: mqtt.table
user = "a" ; password_file = "b"  |  user = "a"  |  5: mqtt.user
user = "a" ; password_file = "b"  |  password_file = "b"  |  5: mqtt.password_file
user = "a" ; password_file = "b" ; requests = true  |  requests = true  |  5: mqtt.requests
discovery = false  |  discovery = "no"  |  5: mqtt.discovery
share_names = true  |  share_name = true  |  5: [mqtt]
= [block] ; button = 17 ; [page]
pay = "free"  |  pay = 1  |  4: page.pay
pay = true  |  pay = "yes"  |  4: page.pay
= [block] ; button = 17 ; [state]
directory = "/srv/table"  |  directory = "a\nb"  |  4: state.directory
= [block] ; button = 17 ; [wiring.motor] ; running_ma = 300
stalled_ma = 300  |  stalled_ma = 299  |  5: wiring.motor.stalled_ma
= [block] ; button = 17 ; [wiring]
motor = { stalled_ma = 160 }  |  motor = { stalled_ma = 159 }  |  4: wiring.motor.stalled_ma
= [block] ; button = 17 ; [wiring.motor] ; driver = 'mosfet'
running_ma = 1500  |  running_ma = 1501  |  5: wiring.motor.running_ma
"""  # noqa: E501
"""After `=` the beginning of a config; then what may follow, what may not, and the problem's place. `;` ends a line."""


def rules() -> Iterator[Any]:
    start = ""
    for line in RULES.strip().splitlines():
        if line.startswith("="):
            start = line[2:]
        else:
            allowed, forbidden, place = line.split("  |  ")
            texts = (f"{start} ; {end}".removeprefix(" ; ").replace(" ; ", "\n") for end in (allowed, forbidden))
            yield pytest.param(*texts, place, id=forbidden)


@pytest.mark.parametrize(("allowed", "forbidden", "place"), list(rules()))
def test_a_rule(allowed: str, forbidden: str, place: str, file: Path) -> None:
    read(file, allowed)
    (problem,) = problems(file, forbidden)
    assert problem.startswith((f"{place} ", f"{place}:"))


def test_a_key_above_its_section_is_reported_with_the_section(file: Path) -> None:
    problem, *_ = problems(file, 'language = "de"')
    assert "[bank] or [die]" in problem


def test_all_problems_are_reported_at_once_in_the_order_of_the_file(file: Path) -> None:
    text = """
        edition = "monopoly"
        [bank]
        keypad = { rows = [17, 99, true, 18], columns = [0, 21, 23, 24] }
        left = { reader = "rdm6300", prot = "/dev/a" }
        [apple]
        lever = 17
        secconds = 3
        [block]
        lamp = 17
        """
    found = problems(file, text)
    assert [int(problem.split(":")[0]) for problem in found] == [2, 4, 4, 4, 5, 5, 7, 8, 9, 10]
    assert ["HAT" in problem for problem in found[1:4]] == [True, False, False], "only pins 0 and 1 belong to HATs"
    assert "true" in found[3]


@pytest.mark.parametrize("select", [0, 1])
@pytest.mark.parametrize("is_first", [True, False])
def test_leds_beside_two_readers_on_one_bus_are_one_problem(file: Path, select: int, is_first: bool) -> None:
    die = f'[die]\nbutton = 4\nmatrix = {{ driver = "max7219", modules = 3, chip_select = {select} }}\n'
    bank = '[bank]\nleft = { reader = "rc522" }\nright = { reader = "rc522", chip_select = 1 }\n'
    [problem] = problems(file, die + bank if is_first else bank + die)
    assert "an LED matrix or LED ring has this bus to itself" in problem
    assert "leave one of them out" in problem


def test_of_many_problems_the_first_are_listed(file: Path) -> None:
    found = problems(file, BLOCK + "\n".join(f"key{n} = 1" for n in range(100)))
    assert [int(problem.split(":")[0]) for problem in found[:-1]] == list(range(3, 23))
    assert "80" in found[-1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nb = yes\n", "2:"),
        ("[a]\n\n[a]\n", "3:"),
        ("a = 1\n\na = 2\n", "3:"),
        ("a = { b = 1, b = 2 }\n", "1:"),
        ("a = {}\na.b = 1\n", "2:"),
        ("a = 1\n\nb = [1,\n\n", "3:"),
        (b"a = 1\nb = '\xe4'\n", "2:"),
        ("a = 1\n" + "b." * 1000 + "c = 1", "2:"),
        ("a = " + "[\n" * 10_000, ""),
        ("#\n" * 32_769, ""),
    ],
)
def test_invalid_toml_is_reported_with_its_line(text: str | bytes, line: str, file: Path) -> None:
    (problem,) = problems(file, text)
    assert problem.startswith(line)


def test_the_largest_file_with_a_byte_order_mark(file: Path) -> None:
    text = "\ufeff" + BLOCK
    read(file, text + ("#" * 2000 + "\n") * 32 + "#" * (65_536 - 32 * 2001 - len(text.encode())))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")  # has no writer
    for name in ("missing", "bad\0name", "loop", "pipe", "."):
        with pytest.raises(ConfigError, match=re.escape(str(tmp_path))):
            load_config(tmp_path / name)


@pytest.mark.parametrize(("folder", "name"), [(".", "table.toml"), ("..", "here/table.toml")])
def test_relative_paths_begin_in_the_folder_of_the_file(
    folder: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "house.toml").write_text(WORLD.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir((here / folder).resolve())
    text = (
        'edition = "house.toml/quick"\n[block]\nbutton = 4\n[speaker]\nfolder = "sounds"\n[state]\ndirectory = "state"'
    )
    config = read(Path(name), text)
    assert config.edition == f"{here / 'house.toml'}/quick"
    assert config.speaker
    assert config.speaker.folder == here / "sounds"
    assert config.state.directory == here / "state"


@pytest.mark.parametrize(
    ("edition", "hint"),
    [
        ("classic-de/sped-die", "classic-de/speed-die"),
        ("house.toml/quik", "quick"),
        ("broken.toml", "salary"),
        ("missing.toml", "missing.toml"),
    ],
)
def test_a_bad_edition_is_reported_with_a_hint(file: Path, edition: str, hint: str) -> None:
    world = WORLD.read_text(encoding="utf-8")
    (file.parent / "house.toml").write_text(world, encoding="utf-8")
    (file.parent / "broken.toml").write_text(world.replace("salary = ", "salery = "), encoding="utf-8")
    found = problems(file, f'edition = "{edition}"\n{BLOCK}')
    assert found[0].startswith("1:")
    assert hint in "\n".join(found)
    assert "reboard setup" not in "\n".join(found), "it writes configs, not editions"


def test_the_hashed_pin_is_not_described(file: Path) -> None:
    config = read(file, f'{BLOCK}[apple]\nlever = 22\n[page]\npin = "{HostPin(bytes(16), bytes(32))}"')
    assert "scrypt" not in describe(config)
    assert "host" in describe(config)
    assert "None" not in describe(config)


@pytest.mark.parametrize(("pay", "words"), [("true", "confirms"), ('"ask"', "confirms"), ('"free"', "at once")])
def test_how_phones_pay_is_described(pay: str, words: str, file: Path) -> None:
    assert words in describe(read(file, f"{BLOCK}[page]\npay = {pay}"))
    assert "players" not in describe(read(file, f"{BLOCK}[page]\npay = false"))


def test_programs_get_the_devices_but_not_the_pin(file: Path) -> None:
    pin = HostPin.of("4711")
    file.write_text(f'[block]\nbutton = 17\n[page]\npin = "{pin}"\n[state]\ndirectory = "/srv"\n')
    assert described_devices(load_config(file)) == {"block": {"button": 17}}


def errors_of(file: Path, raw: bytes) -> list[str]:
    file.write_bytes(raw)
    try:
        describe(load_config(file))
    except ConfigError as error:
        return str(error).splitlines()
    return []


ODD_WORDS = b'-1 1e400 true nan [[ {} [] \'\' x [[]] 1979-05-27 """ \n'.split(b" ")
ODD_WORDS += [b"0x" + b"f" * 400, b""]


def test_any_damage_to_the_shipped_file_causes_config_errors_only(file: Path) -> None:
    rng = random.Random(20261121)
    whole = re.sub(rb"(?m)^# (\[\w+\]$|\w+ = )", rb"\1", SHIPPED.read_bytes())
    for _ in range(150):
        start, end = sorted(rng.randrange(len(whole)) for _ in range(2))
        end = min(end, start + rng.choice([0, 1, 4, 40, 4000]))
        damaged = whole[:start] + rng.choice([*whole.split(), *ODD_WORDS]) + whole[end:]
        assert all(error.startswith(f"{file}:") for error in errors_of(file, damaged)), damaged


HERE = Path(__file__).parents[2]


def keys_of(section: Section[Any]) -> Iterator[str]:
    """Every key that *section* and the sections inside it have, without the names of the sections."""
    for name, reader in section.keys.items():
        yield name
        reader = accessories()[name].section if name in accessories() else reader
        inner = reader.entry if isinstance(reader, Several) else reader
        for kind in inner.kinds.values() if isinstance(inner, ByKind) else [inner]:
            if isinstance(kind, Section):
                yield from keys_of(kind)


ALL_KEYS = sorted(set(keys_of(TableSection(Path()))))


@pytest.mark.parametrize("key", ALL_KEYS)
def test_every_key_is_in_the_shipped_file_and_explained(key: str) -> None:
    shipped = SHIPPED.read_text(encoding="utf-8")
    is_outcome = key in KINDS  # the file has those of the rule book
    assert is_outcome or re.search(rf"(^(# )?\[|^# |^|[{{,] ){key}(\]| = )", shipped, re.MULTILINE)
    explained = (HERE / "docs" / "config.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| `{key}`|^## .*`\[?{key}\]?`|^### .*`{key}`", explained, re.MULTILINE)


def test_the_shipped_config_is_complete() -> None:
    config = load_config(SHIPPED)
    assert config.mqtt is None, "a table that is not published is complete"
    assert None not in dataclasses.astuple(dataclasses.replace(config, mqtt=MqttConfig("localhost")))
    assert config.section("bank") is not None
    assert config.section("bank").cards == (), "example cards would take all the numbers"


def test_the_commented_settings_of_the_shipped_config_are_valid(tmp_path: Path) -> None:
    """What is commented out is what happens anyway, or at least something that would work."""
    plain = SHIPPED.read_text(encoding="utf-8")
    live = re.sub(r"^# (\[\w+\]$|\w+ = )", r"\1", plain, flags=re.MULTILINE)
    file = tmp_path / "table.toml"
    file.write_text(live, encoding="utf-8")
    config = load_config(file)
    assert live.count("\n# ") < plain.count("\n# ")
    default = load_config(SHIPPED)
    assert config.section("block") == default.section("block")
    assert dataclasses.replace(config.section("apple"), pattern=None) == default.section("apple")


class Mumbling(Dragon):
    """A plug-in that cannot name its language."""

    def language(self, config: object) -> str:
        raise RuntimeError("a bug")


def test_a_plug_in_without_a_language_leaves_that_of_the_others(file: Path) -> None:
    with installed(Mumbling(), BANKER_UNIT):
        assert read(file, "[bank]\nlanguage = 'de'\n[dragon]").language == "de"


def test_without_a_file_a_pin_that_is_used_twice_has_no_line() -> None:
    with pytest.raises(ConfigError, match=r"block\.lamp uses pin 17, which block\.button already uses"):
        parse_config({"block": {"button": 17, "lamp": 17}}, path=Path("table.toml"))
