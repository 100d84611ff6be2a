from __future__ import annotations

from pathlib import Path

import pytest

from reboard.errors import ConfigError
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.scene import Scene


def cards_of(tmp_path: Path, bank: str) -> tuple[str, ...]:
    file = tmp_path / "table.toml"
    file.write_text(f"[bank]\n{bank}\n", encoding="utf-8")
    config = Scene.load(file, tmp_path).config()
    assert config.section("bank")
    cards: tuple[str, ...] = config.section("bank").cards
    return cards


@pytest.mark.parametrize(
    ("reader", "tags"),
    [
        ("reader = 'rdm6300', port = '/dev/a'", DECK),
        ("reader = 'id12', port = '/dev/a'", DECK),
        ("reader = 'pn532', port = '/dev/a'", tuple(card[2:] for card in DECK)),
        ("reader = 'bumps', pins = [20, 21, 22]", tuple(f"bumps-{code}" for code in range(1, 8))),
    ],
)
@pytest.mark.parametrize("slot", ["left", "right"])
def test_the_table_knows_the_deck_by_what_its_readers_say(
    tmp_path: Path, slot: str, reader: str, tags: tuple[str, ...]
) -> None:
    assert cards_of(tmp_path, f"{slot} = {{ {reader} }}") == tags


def test_a_table_with_cards_of_its_own_knows_those(tmp_path: Path) -> None:
    left = "left = { reader = 'pn532', port = '/dev/a' }"
    assert cards_of(tmp_path, f"{left}\ncards = ['ABCD']") == ("ABCD",)


def test_a_scene_can_be_without_a_part_that_its_wiring_has(tmp_path: Path) -> None:
    scene = Scene.load(None, tmp_path).changed("apple").changed("bank.right")
    config = scene.config()
    assert config.section("apple") is None
    assert config.section("bank")
    assert config.section("bank").left
    assert config.section("bank").right is None
    with pytest.raises(ConfigError, match="nothing is plugged in"):
        scene.changed("block").changed("bank")


def test_the_scene_of_a_text_says_where_in_it_something_is_wrong(tmp_path: Path) -> None:
    good = "[block]\nbutton = 17\n"
    assert Scene.of_text(good, Path("mine.toml"), tmp_path).config().state.directory == tmp_path
    with pytest.raises(ConfigError, match=r"^mine\.toml:3: "):
        Scene.of_text(f"{good}lamb = 27\n", Path("mine.toml"), tmp_path)


@pytest.mark.parametrize("setting", ["state", "state.directory"])
def test_a_play_cannot_change_the_state_directory(tmp_path: Path, setting: str) -> None:
    scene = Scene.load(None, tmp_path)
    with pytest.raises(ConfigError, match="--state"):
        scene.changed(setting, '"/home/me/kept"')
    with pytest.raises(ConfigError, match="--state"):
        scene.changed(setting)
