from __future__ import annotations

import dataclasses
import os
import random
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.commands.describe import describe
from reboard.config import (
    SLOT_KINDS,
    DisplayConfig,
    KeypadConfig,
    PageConfig,
    Rdm6300Config,
    SpeakerConfig,
    StateConfig,
    TableConfig,
    load_config,
    parse_config,
    with_setting,
    without_setting,
)
from reboard.dance import Step
from reboard.errors import ConfigError
from reboard.host_pin import HostPin
from reboard.odds import Odds
from reboard.settings.pins_and_ports import Listen

WORLD = Path(str(resources.files("reboard.editions").joinpath("world.toml")))

HERE = Path(__file__).parents[2]
SHIPPED = HERE / "hardware" / "table.toml"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.toml"


def read(file: Path, text: str) -> TableConfig:
    file.write_text(text, encoding="utf-8")
    return load_config(file)


def problems(file: Path, text: str | bytes) -> list[str]:
    """What is told about a file with *text*, line by line, each shortened to ``line: sentence``."""
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    told = str(caught.value).splitlines()
    assert all(problem.startswith(f"{file}:") for problem in told)
    return [problem.removeprefix(f"{file}:").strip() for problem in told]


def test_a_file_says_what_is_plugged_in_where(file: Path) -> None:
    config = read(
        file,
        """
        edition = "super-mario"
        [block]
        button = 4
        bag = true
        [apple]
        lever = 5
        motor = 18
        seconds = 20
        pattern = [[1, 0.5], [0.25, 10]]
        [bank]
        left = { reader = "rdm6300", port = "/dev/ttyUSB0", hold_s = 1 }
        keypad = { rows = [6, 7, 8, 9], columns = [10, 11, 12, 13] }
        display = { driver = "hd44780-i2c", address = 0x3F }
        cards = ["62e3086ced", "bumps-3"]
        [speaker]
        [page]
        listen = "[::1]:80"
        pin = "scrypt$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        """,
    )
    assert config.path == file
    assert config.edition == "super-mario"
    assert config.block is not None
    assert (config.block.button, config.block.lamp, config.block.odds) == (4, None, Odds())
    assert (config.block.bag, config.block.quiet) == (True, False)
    assert config.apple is not None
    assert (config.apple.lever, config.apple.motor, config.apple.seconds) == (5, 18, 20.0)
    assert config.apple.pattern == (Step(1.0, 0.5), Step(0.25, 10.0))
    assert isinstance(config.apple.seconds, float), "a whole number of seconds is a number of seconds"
    assert config.bank is not None
    assert config.bank.left == Rdm6300Config("rdm6300", "/dev/ttyUSB0", 1.0)
    assert config.bank.right is None
    assert config.bank.keypad == KeypadConfig((6, 7, 8, 9), (10, 11, 12, 13))
    assert config.bank.display == DisplayConfig("hd44780-i2c", 1, 0x3F)
    assert config.bank.cards == ("62E3086CED", "bumps-3")
    assert config.speaker == SpeakerConfig(None, None, 3, None)
    assert config.page == PageConfig(Listen("::1", 80), HostPin(bytes(16), bytes(32)))
    assert str(config.page.listen) == "[::1]:80"
    assert config.state == StateConfig(Path("/var/lib/reboard"))


def test_what_has_no_section_is_not_built(file: Path) -> None:
    config = read(file, "[apple]\nlever = 4\n")
    assert (config.block, config.bank, config.speaker, config.page) == (None, None, None, None)
    assert config.apple is not None
    assert (config.apple.motor, config.apple.seconds, config.apple.pattern) == (None, 13.0, None)
    assert config.edition == "world"


BLOCK = "[block]\nbutton = 17\n"


def test_odds_need_one_that_can_happen(file: Path) -> None:
    nothing = BLOCK + "\nodds = { coins = [0], laugh = 0, power_up = 0, game_over = 0 }"
    read(file, nothing.replace("laugh = 0", "laugh = 1"))
    (told,) = problems(file, nothing)
    assert told == "4: [block.odds]: at least one weight must be above 0"


