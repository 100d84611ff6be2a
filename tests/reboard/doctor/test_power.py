from __future__ import annotations

import pytest

from reboard.finding import Level
from tests.reboard.doctor.made_up import MadeUpMachine, examined


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("throttled=0x50005", "The supply is too weak right now: the Pi gets less than 4.63 V."),
        ("throttled=0x1", "The supply is too weak right now: the Pi gets less than 4.63 V."),
        ("throttled=0x50000", "The supply was too weak since the Pi was switched on."),
    ],
)
def test_a_supply_that_is_or_was_too_weak_is_wrong(pi: MadeUpMachine, said: str, what: str) -> None:
    pi.commands["vcgencmd get_throttled"] = said
    found = examined(pi)["power.supply"]
    assert (found.level, found.what) == (Level.WRONG, what)


def test_a_zero_which_has_no_detector_does_not_praise_its_supply(pi: MadeUpMachine) -> None:
    pi.write("/proc/device-tree/model", "Raspberry Pi Zero 2 W Rev 1.0\0")
    found = examined(pi)["power.supply"]
    assert (found.level, found.what) == (Level.NOTE, "A Pi Zero cannot tell whether its supply is strong enough.")


@pytest.mark.parametrize("said", ["throttled=0x8", "throttled=0x80000"])
def test_a_pi_that_is_or_was_too_hot_is_worth_a_note(pi: MadeUpMachine, said: str) -> None:
    pi.commands["vcgencmd get_throttled"] = said
    found = examined(pi)
    assert found["power.heat"].what == "The Pi was too hot, and slowed down."
    assert found.wrong == []


@pytest.mark.parametrize(("alarm", "level"), [("1\n", Level.WRONG), ("0\n", Level.FINE)])
def test_without_vcgencmd_the_kernels_alarm_is_looked_at(pi: MadeUpMachine, alarm: str, level: Level) -> None:
    del pi.commands["vcgencmd get_throttled"]
    pi.write("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", alarm)
    assert examined(pi)["power.supply"].level is level


def test_where_nobody_knows_nothing_is_said(pi: MadeUpMachine) -> None:
    pi.commands["vcgencmd get_throttled"] = 'error=1 error_msg="Command not registered"'
    assert "power.supply" not in examined(pi)
