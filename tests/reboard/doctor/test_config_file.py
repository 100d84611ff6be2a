from __future__ import annotations

import pytest

from reboard import last_good
from reboard.doctor import config_file
from reboard.finding import note, wrong
from reboard.settings.state_directory import LAST_GOOD_NAME
from tests.reboard.doctor.made_up import TABLE, MadeUpMachine, examined


def test_every_mistake_in_the_config_is_told_with_its_line(pi: MadeUpMachine) -> None:
    said = examined(pi, TABLE.replace("lamp = 27", "lmap = 27").replace("button = 17", "button = 99"), wired=TABLE)
    file = pi.root / "table.toml"
    told = [finding for finding in said.findings if finding.name == "config.file"]
    assert [finding.what.split(": ")[0] for finding in told] == [f"{file}:4", f"{file}:5"]
    assert told[0].do == f"Mend that line, then `reboard check -c {file}` looks again."


def test_without_a_usable_config_all_is_looked_at_that_needs_none(pi: MadeUpMachine) -> None:
    said = examined(pi, "edition = ", wired=TABLE)
    assert said.wrong == ["config.file"]
    assert {"kernel.header", "disk.space", "power.supply"} <= {finding.name for finding in said.findings}


def test_a_config_that_is_not_there_is_told_with_who_writes_one(pi: MadeUpMachine) -> None:
    file = pi.root / "table.toml"
    said = examined(pi, wired=TABLE, hands=lambda _: file.unlink())
    assert said["config.file"] == wrong(
        "config.file", f"There is no config: {file} is missing.", f"`sudo reboard setup -c {file}` asks and writes one."
    )


def test_with_a_last_good_config_the_rest_is_looked_at_by_that(pi: MadeUpMachine) -> None:
    state = pi.root / "state"
    state.mkdir()
    good = TABLE + f'[state]\ndirectory = "{state}"\n'
    (state / LAST_GOOD_NAME).write_text(good)
    said = examined(pi, good.replace("lamp = 27", "lmap = 27"), wired=TABLE)
    assert said["config.last_good"].what == "Until then the table plays with the last config that was good."
    assert "readers.left" in said


def test_a_config_that_who_looks_may_not_read_is_no_mistake(pi: MadeUpMachine) -> None:
    file = pi.root / "table.toml"
    pi.kept_from.add(str(file))
    # for root, who runs tests in some places, every file can be read: what cannot be used is none in either case
    assert examined(pi, "edition = ", wired=TABLE)["config.file"] == note(
        "config.file",
        f"anna may not read {file}: nothing is known of what is wired.",
        "`sudo reboard doctor` reads it.",
    )


def test_a_config_that_who_plays_may_not_read_is_told_with_how_they_may(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = pi.root / "table.toml"
    pi.not_theirs.add(("reboard", str(file)))
    monkeypatch.setattr(config_file, "USUAL_CONFIG", file)
    said = examined(pi, TABLE.replace("lamp = 27", "lmap = 27"), wired=TABLE)
    assert said["config.rights"] == wrong(
        "config.rights",
        f"reboard, who plays, may not read {file}.",
        f"`sudo chgrp reboard-door {file}` and `sudo chmod 640 {file}`, then `sudo systemctl reload reboard`.",
    )
    assert said.wrong == ["config.rights", "config.file"]


def test_a_config_that_who_plays_may_not_read_is_not_told_as_one_to_play_with(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi.not_theirs.add(("reboard", str(pi.root / "table.toml")))
    assert "config.file" in examined(pi)
    monkeypatch.setattr(config_file, "USUAL_CONFIG", pi.root / "table.toml")
    said = examined(pi)
    assert said.wrong == ["config.rights"]
    assert "config.file" not in said


def test_a_config_of_somebodys_own_need_not_be_read_by_the_service(pi: MadeUpMachine) -> None:
    pi.not_theirs.add(("reboard", str(pi.root / "table.toml")))
    assert "config.rights" not in examined(pi)


def test_where_no_service_is_no_config_is_the_services(pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    file = pi.root / "table.toml"
    pi.not_theirs.add((pi.caller, str(file)))
    del pi.units["reboard.service"]
    monkeypatch.setattr(config_file, "USUAL_CONFIG", file)
    assert "config.rights" not in examined(pi)


def test_without_a_config_too_it_is_told_that_the_last_good_one_plays(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, file = pi.root / "state", pi.root / "table.toml"
    state.mkdir()
    (state / LAST_GOOD_NAME).write_text(TABLE)
    monkeypatch.setattr(last_good, "state_directory", lambda _: state)
    said = examined(pi, wired=TABLE, hands=lambda _: file.unlink())
    assert said["config.file"].what == f"There is no config: {file} is missing."
    assert "config.last_good" in said
