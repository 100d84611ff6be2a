from __future__ import annotations

import pytest

from reboard.finding import Level, fine, note, wrong
from tests.reboard.doctor.made_up import TABLE, MadeUpMachine, examined, installed

LOG = "`journalctl -u reboard -n 30` shows its last words"


def test_a_service_at_work_is_told_to_be(pi: MadeUpMachine) -> None:
    pi.units["reboard.service"] = installed()
    assert examined(pi)["service.state"] == fine("service.state", "The service is at work.")


@pytest.mark.parametrize(
    ("result", "status", "why"),
    [
        ("exit-code", "1", "it ended with an error"),
        ("exit-code", "2", "its config cannot be played with"),
        ("exit-code", "3", "it failed too often, and is started no more"),
        ("watchdog", "6", "it hung, and was ended by the watchdog"),
        ("oom-kill", "9", "the memory was full, and it was killed"),
        ("exec-condition", "0", "systemd calls it exec-condition"),
    ],
)
def test_a_service_that_has_failed_is_told_with_why(pi: MadeUpMachine, result: str, status: str, why: str) -> None:
    failed = installed(ActiveState="failed", SubState="failed", Result=result, ExecMainStatus=status)
    pi.units["reboard.service"] = failed
    assert examined(pi)["service.state"] == wrong(
        "service.state", f"The service has failed: {why}.", f"{LOG}; `sudo systemctl restart reboard`."
    )


def test_past_systemds_own_limit_the_failure_has_to_be_forgotten_first(pi: MadeUpMachine) -> None:
    pi.units["reboard.service"] = installed(ActiveState="failed", SubState="failed", Result="start-limit-hit")
    assert examined(pi)["service.state"].do == (
        f"{LOG}; `sudo systemctl reset-failed reboard`, then `sudo systemctl restart reboard`."
    )


def test_a_service_that_waits_to_be_restarted_is_wrong(pi: MadeUpMachine) -> None:
    pi.units["reboard.service"] = installed(
        ActiveState="activating", SubState="auto-restart", NRestarts="7", StatusText="the pins cannot be used"
    )
    said = examined(pi)
    assert said["service.state"] == wrong(
        "service.state",
        "The service waits before it tries again. It says: The pins cannot be used.",
        f"{LOG}.",
    )
    assert said["service.restarts"].what == "It had to be restarted 7 times since it was started."


def test_a_service_that_is_starting_is_worth_a_note(pi: MadeUpMachine) -> None:
    pi.units["reboard.service"] = installed(ActiveState="activating", SubState="start")
    found = examined(pi)["service.state"]
    assert (found.level, found.what) == (Level.NOTE, "The service is still starting.")


@pytest.mark.parametrize(
    ("directory", "writable", "is_wrong"),
    [
        ("/var/lib/reboard", "/run/reboard", False),
        ("/data/reboard", "/run/reboard", True),
        ("/data/reboard", "/run/reboard /data", False),
    ],
)
def test_a_ledger_where_the_service_may_not_write_is_wrong(
    pi: MadeUpMachine, directory: str, writable: str, is_wrong: bool
) -> None:
    pi.units["reboard.service"] = installed(ReadWritePaths=writable, ProtectHome="yes")
    said = examined(pi, f'{TABLE}[state]\ndirectory = "{directory}"\n')
    assert ("service.paths" in said) == is_wrong
    if is_wrong:
        assert "ReadWritePaths=/data/reboard" in said["service.paths"].do


@pytest.mark.parametrize("hides", ["yes", "no"])
def test_sounds_in_a_home_that_the_service_does_not_see_are_wrong(pi: MadeUpMachine, hides: str) -> None:
    pi.units["reboard.service"] = installed(ProtectHome=hides)
    said = examined(pi, TABLE.replace("[speaker]", '[speaker]\nfolder = "/home/anna/sounds"'))
    assert ("service.paths" in said) == (hides == "yes")


def test_a_table_that_has_given_up_is_wrong(pi: MadeUpMachine) -> None:
    pi.units["reboard-safe.service"] = installed()
    assert examined(pi)["service.safe"] == wrong(
        "service.safe", "The table has given up, and lamp and sound call for help.", f"{LOG}."
    )


def test_what_safe_mode_has_is_left_alone(pi: MadeUpMachine) -> None:
    pi.units["reboard-safe.service"] = installed()
    pi.taken_by(GPIO13="lg", GPIO27="lg")
    said = examined(pi)
    assert said.wrong == ["service.safe"]
    assert said["service.door"] == note(
        "service.door", "Safe mode has the pins and the sound device: they were left alone."
    )


def test_a_motor_that_was_not_held_while_the_machine_started_is_wrong(pi: MadeUpMachine) -> None:
    pi.units["reboard-motor.service"] = installed(ActiveState="failed")
    assert examined(pi)["service.motor"] == wrong(
        "service.motor",
        "The motor was not held still while the machine started.",
        "`journalctl -b -u reboard-motor` tells why.",
    )


def test_a_service_that_does_not_start_with_the_machine_is_worth_a_note(pi: MadeUpMachine) -> None:
    pi.units["reboard.service"] = installed(UnitFileState="disabled")
    assert examined(pi)["service.enabled"] == note(
        "service.enabled", "The service does not start with the machine.", "`sudo systemctl enable reboard`"
    )


def test_a_table_that_is_no_service_is_worth_a_note(pi: MadeUpMachine) -> None:
    del pi.units["reboard.service"]
    pi.commands |= {"id -nG anna": "gpio dialout audio i2c", "id -nG": "gpio dialout audio i2c"}
    assert examined(pi)["service.installed"] == note(
        "service.installed",
        "The table is no service: it does not start with the machine.",
        "`sudo make install`, in reboard's folder, makes it one.",
    )


def test_where_there_is_no_systemd_that_is_told(pi: MadeUpMachine) -> None:
    pi.units = {}
    pi.commands |= {"id -nG anna": "gpio dialout audio i2c", "id -nG": "gpio dialout audio i2c"}
    assert examined(pi)["service.systemd"].level is Level.NOTE
