"""`reboard doctor` on a machine that is well, and on one where a lot is wrong; each finding is one that was made so."""

from __future__ import annotations

import json

from tests.vm.machine.machine import Machine
from tests.vm.machine.table import REBOARD, Table

NO_STRICT_GPIOD = {"kernel.motor"}
"""The machine's kernel is told nothing by a ``config.txt``: no boot loader has read it."""


def test_of_a_table_at_play_nothing_is_wrong_but_what_no_boot_loader_has_read(table: Table) -> None:
    assert _wrong(table.machine) == NO_STRICT_GPIOD


def test_what_is_wrong_is_found_and_told_in_words(table: Table) -> None:
    inside = table.machine.inside
    table.stop()
    table.configure(display='{ driver = "hd44780-i2c", bus = 1, address = 0x3F }')
    inside.must("rm", "/dev/reboard-left")
    holder = inside.follow("sh", "-c", f"gpioset --mode=signal gpiochip0 {table.block.button}=1 & echo held; wait")
    holder.next()
    inside.must("sh", "-c", f"until gpioinfo gpiochip0 | grep -q 'line *{table.block.button}:.*gpioset'; do :; done")
    inside.must("chown", "-R", "root:root", "/var/lib/reboard")
    inside.must("systemctl", "stop", "reboard-page")
    expected = {"display.address", "readers.left", "pins.taken", "disk.owner", "page.answers"}
    assert _wrong(table.machine) == NO_STRICT_GPIOD | expected


def _wrong(machine: Machine) -> set[str]:
    """The names of what is wrong; every finding of those has a sentence that tells what to do."""
    examined = machine.inside.run(REBOARD, "doctor", "--json")
    told = json.loads(examined.text)
    wrong = [finding for finding in told["findings"] if finding["level"] == "wrong"]
    for finding in wrong:
        print(finding["name"], finding["what"], finding["do"])
        assert finding["do"]
    assert examined.status == (1 if wrong else 0)
    return {finding["name"] for finding in wrong}
