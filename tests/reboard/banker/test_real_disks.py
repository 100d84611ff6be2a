"""Disks that are really full, really read-only, really somebody else's: of this machine, in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reboard.banker.book import LEDGER_FILE
from reboard.banker.ledger import Ledger
from reboard.banker.no_ledger import NoLedgerError

pytestmark = pytest.mark.realtime

PRESSES = """
import asyncio, json, os, resource, sys
from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.ledger import BANK
from reboard.errors import ReboardError

def fill(): ...
def make_room(): ...
{how}

async def main():
    books = Bookkeeper(sys.argv[1])
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
            refused.append([press, type(error).__name__, books.trouble or str(error)])
    make_room()
    await books.ask(lambda ledger: ledger.pay(1, BANK, 1, 1, reason="x", press="again", at=1.0))
    print(json.dumps({{"told": [*told, "again"], "refused": refused, "trouble": books.trouble}}))
    await books.close()

asyncio.run(main())
"""

LIMITED = """
def fill():
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))

def make_room():
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
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

READ_ONLY = """
import json, subprocess, sys
from contextlib import closing
from pathlib import Path
from reboard.banker.ledger import Ledger
from reboard.banker.no_ledger import NoLedgerError

path = Path(sys.argv[1])
with closing(Ledger(path)) as ledger:
    game = ledger.new_game("world", 1000, at=1.0, cards=(1,)).id
subprocess.run(["mount", "-o", "remount,ro", path.parent], check=True)
try:
    Ledger(path)
except NoLedgerError as error:
    told = [str(error), error.shown]
with closing(Ledger(path, read_only=True)) as ledger:
    print(json.dumps([*told, ledger.balances(game)]))
"""

PLAYS_READ_ONLY = """
import asyncio, contextlib, io, json, os, socket, subprocess, sys
from contextlib import closing
from pathlib import Path
from reboard.banker.ledger import Ledger
from reboard_sim import cli
from reboard_sim.hands import Hands
from reboard_sim.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run

state = Path(sys.argv[1]).parent
home = state.parent
Ledger(sys.argv[1]).close()
with closing(socket.socket(socket.AF_UNIX)) as left_by_a_dead_table:
    left_by_a_dead_table.bind(str(state / "table.sock"))
subprocess.run(["mount", "-o", "remount,ro", state], check=True)
told = {}

accessories = "[block]\\nbutton = 17\\n[apple]\\nlever = 22\\nmotor = 12\\n"
config, play = home / "table.toml", home / "apple.play"
play.write_text("pull lever\\nrelease lever\\nexpect motor on\\n")
config.write_text(accessories)
with contextlib.redirect_stdout(io.StringIO()):
    told["apple alone"] = cli.main(["play", str(play), "--state", str(state), "-c", str(config)])
    told["with a bank"] = cli.main(["play", str(play), "--state", str(state)])

async def at_a_table():
    table = VirtualTable(Scene.load(None, state), seed=1)
    await table.power_on()
    for line in parse_play("press block\\npull lever\\nrelease lever\\nwait 0.5"):
        await Hands(table).do(line)
    told["display"] = table.pi.lcd.lines()[1].strip()
    told["motor"] = table.pi.motor.is_on
    told["events"] = [event["event"] for _, event in table.log.since(0)]
    await table.close()

run(at_a_table)

config.write_text(accessories + "[bank]\\n[speaker]\\nlibrary = 'silent'\\n[state]\\ndirectory = 'disk'\\n")
environment = {**os.environ, "GPIOZERO_PIN_FACTORY": "mock"}
environment.pop("REBOARD_DOOR", None)
table = subprocess.Popen(
    [sys.executable, "-m", "reboard", "run", "--json", "-c", config], stdout=subprocess.PIPE, text=True, env=environment
)
events = []
for line in table.stdout:
    events.append(json.loads(line))
    if events[-1].get("name") == "ready":
        table.terminate()
told["run"] = [table.wait(30), [[event["part"], event["cause"]] for event in events if event["event"] == "fault"]]
print(json.dumps(told))
"""

SMALL_DISK = """
mount -t tmpfs -o size=4m small "$1" && "$2" -c "$3" "$1/ledger.db" && cp "$1"/ledger.db* "$4"
"""


def kept(ledger_file: Path) -> list[str]:
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.verify() == []
        rows = ledger.book.connection.execute("SELECT press FROM transfer WHERE reason <> 'start' ORDER BY id")
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


def test_files_that_may_not_grow_lose_nothing_that_was_told_and_keep_nothing_that_was_refused(tmp_path: Path) -> None:
    file = tmp_path / LEDGER_FILE
    done = subprocess.run(
        [sys.executable, "-c", PRESSES.format(how=LIMITED), file], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told["refused"]) == 3
    assert told["trouble"] is None
    assert kept(file) == told["told"]


def test_a_disk_that_is_really_full_loses_nothing_that_was_told_and_the_ledger_stays_open(tmp_path: Path) -> None:
    told = on_a_small_disk(tmp_path, PRESSES.format(how=FILLED))
    for _, error, why in told["refused"]:
        assert error == "Refusal"
        assert "nobody knows yet whether the last was saved: the disk is full: make room on it" in why
    assert len(told["refused"]) == 3
    assert kept(tmp_path / LEDGER_FILE) == told["told"]


def test_a_disk_that_is_really_read_only_can_be_looked_into_and_is_named(tmp_path: Path) -> None:
    sentence, shown, balances = on_a_small_disk(tmp_path, READ_ONLY)
    assert "cannot be opened: the disk lets nobody write" in sentence
    assert shown == "DISK READ-ONLY"
    assert balances == {"1": 1000}


def test_a_table_on_a_disk_that_is_really_read_only_plays_without_its_bank(tmp_path: Path) -> None:
    told = on_a_small_disk(tmp_path, PLAYS_READ_ONLY)
    assert (told["apple alone"], told["with a bank"]) == (0, 2)
    assert told["display"] == "DISK READ-ONLY"
    assert told["motor"]
    assert "block.outcome" in told["events"]
    status, ((part, cause),) = told["run"]
    assert (status, part) == (0, "ledger")
    assert "the disk lets nobody write" in cause


def test_two_processes_on_one_directory_are_told_of_each_other(tmp_path: Path) -> None:
    holder = """
import sys
from reboard.banker.ledger import Ledger
ledger = Ledger(sys.argv[1])
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
            Ledger(file)
        process.stdin.close()
    Ledger(file).close()
