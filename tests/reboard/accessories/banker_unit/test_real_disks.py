"""Disks of this machine that are full or in use, in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.accessories.banker_unit.ledger_errors import NoLedgerError

pytestmark = pytest.mark.realtime

PRESSES = """
import asyncio, json, os, resource, sys
from functools import partial
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.ledger import BANK
from reboard.errors import ReboardError

def fill(): ...
def make_room(): ...
{how}

async def main():
    books = LedgerThread(partial(LedgerFile, sys.argv[1]))
    await books.ask(lambda ledger: ledger.game() or ledger.new_game("world", 1000, at=1.0, cards=(1,)))
    told, refused, number = [], [], 0
    while len(refused) < 3 and number < 3000:
        if number == 20:
            fill()
        number += 1
        press = str(number)
        try:
            await books.ask(lambda ledger: ledger.pay(1, BANK, 1, 1, reason="x" * 500, press=press, at=1.0))
            told.append(press)
        except ReboardError as error:
            refused.append([press, type(error).__name__, books.fault or str(error)])
    make_room()
    await books.ask(lambda ledger: ledger.pay(1, BANK, 1, 1, reason="x", press="again", at=1.0))
    print(json.dumps({{"told": [*told, "again"], "refused": refused, "trouble": books.fault}}))
    await books.close()

asyncio.run(main())
"""


FILLED = """
filler = os.path.join(os.path.dirname(sys.argv[1]), "filler")

def fill():
    with open(filler, "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass

def make_room():
    os.remove(filler)
"""


SMALL_DISK = """
mount -t tmpfs -o size=4m small "$1" && "$2" -c "$3" "$1/ledger.db" && cp "$1"/ledger.db* "$4"
"""


def kept(ledger_file: Path) -> list[str]:
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.verify() == []
        rows = ledger.connection.execute("SELECT press FROM transfer WHERE reason <> 'start' ORDER BY id")
        return [press for (press,) in rows]


def on_a_small_disk(tmp_path: Path, script: str) -> Any:
    """What *script* tells in JSON, on a file system of 4 MB in a namespace of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh"]
    try:
        done = subprocess.run(
            [*command, disk, sys.executable, script, tmp_path], capture_output=True, text=True, timeout=60
        )
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if done.stderr.startswith(("mount:", "unshare:")):
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_really_full_disk_loses_nothing_confirmed(tmp_path: Path) -> None:
    told = on_a_small_disk(tmp_path, PRESSES.format(how=FILLED))
    for _, error, why in told["refused"]:
        assert error == "Rejection"
        assert "it is not known yet whether the last change was saved: the disk is full: make room on it" in why
    assert len(told["refused"]) == 3
    assert kept(tmp_path / LEDGER_FILE) == told["told"]


def test_the_second_process_on_a_directory_names_the_first(tmp_path: Path) -> None:
    holder = """
import sys
from reboard.accessories.banker_unit.database import LedgerFile

ledger = LedgerFile(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""
    file = tmp_path / LEDGER_FILE
    with subprocess.Popen(
        [sys.executable, "-c", holder, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdout.readline()
        with pytest.raises(NoLedgerError, match=rf"another reboard keeps this ledger \(process {process.pid}\)"):
            LedgerFile(file)
        process.stdin.close()
    LedgerFile(file).close()
