from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from reboard.edition import load_edition
from reboard.errors import ConfigError
from reboard.last_good import LAST_GOOD_EDITIONS, choose_config
from reboard.settings import state_directory
from reboard.settings.reading import LARGEST_FILE_BYTES
from reboard.settings.state_directory import LAST_GOOD_NAME

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


def test_a_pipe_in_the_place_of_the_config_keeps_nobody_waiting(config: Path) -> None:
    config.unlink()
    os.mkfifo(config)
    with pytest.raises(ConfigError, match="it cannot be read: it is a pipe or a device, and no file"):
        choose_config(config)


@pytest.mark.parametrize(
    "bad", [BAD_VALUE, NO_TOML, "oops\n" + GOOD, GOOD.replace("[state]\n", "# directory = '/x'\n") + "oops"]
)
def test_the_last_good_config_is_found_however_bad_the_present_one_is(config: Path, bad: str) -> None:
    choose_config(config).keep()
    config.write_text(bad)
    assert choose_config(config).config.apple


def test_a_config_that_may_not_be_read_falls_back_too(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choose_config(config).keep()
    monkeypatch.setattr(state_directory, "USUAL_STATE_DIRECTORY", config.parent / "state")
    really_open = Path.open

    def forbidden(path: Path, mode: str = "r", *args: Any) -> Any:
        if path == config:  # not by its mode, which is nothing to root
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return really_open(path, mode, *args)

    monkeypatch.setattr(Path, "open", forbidden)
    chosen = choose_config(config)
    assert chosen.config.apple
    assert chosen.problem
    assert f"{config}: it cannot be read: Permission denied" in chosen.problem


def test_a_config_that_is_too_large_falls_back_too(config: Path) -> None:
    choose_config(config).keep()
    config.write_text(GOOD + "#\n" * LARGEST_FILE_BYTES)
    chosen = choose_config(config)
    assert chosen.config.apple
    assert chosen.problem == f"{config}: it is larger than 64 kB, which no file of settings is"


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
    monkeypatch.setattr(state_directory, "USUAL_STATE_DIRECTORY", usual)
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


EDITION = """
title = "Our own"
short_title = "OUR OWN"
start = 100
salary = 10
jail_fee = 5
money = { units = false, smallest = 5 }
players = { fewest = 2, most = 4 }
"""

VARIANT = """
[variants.race]
title = { en = "race", de = "Rennen" }
short_title = "Race"
start = 300
"""


@pytest.fixture
def own_edition(config: Path) -> Path:
    edition = config.parent / "games" / "own.toml"
    edition.parent.mkdir()
    edition.write_text(EDITION)
    config.write_text('edition = "games/own.toml"\n' + GOOD)
    return edition


@pytest.mark.parametrize("bad", ["", "oops", EDITION.replace("start = 100", "start = 101"), None])
def test_an_edition_of_the_owners_that_broke_falls_back_to_what_it_was(
    config: Path, own_edition: Path, bad: str | None
) -> None:
    choose_config(config).keep()
    if bad is None:
        own_edition.unlink()
    else:
        own_edition.write_text(bad)
    chosen = choose_config(config)
    assert chosen.problem
    assert str(own_edition) in chosen.problem or "this edition cannot be played" in chosen.problem
    edition = load_edition(chosen.config.edition)
    assert (edition.name, edition.start) == ("own", 100), "under another name a new game would begin"
    chosen.keep()
    assert load_edition(choose_config(config).config.edition) == edition


def test_a_variant_of_an_edition_of_the_owners_falls_back_too(config: Path, own_edition: Path) -> None:
    own_edition.write_text(EDITION + VARIANT)
    config.write_text('edition = "games/own.toml/race"\n' + GOOD)
    choose_config(config).keep()
    own_edition.write_text(EDITION)
    edition = load_edition(choose_config(config).config.edition)
    assert (edition.name, edition.start) == ("own/race", 300)


def test_an_edition_of_the_owners_is_read_where_it_lies_while_it_is_good(config: Path, own_edition: Path) -> None:
    choose_config(config).keep()
    own_edition.write_text(EDITION.replace("start = 100", "start = 200"))
    assert load_edition(choose_config(config).config.edition).start == 200


def test_a_last_good_config_whose_edition_broke_too_does_not_hide_the_problem(config: Path, own_edition: Path) -> None:
    choose_config(config).keep()
    own_edition.write_text("oops")
    (kept,) = (config.parent / "state" / LAST_GOOD_EDITIONS).glob("*/own.toml")
    kept.write_text("rubbish")
    with pytest.raises(ConfigError, match="this edition cannot be played"):
        choose_config(config)
