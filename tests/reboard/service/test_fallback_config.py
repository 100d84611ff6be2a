from __future__ import annotations

import os
from pathlib import Path

import pytest

from reboard.config import reading
from reboard.config.reading import LAST_GOOD_NAME
from reboard.editions.edition import load_edition
from reboard.errors import ConfigError
from reboard.service import fallback_config
from reboard.service.fallback_config import choose_config

GOOD = '[apple]\nlever = 22\nmotor = 13\nseconds = 20\n[speaker]\nfolder = "own"\n[state]\ndirectory = "state"\n'
BAD_VALUE = GOOD.replace("20", "1000")
NO_TOML = GOOD + "oops"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(GOOD)
    return path


def test_a_good_config_is_kept_once_the_table_has_started(config: Path) -> None:
    chosen = choose_config(config)
    assert chosen.config.section("apple")
    assert chosen.problem is None
    kept = config.parent / "state" / LAST_GOOD_NAME
    assert not kept.exists()
    chosen.keep()
    assert kept.read_text() == GOOD
    assert [path.name for path in kept.parent.iterdir()] == [LAST_GOOD_NAME]


def test_a_bad_config_falls_back_to_the_last_good_one(config: Path, caplog: pytest.LogCaptureFixture) -> None:
    choose_config(config).keep()
    config.write_text(BAD_VALUE)
    chosen = choose_config(config)
    assert chosen.config.section("apple")
    assert chosen.config.section("apple").seconds == 20
    assert chosen.problem
    assert f"{config}:4: apple.seconds" in chosen.problem
    assert chosen.problem in caplog.text
    assert "last good config" in caplog.text
    assert chosen.config.speaker
    assert chosen.config.speaker.folder == config.parent / "own"
    assert chosen.config.state.directory == config.parent / "state"


@pytest.mark.parametrize("bad", [NO_TOML, "oops\n" + GOOD, GOOD.replace("[state]\n", "# directory = '/x'\n") + "oops"])
def test_the_last_good_config_is_found_for_any_bad_config(config: Path, bad: str) -> None:
    choose_config(config).keep()
    config.write_text(bad)
    assert choose_config(config).config.section("apple")


def test_a_damaged_last_good_config_does_not_hide_the_problem(config: Path) -> None:
    choose_config(config).keep()
    (config.parent / "state" / LAST_GOOD_NAME).write_text("rubbish")
    config.write_text(BAD_VALUE)
    with pytest.raises(ConfigError, match=r"table.toml:4: apple.seconds"):
        choose_config(config)


@pytest.mark.parametrize("text", [None, "", '[state]\ndirectory = ["a"]', "state = 3"])
def test_without_a_state_setting_the_default_directory_is_searched(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    usual = tmp_path / "usual"
    usual.mkdir()
    (usual / LAST_GOOD_NAME).write_text(GOOD)
    monkeypatch.setattr(reading, "DEFAULT_STATE_DIRECTORY", usual)
    if text is None:
        config.unlink()
        monkeypatch.setattr(fallback_config, "DEFAULT_CONFIG", config)
    else:
        config.write_text(text)
    apple = choose_config(config).config.section("apple")
    assert apple
    assert apple.seconds == 20
    with pytest.raises(ConfigError, match=r"tabel\.toml: this file does not exist"):
        choose_config(tmp_path / "tabel.toml")  # the user's -c names it


def test_a_failed_save_is_a_warning(config: Path, caplog: pytest.LogCaptureFixture) -> None:
    (config.parent / "state").write_text("no directory")
    choose_config(config).keep()
    assert "was not saved" in caplog.text


EDITION = """
title = "Our own"
short_title = "OUR OWN"
start = 100
salary = 10
jail_fee = 5
money = { units = false, smallest = 5 }
players = { fewest = 2, most = 4 }
"""


@pytest.fixture
def own_edition(config: Path) -> Path:
    edition = config.parent / "games" / "own.toml"
    edition.parent.mkdir()
    edition.write_text(EDITION)
    config.write_text('edition = "games/own.toml"\n' + GOOD)
    return edition


def test_only_the_owner_can_read_what_is_kept(config: Path, own_edition: Path) -> None:
    before = os.umask(0o022)
    try:
        for text in (config.read_text(), config.read_text(), config.read_text() + "# changed\n"):
            config.write_text(text)
            choose_config(config).keep()
            kept = [file for file in (config.parent / "state").rglob("*") if file.is_file()]
            assert sorted(file.name for file in kept) == ["own.toml", LAST_GOOD_NAME]
            for file in kept:
                assert file.stat().st_mode & 0o777 == 0o600
                file.chmod(0o644)  # as an older version left it
    finally:
        os.umask(before)


@pytest.mark.parametrize("bad", ["", "oops", EDITION.replace("start = 100", "start = 101"), None])
def test_a_broken_own_edition_falls_back_to_the_last_good_one(config: Path, own_edition: Path, bad: str | None) -> None:
    choose_config(config).keep()
    if bad is None:
        own_edition.unlink()
    else:
        own_edition.write_text(bad)
    chosen = choose_config(config)
    assert chosen.problem
    assert str(own_edition) in chosen.problem or "the edition file is invalid" in chosen.problem
    edition = load_edition(chosen.config.edition)
    assert (edition.name, edition.start) == ("own", 100), "under another name a new game would begin"
    chosen.keep()
    assert load_edition(choose_config(config).config.edition) == edition
