"""`reboard doctor` finds everything that is wrong with the machine, and nothing else."""

from __future__ import annotations

import json

from tests.vm.machine.table import REBOARD, Table

NO_STRICT_GPIOD = "kernel.motor"
"""No boot loader has read ``config.txt``."""


def test_a_table_at_play_has_no_fault(table: Table) -> None:
    assert _wrong(table) == {NO_STRICT_GPIOD}


def test_the_doctor_finds_each_fault_and_its_remedy(table: Table) -> None:
    inside, pin = table.inside, table.block.button
    table.inside.must("systemctl", "stop", "reboard", "reboard-page")
    table.configure(display='{ driver = "hd44780-i2c", bus = 1, address = 0x3F }')
    inside.must("rm", "/dev/reboard-left")
    inside.must("gpioset", "--daemonize", "--chip", "gpiochip0", f"{pin}=1")
    inside.must("chown", "-R", "root:root", "/var/lib/reboard")
    expected = {"display.address", "readers.left", "pins.taken", "disk.owner", "page.answers"}
    assert _wrong(table) == {NO_STRICT_GPIOD} | expected


def _wrong(table: Table) -> set[str]:
    """The names of the findings that are wrong."""
    done = table.inside.run(REBOARD, "doctor", "--json")
    wrong = [finding for finding in json.loads(done.text)["findings"] if finding["level"] == "wrong"]
    print(wrong)
    assert all(finding["do"] for finding in wrong)
    assert done.status == (1 if wrong else 0)
    return {finding["name"] for finding in wrong}
