"""The disk: can the ledger be kept on it, how fast, and is it wearing out?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

from reboard.banker.book import LEDGER_FILE
from reboard.banker.ledger import Ledger
from reboard.doctor.case import Case
from reboard.errors import ReboardError
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.machine import Machine

OF_A_LEDGER = ("", "-wal", "-shm", "-journal")
"""What its file's name and those that SQLite keeps beside it end with."""

FULL_BYTES = 20_000_000
NEARLY_FULL_BYTES = 200_000_000

WRITES = 5
SLOW_S = 0.5
"""A transfer is confirmed when the disk has it: longer than this and people at the table wonder."""

WORN = 8
"""Of an eMMC's eleven steps from new to worn out, each a tenth of its life."""


async def look_at_disk(case: Case) -> AsyncIterator[Finding]:
    """Is there room, can it be written, and is what is on it whole?"""
    state = case.state
    for finding in _health(case.machine):
        yield finding
    if not case.machine.has(state):
        do = f"`sudo install -d -o {case.player} {state}`; the installed service makes it by itself."
        yield note("disk.state", f"The directory for the ledger, {state}, is not there yet.", do)
        return
    try:
        space = await case.machine.apart(lambda: case.machine.space(state))
    except OSError as error:
        yield wrong("disk.state", f"The directory for the ledger, {state}, cannot be used: {error.strerror}.")
        return
    if space.is_read_only:
        yield wrong(
            "disk.read_only",
            f"{state} can only be read: the bank shows DISK READ-ONLY and moves no money. Block and apple play.",
            "Linux does that to a card that fails: `sudo dmesg | grep -i 'mmc\\|ext4'` tells. Otherwise mount it "
            "to be written, or name another [state] directory.",
        )
        return
    yield _room(state, space.free_bytes)
    if not case.machine.may_use(state):
        yield note(
            "disk.state",
            f"The directory for the ledger was not looked into: {case.machine.user} may not use {state}.",
            "`sudo reboard doctor` looks into it.",
        )
        return
    for finding in _owner(case, state):
        yield finding
    if space.free_bytes >= FULL_BYTES:
        yield await _speed(case, state)
    yield await case.machine.apart(lambda: _ledger(case, state / LEDGER_FILE))


def _room(state: Path, free_bytes: int) -> Finding:
    free = f"{free_bytes / 1e9:.1f} GB" if free_bytes >= 1e9 else f"{free_bytes / 1e6:.0f} MB"
    do = "`sudo apt clean` and `sudo journalctl --vacuum-size=50M` make room."
    if free_bytes < FULL_BYTES:
        return wrong("disk.space", f"The disk is full: {free} are left where {state} is.", do)
    if free_bytes < NEARLY_FULL_BYTES:
        return note("disk.space", f"The disk is nearly full: {free} are left where {state} is.", do)
    return fine("disk.space", f"{free} are free for the ledger in {state}.")


def _owner(case: Case, state: Path) -> Iterator[Finding]:
    """May who plays write what is there? Where root has once played by hand, the ledger is root's."""
    player = case.player
    then = ", then `sudo systemctl restart reboard`" if case.service else ""
    for path in (state, *(state / f"{LEDGER_FILE}{ending}" for ending in OF_A_LEDGER)):
        if not case.machine.may_write(player, path):
            what = f"{player}, who plays, may not write {'into ' if path == state else ''}{path}."
            # the owner's own rights may be what is missing, and SQLite gives those of the ledger to the files beside it
            do = f"`sudo chown -R {player}: {state}` and `sudo chmod -R u+rwX {state}`{then}."
            yield wrong("disk.owner", what, do)
            return


async def _speed(case: Case, state: Path) -> Finding:
    try:
        seconds = await case.machine.apart(lambda: max(case.machine.write_s(state) for _ in range(WRITES)))
    except OSError as error:
        return wrong("disk.speed", f"Nothing can be written into {state}: {error.strerror}.")
    if seconds > SLOW_S:
        return note(
            "disk.speed",
            f"The disk is slow: {seconds:.1f} s until a small write is safe. Beeps come late.",
            "Memory cards become slow when they wear out: keep another one ready.",
        )
    return fine("disk.speed", f"A small write is safe within {seconds * 1000:.0f} ms.")


def _health(machine: Machine) -> Iterator[Finding]:
    for counter in machine.named("/sys/fs/ext4/*/errors_count"):
        if (count := machine.text(counter)) not in ("", "0"):
            device = Path(counter).parent.name
            yield wrong(
                "disk.errors",
                f"The file system on {device} has noted {count} errors.",
                "`reboard ledger export > ledger.csv` keeps what was played; then replace the memory card.",
            )
    for life in machine.named("/sys/block/mmcblk*/device/life_time"):
        steps = [int(step, 16) for step in machine.text(life).split() if step.startswith("0x")]
        if steps and max(steps) >= WORN:
            worn = min(max(steps), 10) * 10
            yield wrong(
                "disk.worn",
                f"The built-in memory {life.split('/')[3]} has lived {worn} % of its life.",
                "`reboard ledger export > ledger.csv` keeps what was played; play on with another one.",
            )


def _ledger(case: Case, file: Path) -> Finding:
    name = "disk.ledger"
    if not case.machine.has(file):
        return fine(name, "There is no ledger yet; the first game begins one.")
    if not case.machine.may_read(case.machine.path(file)):
        return note(
            name,
            f"The ledger was not looked at: {case.machine.user} may not read {file}.",
            "`sudo reboard doctor` looks at it.",
        )
    try:
        with closing(Ledger(case.machine.path(file), read_only=True)) as ledger:
            problems = ledger.verify()
    except ReboardError as problem:
        return wrong(name, sentence(problem))
    if problems:
        return wrong(name, f"The ledger does not add up: {problems[0]}.", "`reboard ledger verify` names it all.")
    return fine(name, "The ledger adds up.")