def test_all_problems_are_told_at_once_in_the_order_of_the_file(file: Path) -> None:
    text = """
        edition = "monopoly"
        [bank]
        keypad = { rows = [17, 99, "x", 18], columns = [20, 21, 23, 24] }
        left = { reader = "rdm6300", prot = "/dev/a" }
        [apple]
        lever = 17
        secconds = 3
        [block]
        lamp = 17
        """
    told = problems(file, text)
    assert [int(problem.split(":")[0]) for problem in told] == [2, 4, 4, 5, 5, 7, 8, 9, 10]
    assert [problem for problem in told if "pin 17" in problem] == [
        "7: apple.lever takes pin 17, which bank.keypad.rows entry 1 (line 4) has already",
        "10: block.lamp takes pin 17, which bank.keypad.rows entry 1 (line 4) has already",
    ]


def test_a_slot_that_is_not_understood_counts_all_the_same(file: Path) -> None:
    for unknown in ('reader = "rdm630", ', ""):
        text = f"""
            [bank]
            left = {{ reader = "rdm6300", port = "/dev/a" }}
            right = {{ {unknown}port = "/dev/a", hold_s = 9, pins = [1] }}
            """
        told = problems(file, text)
        assert len(told) == 4
        assert any(problem.startswith(("4: bank.right.reader must be", "4: [bank.right] needs")) for problem in told)
        assert "4: bank.right.port takes the port /dev/a, which bank.left.port (line 3) has already" in told
        assert any("hold_s must be a number" in problem for problem in told)
        assert any("pins must be a list of 3" in problem for problem in told)


def test_of_very_many_problems_the_first_are_told(file: Path) -> None:
    told = problems(file, BLOCK + "\n".join(f"key{n} = 1" for n in range(100)))
    assert [int(problem.split(":")[0]) for problem in told[:-1]] == list(range(3, 23))
    assert told[-1] == "and 80 more"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = 1\nb = yes\n", '2: this is not TOML: invalid value (column 5); a text stands in "quotes", '
                              "yes and no are true and false"),
        ("[a]\n\n[a]\n", "3: this key or section stands further up already (column 3)"),
        ("a = 1\n\na = 2\n", "3: this key or section stands further up already (column 6)"),
        ("a = { b = 1, b = 2 }\n", "1: this key or section stands further up already (column 19)"),
        ("a = {}\na.b = 1\n", "2: this key or section stands further up already (column 8)"),
        ("a = 1\n\nb = [1,\n\n", '3: this is not TOML: invalid value; a text stands in "quotes", yes and no are true '
                                  "and false"),
        (b"a = 1\nb = '\xe4'\n", "2: this line is not UTF-8: save the file as UTF-8"),
        ("a = 1\n" + "b." * 1000 + "c = 1", "2: this line is longer than 2000 bytes"),
        ("a = " + "[\n" * 10_000, "lists or tables stand in each other too deeply"),
        ("#\n" * 32_769, "it is larger than 64 kB, which no file of settings is"),
    ],
)  # fmt: skip
def test_what_is_not_toml_is_told_with_its_line(text: str | bytes, told: str, file: Path) -> None:
    (problem,) = problems(file, text)
    assert problem.startswith(told)


def test_a_file_may_be_as_large_as_the_limit_and_begin_with_a_mark(file: Path) -> None:
    text = "\ufeff" + BLOCK
    read(file, text + ("#" * 2000 + "\n") * 32 + "#" * (65_536 - 32 * 2001 - len(text.encode())))


def test_a_file_that_is_not_there_is_told(file: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value) == f"{file}: there is no such file"


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "round").symlink_to(tmp_path / "round")
    for name, why in (("bad\0name", ".*null"), ("round", "Too many levels of symbolic links$")):
        with pytest.raises(ConfigError, match=f"it cannot be read: {why}"):
            load_config(tmp_path / name)


def test_what_is_no_file_is_told_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, what in ((tmp_path, "a directory"), (tmp_path / "pipe", "a pipe or a device")):
        with pytest.raises(ConfigError) as caught:
            load_config(path)
        assert str(caught.value) == f"{path}: it cannot be read: it is {what}, and no file"


