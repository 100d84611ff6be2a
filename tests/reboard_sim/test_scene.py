from __future__ import annotations

from pathlib import Path

import pytest

from reboard.errors import ConfigError
from reboard_sim.deck import DECK
from reboard_sim.scene import Scene

KEYS = "keypad = { rows = [4, 5, 6, 7], columns = [8, 9, 10, 11] }"


def cards_of(tmp_path: Path, bank: str) -> tuple[str, ...]:
    file = tmp_path / "table.toml"
    file.write_text(f"[bank]\n{bank}\n", encoding="utf-8")
    config = Scene.load(file, tmp_path).config()
    assert config.bank
    return config.bank.cards


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


def test_with_two_kinds_of_readers_the_left_one_counts(tmp_path: Path) -> None:
    left, right = "reader = 'pn532', port = '/dev/a'", "reader = 'id12', port = '/dev/b'"
    assert cards_of(tmp_path, f"left = {{ {left} }}\nright = {{ {right} }}")[0] == DECK[0][2:]


def test_a_table_with_cards_of_its_own_knows_those(tmp_path: Path) -> None:
    left = "left = { reader = 'pn532', port = '/dev/a' }"
    assert cards_of(tmp_path, f"{left}\ncards = ['ABCD']") == ("ABCD",)


def test_a_table_without_a_reader_knows_no_card(tmp_path: Path) -> None:
    assert cards_of(tmp_path, KEYS) == ()


def test_another_reader_makes_the_deck_known_anew(tmp_path: Path) -> None:
    scene = Scene.load(None, tmp_path)
    changed = scene.changed("bank.left", "{ reader = 'pn532', port = '/dev/a' }").config()
    assert changed.bank
    assert changed.bank.cards[0] == DECK[0][2:]


def test_a_scene_can_be_without_a_part_that_its_wiring_has(tmp_path: Path) -> None:
    scene = Scene.load(None, tmp_path).changed("apple").changed("bank.right")
    config = scene.config()
    assert config.apple is None
    assert config.bank
    assert config.bank.left
    assert config.bank.right is None
    with pytest.raises(ConfigError, match="nothing is plugged in"):
        scene.changed("block").changed("bank")


def test_the_scene_of_a_text_says_where_in_it_something_is_wrong(tmp_path: Path) -> None:
    good = "[block]\nbutton = 17\n"
    assert Scene.of_text(good, Path("mine.toml"), tmp_path).config().state.directory == tmp_path
    with pytest.raises(ConfigError, match=r"^mine\.toml:3: "):
        Scene.of_text(f"{good}lamb = 27\n", Path("mine.toml"), tmp_path)


@pytest.mark.parametrize("setting", ["state", "state.directory"])
def test_where_the_state_is_kept_is_nobodys_to_change(tmp_path: Path, setting: str) -> None:
    scene = Scene.load(None, tmp_path)
    with pytest.raises(ConfigError, match="where --state says"):
        scene.changed(setting, '"/home/me/kept"')
    with pytest.raises(ConfigError, match="where --state says"):
        scene.changed(setting)
