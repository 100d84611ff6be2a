from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reboard.devices.readers.reader_kind import READER_KINDS, ReaderKind
from reboard.errors import ConfigError
from reboard_sim.scene import Scene


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