@pytest.mark.parametrize(("from_where", "asked_for"), [(".", "table.toml"), ("..", "here/table.toml")])
def test_paths_begin_where_the_file_lies(
    from_where: str, asked_for: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "house.toml").write_text(WORLD.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir((here / from_where).resolve())
    text = 'edition = "house.toml"\n[block]\nbutton = 4\n[speaker]\nfolder = "sounds"\n[state]\ndirectory = "state"\n'
    config = read(Path(asked_for), text)
    assert config.edition == str(here / "house.toml")
    assert config.speaker is not None
    assert config.speaker.folder == here / "sounds"
    assert config.state.directory == here / "state"


def test_an_edition_of_your_own_must_be_there(file: Path) -> None:
    assert problems(file, 'edition = "house.toml"\n' + BLOCK) == [
        f"1: there is no edition file {file.parent / 'house.toml'}"
    ]


def test_an_edition_of_your_own_that_cannot_be_played_is_told_with_its_own_line(file: Path) -> None:
    house = file.parent / "house.toml"
    house.write_text(WORLD.read_text(encoding="utf-8").replace("salary = ", "salery = "), encoding="utf-8")
    told = "\n".join(problems(file, 'edition = "house.toml"\n' + BLOCK))
    assert told.startswith("1: this edition cannot be played: ")
    assert 'did you mean "salary"?' in told


def test_a_variant_is_named_behind_its_edition(file: Path) -> None:
    assert read(file, 'edition = "classic-de/speed-die"\n' + BLOCK).edition == "classic-de/speed-die"
    house = file.parent / "house.toml"
    house.write_text(WORLD.read_text(encoding="utf-8"), encoding="utf-8")
    assert read(file, 'edition = "house.toml/quick"\n' + BLOCK).edition == f"{house}/quick"


@pytest.mark.parametrize(
    ("edition", "hint"), [("classic-de/sped-die", "classic-de/speed-die"), ("house.toml/quik", "quick")]
)
def test_a_variant_that_there_is_not_is_told_with_the_nearest_one(file: Path, edition: str, hint: str) -> None:
    house = file.parent / "house.toml"
    house.write_text(WORLD.read_text(encoding="utf-8"), encoding="utf-8")
    (told,) = problems(file, f'edition = "{edition}"\n{BLOCK}')
    assert told.startswith("1: ")
    assert f'did you mean "{hint}"?' in told


def test_a_config_cannot_be_changed(file: Path) -> None:
    config = read(file, BLOCK)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.block.button = 4  # type: ignore[union-attr, misc]


@pytest.mark.parametrize(
    ("key", "value", "meant"),
    [
        ("block.quiet", "true", True),
        ("apple.seconds", "20", 20),
        ("bank.cards", "[]", []),
        ("bank.left", '{ reader = "rdm6300", port = "/dev/b" }', {"reader": "rdm6300", "port": "/dev/b"}),
        ("edition", "nintendo", "nintendo"),
        ("edition", '"nintendo"', "nintendo"),
        ("page.listen", "0.0.0.0:8080", "0.0.0.0:8080"),
        ("state.directory", "/srv/a table", "/srv/a table"),
    ],
)
def test_one_setting_can_be_changed(key: str, value: str, meant: object) -> None:
    before = tomllib.loads(SHIPPED.read_text(encoding="utf-8"))
    changed: Any = with_setting(before, key, value)
    parse_config(changed, path=SHIPPED)
    *sections, name = key.split(".")
    around = changed
    for section in sections:
        around = around[section]
    assert around.pop(name) == meant
    assert before == tomllib.loads(SHIPPED.read_text(encoding="utf-8")), "the document itself stays as it was"


def test_a_setting_can_be_changed_in_a_section_that_was_not_there() -> None:
    assert with_setting({}, "bank.keypad.rows", "[1]") == {"bank": {"keypad": {"rows": [1]}}}


@pytest.mark.parametrize("value", ["[1, 2", '"open', "{ a = 1", "1\nb = 2", "", "\0"])
def test_what_is_neither_a_value_nor_a_word_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match=r"is no TOML value|is more than one value"):
        with_setting({}, "edition", value)


