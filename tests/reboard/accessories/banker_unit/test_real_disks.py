"""A disk of this machine that is full, in a process of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.backup_file.archive import LEDGER, read_backup
from tests.reboard.accessories.banker_unit.ledger_calls import pay

pytestmark = pytest.mark.realtime

PRESSES = """
import asyncio, json, os, sys
from functools import partial
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.accounts import BANK
from reboard.errors import Rejection
from tests.reboard.accessories.banker_unit.ledger_calls import pay

filler = os.path.join(os.path.dirname(sys.argv[1]), "filler")

def fill():
    with open(filler, "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass

async def main():
    thread = LedgerThread(partial(LedgerFile, sys.argv[1]))
    await thread.ask(lambda ledger: ledger.new_game("world", 1000, at=1.0, cards=(1,)))
    confirmed, faults = [], []
    for number in range(3000):
        if number == 20:
            await thread.close()  # the backup is made, and takes or frees no more room
            thread = LedgerThread(partial(LedgerFile, sys.argv[1]))
            await thread.ask(lambda ledger: None)
            fill()
        press = str(number)
        try:
            await thread.ask(lambda ledger: pay(ledger, 1, BANK, 1, 1, reason="x" * 500, press=press, at=1.0))
            confirmed.append(press)
        except Rejection:
            faults.append((press, thread.fault))
            if len(faults) == 3:
                break
    os.remove(filler)
    await thread.ask(lambda ledger: pay(ledger, 1, BANK, 1, 1, reason="x", press="again", at=1.0))
    print(json.dumps([[*confirmed, "again"], faults]))
    await thread.close()

asyncio.run(main())
"""

SMALL_DISK = """
mount -t tmpfs -o size=4m small "$1" && "$2" -c "$3" "$1/ledger.db" && cp "$1"/ledger.db* "$4"
"""


def on_disk(script: str, *arguments: str | Path) -> str:
    """Carry out *script*, which mounts a disk, and return what it prints."""
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if done.stderr.startswith(("mount:", "unshare:")):
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stdout


READ_ONLY_DISK = """
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && "$2" -m reboard backup "$3" -c "$4"
"""


def test_a_card_that_became_read_only_after_a_power_cut_is_backed_up_with_its_last_payment(tmp_path: Path) -> None:
    card, config, backup = tmp_path / "card", tmp_path / "table.toml", tmp_path / "it.backup"
    card.mkdir()
    config.write_text('[bank]\n[state]\ndirectory = "card"\n')
    with closing(LedgerFile(tmp_path / LEDGER_FILE)) as playing:
        game = playing.new_game("world", 1500, at=1.0, cards=(1, 2)).id
        pay(playing, game, 1, 2, 77)
        for file in (LEDGER_FILE, f"{LEDGER_FILE}-wal"):  # as the power cut leaves them
            shutil.copy(tmp_path / file, card)
    on_disk(READ_ONLY_DISK, card, sys.executable, backup, config)
    (tmp_path / "copy.db").write_bytes(read_backup(backup).files[LEDGER])
    with closing(LedgerFile(tmp_path / "copy.db", read_only=True)) as saved:
        assert saved.balances(game) == {1: 1423, 2: 1577}


def test_a_really_full_disk_loses_nothing_confirmed(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    printed = on_disk(SMALL_DISK, disk, sys.executable, PRESSES, tmp_path)
    confirmed, faults = json.loads(printed)
    assert len(faults) == 3
    assert all("it is not known yet" in fault and "the disk is full" in fault for _, fault in faults)
    with closing(LedgerFile(tmp_path / LEDGER_FILE)) as ledger:
        assert ledger.verify() == []
        rows = ledger.connection.execute("SELECT press FROM transfer WHERE reason <> 'start' ORDER BY id")
        # a transfer of which only the padding found no room is there, too
        rejected = {press for press, _ in faults}
        assert [press for (press,) in rows if press not in rejected] == confirmed
