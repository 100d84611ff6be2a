from __future__ import annotations

import pytest

from reboard.finding import note, wrong
from tests.reboard.doctor.made_up import MadeUpMachine, examined

KEYBOARD = '[bank]\nleft = { reader = "keyboard", device = "/dev/input/event0" }'


@pytest.mark.parametrize(
    ("group", "what"),
    [
        ("gpio", "the header's pins"),
        ("dialout", "the serial lines"),
        ("i2c", "the display's wires"),
        ("audio", "the sound cards"),
    ],
)
def test_a_group_that_the_service_is_not_in_is_told_with_what_belongs_to_it(
    pi: MadeUpMachine, group: str, what: str
) -> None:
    pi.commands["id -nG reboard"] = pi.commands["id -nG reboard"].replace(group, "users")
    assert examined(pi)["user.groups"] == wrong(
        "user.groups",
        f"reboard, who plays, is not in the group {group}, to which {what} belong.",
        f"`sudo usermod -aG {group} reboard`, then `sudo systemctl restart reboard`.",
    )


def test_only_groups_that_the_config_needs_are_wanted(pi: MadeUpMachine) -> None:
    pi.commands["id -nG reboard"] = "reboard input"
    assert examined(pi, KEYBOARD).wrong == []
    pi.commands["id -nG reboard"] = "reboard"
    assert examined(pi, KEYBOARD)["user.groups"].what == (
        "reboard, who plays, is not in the group input, to which the readers that type belong."
    )


def test_without_a_service_who_looks_is_who_plays(pi: MadeUpMachine) -> None:
    pi.units = {}
    pi.commands |= {"id -nG anna": "anna dialout audio i2c", "id -nG": "anna dialout audio i2c"}
    assert examined(pi)["user.groups"] == wrong(
        "user.groups",
        "anna, who plays, is not in the group gpio, to which the header's pins belong.",
        "`sudo usermod -aG gpio anna`, then log out and in again.",
    )


def test_who_looks_as_root_by_sudo_is_not_taken_for_who_plays(pi: MadeUpMachine) -> None:
    pi.units = {}
    pi.who, pi.came_as = "root", "anna"
    pi.commands["id -nG anna"] = "anna dialout audio i2c"
    assert examined(pi)["user.groups"].what == (
        "anna, who plays, is not in the group gpio, to which the header's pins belong."
    )


def test_who_joined_a_group_after_logging_in_is_told_to_log_in_again(pi: MadeUpMachine) -> None:
    pi.units = {}
    pi.commands |= {"id -nG anna": "anna gpio dialout audio i2c", "id -nG": "anna dialout audio i2c"}
    said = examined(pi)
    assert said["user.session"] == wrong(
        "user.session", "anna is in the group gpio, but was not yet when this session began.", "Log out and in again."
    )
    assert "user.groups" not in said


def test_a_service_whose_user_is_gone_is_wrong(pi: MadeUpMachine) -> None:
    del pi.commands["id -nG reboard"]
    assert examined(pi)["user.groups"].what == "There is no user reboard, who should play."


def test_a_table_that_root_plays_is_worth_a_note(pi: MadeUpMachine) -> None:
    pi.units = {}
    pi.who = "root"
    assert examined(pi)["user.root"] == note(
        "user.root",
        "The table is played by root, who may do anything.",
        "`sudo make install`, in reboard's folder, gives it a user of its own.",
    )