def test_a_key_inside_a_number_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^block.button.x: button is no section$"):
        with_setting({"block": {"button": 4}}, "block.button.x", "1")
    with pytest.raises(ConfigError, match=r"button is no section$"):
        without_setting({"block": {"button": 4}}, "block.button.x")


@pytest.mark.parametrize(
    ("key", "left"),
    [
        ("block", {"bank": {"names": []}}),
        ("bank.names", {"block": {"lamp": 5}, "bank": {}}),
        ("bank.left", {"block": {"lamp": 5}, "bank": {"names": []}}),
        ("apple.motor", {"block": {"lamp": 5}, "bank": {"names": []}}),
    ],
)
def test_a_setting_can_be_left_out_whether_it_is_there_or_not(key: str, left: dict[str, Any]) -> None:
    before: dict[str, Any] = {"block": {"lamp": 5}, "bank": {"names": []}}
    assert without_setting(before, key) == left
    assert before == {"block": {"lamp": 5}, "bank": {"names": []}}


def test_settings_that_are_in_no_file_are_told_as_wrong_where_they_were_said() -> None:
    document = {"block": {"button": 4, "lamp": 4}}
    for where, said in (("a script", "a script: "), ("", "")):
        with pytest.raises(ConfigError) as caught:
            parse_config(document, path=SHIPPED, where=where)
        assert str(caught.value) == f"{said}block.lamp takes pin 4, which block.button has already"


def test_a_changed_setting_is_judged_like_any_other() -> None:
    document = with_setting({"block": {"button": 4}}, "block.lamp", "4")
    with pytest.raises(ConfigError) as caught:
        parse_config(document, path=SHIPPED)
    assert str(caught.value) == f"{SHIPPED}: block.lamp takes pin 4, which block.button has already"


def test_every_reader_says_its_own_name() -> None:
    assert all("reader" in section.keys for section in SLOT_KINDS.values())


def complaints(file: Path, raw: bytes) -> list[str]:
    file.write_bytes(raw)
    try:
        describe(load_config(file))
    except ConfigError as error:
        return str(error).splitlines()
    return []


@settings(max_examples=200)
@given(raw=st.binary(max_size=200) | st.text(alphabet="[]{}=\",.'\\#\n1eblock apnk_", max_size=80).map(str.encode))
def test_no_bytes_are_more_than_a_complaint(raw: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "fuzz.toml"
    assert all(complaint.startswith(f"{file}:") for complaint in complaints(file, raw))


def test_no_mutilated_file_is_more_than_a_complaint(file: Path) -> None:
    rng = random.Random(20261121)
    whole = re.sub(rb"(?m)^# (\w+ = )", rb"\1", SHIPPED.read_bytes())
    words = [
        *whole.split(),
        b"-1",
        b"1e400",
        b"true",
        b"nan",
        b"[[",
        b"{}",
        b"[]",
        b'"""',
        b"\n",
        b"0x" + b"f" * 400,
        b"",
    ]
    for _ in range(400):
        cut, end = sorted(rng.randrange(len(whole)) for _ in range(2))
        end = min(end, cut + rng.choice([0, 1, 4, 40, 4000]))
        mutilated = whole[:cut] + rng.choice(words) + whole[end:]
        assert all(complaint.startswith(f"{file}:") for complaint in complaints(file, mutilated)), mutilated


ODD_VALUES = (
    "0",
    "-1",
    "1e999",
    "nan",
    "true",
    "''",
    "x",
    "[]",
    "[[]]",
    "{}",
    "{ a = 1 }",
    "1979-05-27",
    "0x" + "f" * 4000,
)


def test_a_setting_of_any_kind_anywhere_is_no_more_than_a_complaint() -> None:
    document = tomllib.loads(re.sub(r"(?m)^# (\w+ = )", r"\1", SHIPPED.read_text(encoding="utf-8")))
    for key in dotted(document):
        for value in ODD_VALUES:
            with suppress(ConfigError):
                parse_config(with_setting(document, key, value), path=SHIPPED)


def dotted(document: dict[str, Any], around: str = "") -> Iterator[str]:
    for key, value in document.items():
        yield around + key
        if isinstance(value, dict):
            yield from dotted(value, f"{around}{key}.")
