from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from reboard.devices.readers.reader_kind import READER_KINDS, ReaderKind
from reboard.errors import ConfigError
from reboard.table_config import parse_config
from reboard_sim.scene import OUR_WIRING, Scene, with_setting


@pytest.mark.parametrize("kind", READER_KINDS.values(), ids=READER_KINDS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_table_knows_the_deck_by_what_its_readers_report(tmp_path: Path, kind: ReaderKind[Any], side: str) -> None:
    text = f"[bank]\n{side} = {kind.example(side)}\n"
    tags = Scene.of_text(text, Path("mine.toml"), tmp_path).config().section("bank").cards
    assert len(set(tags)) >= 7
    assert all(kind.cards.tag.fullmatch(tag) for tag in tags)
    given = f"{text}cards = ['ABCD']\n"
    assert Scene.of_text(given, Path("mine.toml"), tmp_path).config().section("bank").cards == ("ABCD",)


def test_a_scene_can_be_without_a_device_that_its_wiring_has(tmp_path: Path) -> None:
    scene = Scene.load(None, tmp_path).changed("apple").changed("bank.right")
    config = scene.config()
    assert config.section("apple") is None
    assert config.section("bank").left
    assert config.section("bank").right is None
    with pytest.raises(ConfigError, match="the table has no accessory"):
        scene.changed("block").changed("bank")


@pytest.mark.parametrize(
    ("setting", "meant"),
    [("block.lmap", "lamp"), ("aple", "apple"), ("wiring.lmap", None), ("bank.keypad.row", "rows")],
)
def test_a_setting_that_does_not_exist_cannot_be_removed(tmp_path: Path, setting: str, meant: str | None) -> None:
    scene = Scene.load(None, tmp_path)
    with pytest.raises(ConfigError, match=f'{setting}.*"{meant}"' if meant else setting):
        scene.changed(setting)
    assert scene.changed("block.linked").changed("wiring.motor.fuse_ma").document == scene.document


@pytest.mark.parametrize("setting", ["state", "state.directory"])
def test_a_play_cannot_change_the_state_directory(tmp_path: Path, setting: str) -> None:
    scene = Scene.load(None, tmp_path)
    for value in ('"/home/me/kept"', None):
        with pytest.raises(ConfigError, match="--state"):
            scene.changed(setting, value)


def test_a_missing_config_names_options_of_the_simulator(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist") as raised:
        Scene.load(tmp_path / "table.toml", tmp_path)
    assert "sudo" not in str(raised.value)


@pytest.mark.parametrize(
    ("key", "value", "meant"),
    [
        ("block.quiet", "true", True),
        ("bank.left", '{ reader = "rdm6300", port = "/dev/b" }', {"reader": "rdm6300", "port": "/dev/b"}),
        ("edition", "nintendo", "nintendo"),
        ("edition", '"nintendo"', "nintendo"),
        ("page.listen", "0.0.0.0:8080", "0.0.0.0:8080"),
        ("state.directory", "/srv/a table", "/srv/a table"),
    ],
)
def test_a_setting_is_changed_or_removed(key: str, value: str, meant: object) -> None:
    before = tomllib.loads(OUR_WIRING.read_text(encoding="utf-8"))
    changed: Any = with_setting(before, key, value)
    parse_config(changed, path=OUR_WIRING)
    *sections, name = key.split(".")
    assert with_setting({}, key, None) == {}
    for without in (with_setting(changed, key, None), changed):
        table: Any = without
        for section in sections:
            table = table[section]
        assert table.get(name) == (meant if without is changed else None)
    assert before == tomllib.loads(OUR_WIRING.read_text(encoding="utf-8")), "the document itself stays as it was"


@pytest.mark.parametrize("value", ["[1, 2", '"open', "{ a = 1", "1\nb = 2", "", "\0"])
def test_a_wrong_toml_value_is_an_error(value: str) -> None:
    with pytest.raises(ConfigError):
        with_setting({}, "edition", value)


def test_a_key_inside_a_number_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"block.button.x"):
        with_setting({"block": {"button": 4}}, "block.button.x", "1")
    with pytest.raises(ConfigError, match=r"block.button.x|button"):
        with_setting({"block": {"button": 4}}, "block.button.x", None)
