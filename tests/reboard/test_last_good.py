from __future__ import annotations

import os
from pathlib import Path

import pytest

from reboard import last_good
from reboard.config import StateConfig
from reboard.errors import ConfigError
from reboard.last_good import LAST_GOOD_NAME, choose_config

GOOD = '[apple]\nlever = 22\nmotor = 13\nseconds = 20\n[speaker]\nfolder = "own"\n[state]\ndirectory = "state"\n'
BAD_VALUE = GOOD.replace("20", "1000")
NO_TOML = GOOD + "oops"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(GOOD)
    return path


def test_a_good_config_is_chosen_and_kept_once_the_table_has_started(config: Path) -> None:
    chosen = choose_config(config)
    assert chosen.config.apple
    assert chosen.problem is None
    kept = config.parent / "state" / LAST_GOOD_NAME
    assert not kept.exists()
    chosen.keep()
    assert kept.read_text() == GOOD
    assert [path.name for path in kept.parent.iterdir()] == [LAST_GOOD_NAME]


def test_a_bad_config_falls_back_to_the_last_good_one_and_says_so(
    config: Path, caplog: pytest.LogCaptureFixture
) -> None:
    choose_config(config).keep()
    config.write_text(BAD_VALUE)
    chosen = choose_config(config)
    assert chosen.config.apple
    assert chosen.config.apple.seconds == 20
    assert chosen.problem
    assert f"{config}:4: apple.seconds" in chosen.problem
    assert chosen.problem in caplog.text
    assert "last good config" in caplog.text


@pytest.mark.parametrize(
    "bad", [BAD_VALUE, NO_TOML, "oops\n" + GOOD, GOOD.replace("[state]\n", "# directory = '/x'\n") + "oops"]
)
def test_the_last_good_config_is_found_however_bad_the_present_one_is(config: Path, bad: str) -> None:
    choose_config(config).keep()
    config.write_text(bad)
    assert choose_config(config).config.apple


def test_relative_paths_in_the_last_good_config_still_begin_where_the_config_lies(config: Path) -> None:
    choose_config(config).keep()
    config.write_text(BAD_VALUE)
    chosen = choose_config(config).config
    assert chosen.speaker
    assert chosen.speaker.folder == config.parent / "own"
    assert chosen.state.directory == config.parent / "state"


def test_playing_with_the_last_good_config_keeps_it(config: Path) -> None:
    choose_config(config).keep()
    config.write_text(BAD_VALUE)
    choose_config(config).keep()
    assert (config.parent / "state" / LAST_GOOD_NAME).read_text() == GOOD


def test_without_a_last_good_config_the_problem_is_raised(config: Path) -> None:
    config.write_text(BAD_VALUE)
    with pytest.raises(ConfigError, match=r"table.toml:4: apple.seconds"):
        choose_config(config)


def test_a_last_good_config_that_is_none_any_more_does_not_hide_the_problem(config: Path) -> None:
    choose_config(config).keep()
    (config.parent / "state" / LAST_GOOD_NAME).write_text("rubbish")
    config.write_text(BAD_VALUE)
    with pytest.raises(ConfigError, match=r"table.toml:4: apple.seconds"):
        choose_config(config)


@pytest.mark.parametrize("text", [None, "", '[state]\ndirectory = ["a"]', "state = 3"])
def test_a_config_that_does_not_even_name_its_state_is_looked_up_in_the_usual_place(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    usual = tmp_path / "usual"
    usual.mkdir()
    (usual / LAST_GOOD_NAME).write_text(GOOD)
    monkeypatch.setattr(last_good, "StateConfig", lambda: StateConfig(directory=usual))
    if text is None:
        config.unlink()
    else:
        config.write_text(text)
    apple = choose_config(config).config.apple
    assert apple
    assert apple.seconds == 20


def test_a_disk_that_does_not_take_it_is_a_warning(config: Path, caplog: pytest.LogCaptureFixture) -> None:
    (config.parent / "state").write_text("no directory")
    choose_config(config).keep()
    assert "could not be kept" in caplog.text


def test_a_power_cut_while_keeping_leaves_the_old_one(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choose_config(config).keep()
    config.write_text(GOOD.replace("20", "30"))

    def power_cut(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", power_cut)
    with pytest.raises(KeyboardInterrupt):
        choose_config(config).keep()
    assert (config.parent / "state" / LAST_GOOD_NAME).read_text() == GOOD


def test_an_unchanged_config_is_not_written_again(config: Path) -> None:
    choose_config(config).keep()
    kept = config.parent / "state" / LAST_GOOD_NAME
    before = kept.stat().st_ino
    choose_config(config).keep()
    assert kept.stat().st_ino == before
