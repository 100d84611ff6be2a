from __future__ import annotations

import errno
from contextlib import closing

import pytest

from reboard.banker.book import LEDGER_FILE
from reboard.banker.ledger import Ledger
from reboard.finding import Level, fine, note, wrong
from reboard.machine import Space
from tests.reboard.doctor.made_up import MadeUpMachine, examined

MAKE_ROOM = "`sudo apt clean` and `sudo journalctl --vacuum-size=50M` make room."


def keep_a_game(pi: MadeUpMachine) -> None:
    with closing(Ledger(pi.path(f"/var/lib/reboard/{LEDGER_FILE}"))) as ledger:
        ledger.new_game("world", 15_000_000, at=0.0, cards=(1, 2))


def test_a_disk_that_is_full_is_wrong_and_not_written_to(pi: MadeUpMachine) -> None:
    pi.disk = Space(1_500_000, is_read_only=False)
    said = examined(pi)
    assert said["disk.space"] == wrong(
        "disk.space", "The disk is full: 2 MB are left where /var/lib/reboard is.", MAKE_ROOM
    )
    assert "disk.speed" not in said


def test_a_disk_that_is_nearly_full_is_worth_a_note(pi: MadeUpMachine) -> None:
    pi.disk = Space(150_000_000, is_read_only=False)
    assert examined(pi)["disk.space"] == note(
        "disk.space", "The disk is nearly full: 150 MB are left where /var/lib/reboard is.", MAKE_ROOM
    )


def test_a_disk_that_can_only_be_read_is_wrong(pi: MadeUpMachine) -> None:
    pi.disk = Space(20_000_000_000, is_read_only=True)
    found = examined(pi)["disk.read_only"]
    assert found.level is Level.WRONG
    assert found.what.startswith("/var/lib/reboard can only be read: ")


def test_a_disk_that_takes_its_time_is_worth_a_note(pi: MadeUpMachine) -> None:
    pi.write_takes_s = 2.31
    found = examined(pi)["disk.speed"]
    assert (found.level, found.what) == (
        Level.NOTE,
        "The disk is slow: 2.3 s until a small write is safe. Beeps come late.",
    )


def test_a_disk_that_refuses_a_write_is_wrong(pi: MadeUpMachine) -> None:
    pi.write_takes_s = OSError(errno.EIO, "Input/output error")
    assert examined(pi)["disk.speed"].what == "Nothing can be written into /var/lib/reboard: Input/output error."


def test_errors_that_the_file_system_has_noted_are_wrong(pi: MadeUpMachine) -> None:
    pi.write("/sys/fs/ext4/mmcblk0p2/errors_count", "17\n")
    assert examined(pi)["disk.errors"] == wrong(
        "disk.errors",
        "The file system on mmcblk0p2 has noted 17 errors.",
        "`reboard ledger export > ledger.csv` keeps what was played; then replace the memory card.",
    )


def test_built_in_memory_that_is_worn_is_wrong(pi: MadeUpMachine) -> None:
    pi.write("/sys/block/mmcblk0/device/life_time", "0x02 0x09\n")
    assert examined(pi)["disk.worn"].what == "The built-in memory mmcblk0 has lived 90 % of its life."


def test_built_in_memory_that_is_young_is_not_spoken_of(pi: MadeUpMachine) -> None:
    pi.write("/sys/block/mmcblk0/device/life_time", "0x01 0x02\n")
    assert "disk.worn" not in examined(pi)


def test_a_ledger_that_adds_up_is_told_to(pi: MadeUpMachine) -> None:
    keep_a_game(pi)
    assert examined(pi)["disk.ledger"] == fine("disk.ledger", "The ledger adds up.")


def test_a_ledger_that_does_not_add_up_is_wrong(pi: MadeUpMachine) -> None:
    keep_a_game(pi)
    with closing(Ledger(pi.path(f"/var/lib/reboard/{LEDGER_FILE}"))) as ledger:
        ledger.book.connection.execute("UPDATE account SET balance = balance + 1 WHERE card = 1")
    found = examined(pi)["disk.ledger"]
    assert found.level is Level.WRONG
    assert found.what.startswith("The ledger does not add up: ")


def test_a_ledger_that_is_none_is_wrong(pi: MadeUpMachine) -> None:
    pi.write(f"/var/lib/reboard/{LEDGER_FILE}", "something else")
    assert examined(pi)["disk.ledger"].level is Level.WRONG


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/var/lib/reboard", "into /var/lib/reboard"),
        (f"/var/lib/reboard/{LEDGER_FILE}", f"/var/lib/reboard/{LEDGER_FILE}"),
        (f"/var/lib/reboard/{LEDGER_FILE}-wal", f"/var/lib/reboard/{LEDGER_FILE}-wal"),
    ],
)
def test_a_ledger_that_who_plays_may_not_write_is_wrong(pi: MadeUpMachine, path: str, where: str) -> None:
    keep_a_game(pi)
    pi.path(f"/var/lib/reboard/{LEDGER_FILE}-wal").touch()
    pi.not_theirs.add(("reboard", path))
    assert examined(pi)["disk.owner"] == wrong(
        "disk.owner",
        f"reboard, who plays, may not write {where}.",
        "`sudo chown -R reboard: /var/lib/reboard` and `sudo chmod -R u+rwX /var/lib/reboard`, "
        "then `sudo systemctl restart reboard`.",
    )


def test_where_no_service_plays_it_is_your_ledger_that_has_to_be_yours(pi: MadeUpMachine) -> None:
    pi.units = {}
    pi.not_theirs.add(("anna", "/var/lib/reboard"))
    assert (
        examined(pi)["disk.owner"].do
        == "`sudo chown -R anna: /var/lib/reboard` and `sudo chmod -R u+rwX /var/lib/reboard`."
    )


def test_a_directory_that_who_looks_may_not_use_is_not_called_broken(pi: MadeUpMachine) -> None:
    pi.kept_from.add("/var/lib/reboard")
    said = examined(pi)
    assert said["disk.state"] == note(
        "disk.state",
        "The directory for the ledger was not looked into: anna may not use /var/lib/reboard.",
        "`sudo reboard doctor` looks into it.",
    )
    assert "disk.ledger" not in said


def test_a_directory_that_is_not_there_yet_is_worth_a_note(pi: MadeUpMachine) -> None:
    pi.path("/var/lib/reboard").rmdir()
    assert examined(pi)["disk.state"].what == "The directory for the ledger, /var/lib/reboard, is not there yet."


def test_a_ledger_that_who_looks_may_not_read_is_not_called_broken(pi: MadeUpMachine) -> None:
    keep_a_game(pi)
    pi.kept_from.add(str(pi.path(f"/var/lib/reboard/{LEDGER_FILE}")))
    assert examined(pi)["disk.ledger"] == note(
        "disk.ledger",
        f"The ledger was not looked at: anna may not read /var/lib/reboard/{LEDGER_FILE}.",
        "`sudo reboard doctor` looks at it.",
    )
