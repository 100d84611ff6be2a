"""An evening of many tables whose broker, bridges, hall and power are killed again and again, at the same time.

Every process is a real one: mosquitto, ``reboard mqtt`` for each table, ``reboard hall``, and each table with its
ledger. In the end the hall must have exactly the rows of the ledgers.
"""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from reboard.commands.mqtt import CURSOR_NAME
from reboard.mqtt.outbox import Cursor
from tests.mosquitto import Mosquitto, free_port
from tests.waiting import PATIENCE_S, eventually

COLUMNS = 'id, game, "from", "to", amount, reason, at, undoes'
Row = tuple[object, ...]
HALL = ("-m", "reboard", "hall")
HALL_THAT_NEVER_ASKS = ("-m", "tests.chaos.hall_that_never_asks")

MQTT = """
edition = "classic-de"
[bank]
[mqtt]
broker = "127.0.0.1"
port = {port}
table = "{name}"
discovery = false
[state]
directory = "{state}"
"""


@dataclass(frozen=True)
class Kills:
    """How often each is killed, the mean time between two kills of a kind, and the longest time that it is away."""

    each: int
    power_cuts: int
    every_s: float = 2.5
    away_s: float = 3.0


@dataclass
class Evening:
    """An evening of *tables* tables at *broker*, each with a transfer about every *every_s* seconds.

    All files are in *folder*. *hall* is the command of the hall, and *hall_broker* is its broker, if it has another.
    """

    broker: Mosquitto
    folder: Path
    tables: int
    every_s: float
    seed: int
    hall: Sequence[str] = HALL
    hall_broker: Mosquitto | None = None
    killed: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.names = [f"t{number:02}" for number in range(self.tables)]
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.RLock()
        self._log = (self.folder / "programs.log").open("w")
        self._port = free_port()
        for name in self.names:
            state = self._state(name)
            state.mkdir()
            (state / "table.toml").write_text(MQTT.format(port=self.broker.port, name=name, state=state))

    # The processes.

    def start(self) -> dict[str, int]:
        """Start everything but the broker, and wait until the hall has rows of each table. Return all process ids."""
        self._start("hall")
        for name in self.names:
            self._start(f"table {name}")
            self._start(f"bridge {name}")
        eventually(lambda: {row[0] for row in self.kept()} == set(self.names), "the hall has rows of each table")
        return {"broker": self.broker.process.pid, **{name: one.pid for name, one in self._running.items()}}

    def close(self) -> None:
        """Kill everything but the broker."""
        for name in [*self._running]:
            self._kill(name)
        self._log.close()

    def log(self) -> str:
        """Return what all programs have logged."""
        self._log.flush()
        return (self.folder / "programs.log").read_text()

    def stop_playing(self, *, least: int = 0) -> None:
        """Let the tables play until there are *least* rows, and then no more."""
        eventually(lambda: len(self.written()) >= least, f"{least} rows are written")
        for name in self.names:
            self._kill(f"table {name}")
            self._start(f"table {name}", every_s=3600)

    def play(self, name: str) -> None:
        """Let a table play again after `stop_playing`."""
        self.away(f"table {name}", 0)

    def wait_for_bridges(self) -> None:
        """Wait until the broker has acknowledged every row."""

        def have_sent() -> bool:
            written = self.written()
            return all(
                Cursor.load(self._state(name) / CURSOR_NAME).id
                == max(int(str(row[1])) for row in written if row[0] == name)
                for name in self.names
            )

        eventually(have_sent, "the broker has every row")

    def _start(self, what: str, *, every_s: float | None = None) -> None:
        kind, _, name = what.partition(" ")
        command: list[object] = {
            "hall": lambda: [*self.hall, "--broker", "127.0.0.1", "--port", (self.hall_broker or self.broker).port,
                             "--listen",
                             f"127.0.0.1:{self._port}", "--store", self.store],
            "table": lambda: ["-m", "tests.chaos.quiet_table", self._state(name), "--every", every_s or self.every_s,
                              "--seed", self.seed + self.names.index(name)],
            "bridge": lambda: ["-m", "reboard", "mqtt", "-c", self._state(name) / "table.toml"],
        }[kind]()  # fmt: skip
        self._running[what] = subprocess.Popen(
            [sys.executable, "-W", "ignore", *map(str, command)], stdout=self._log, stderr=self._log
        )

    def _kill(self, what: str) -> None:
        process = self._running.pop(what)
        process.kill()
        process.wait(PATIENCE_S)

    # The kills.

    def kill_everything_again_and_again(self, kills: Kills) -> None:
        """Kill each kind of process at times of its own, so that several are away at once."""

        def broker(away_s: float, _: random.Random) -> None:
            self.broker.kill()
            time.sleep(away_s)
            self.broker.start()

        def hall(away_s: float, _: random.Random) -> None:
            self.away("hall", away_s)

        def bridge(away_s: float, chance: random.Random) -> None:
            self.away(f"bridge {chance.choice(self.names)}", away_s)

        def power(away_s: float, chance: random.Random) -> None:
            name = chance.choice(self.names)
            self.away(f"table {name}", away_s, f"bridge {name}")

        often = {broker: kills.each, hall: kills.each, bridge: kills.each, power: kills.power_cuts}
        killers = [
            threading.Thread(target=self._kill_often, args=(kill, times, kills)) for kill, times in often.items()
        ]
        for killer in killers:
            killer.start()
        for killer in killers:
            killer.join()

    def _kill_often(self, kill: Callable[[float, random.Random], None], times: int, kills: Kills) -> None:
        chance = random.Random(f"{self.seed} {kill.__name__}")
        for _ in range(times):
            time.sleep(chance.uniform(0.1, 2 * kills.every_s))
            kill(chance.uniform(0, kills.away_s), chance)
            self.killed[kill.__name__] += 1

    def away(self, what: str, seconds: float, *more: str) -> None:
        """Kill these processes, and start them again after *seconds*."""
        with self._lock:
            killed = [name for name in (what, *more) if name in self._running]
            for name in killed:
                self._kill(name)
        time.sleep(seconds)
        with self._lock:
            for name in killed:
                self._start(name)

    def without_hall(self) -> None:
        """Kill the hall."""
        self._kill("hall")

    def with_hall(self) -> None:
        """Start the hall again."""
        self._start("hall")

    # The rows.

    @property
    def store(self) -> Path:
        """The hall's file."""
        return self.folder / "hall.sqlite"

    def written(self) -> set[Row]:
        """Return the rows of all ledgers, each with its table."""
        return {(name, *row) for name in self.names for row in _rows(self._state(name) / "ledger.db", COLUMNS)}

    def kept(self) -> list[Row]:
        """Return the rows of the hall, each with its table."""
        return _rows(self.store, f"table_name, {COLUMNS}")

    def is_complete(self) -> bool:
        """Return whether the hall has each row of each ledger once."""
        kept = self.kept()
        return len(kept) == len(set(kept)) and set(kept) == self.written()

    def settle(self, within_s: float) -> float | None:
        """Wait until the hall is complete. Return the seconds that took, or ``None`` if it is not in time."""
        began = time.monotonic()
        while time.monotonic() < began + within_s:
            if self.is_complete():
                return time.monotonic() - began
            time.sleep(0.2)
        return None

    def delete_store(self) -> None:
        """Delete the files of the killed hall."""
        for file in self.folder.glob("hall.sqlite*"):
            file.unlink()

    def _state(self, name: str) -> Path:
        return self.folder / name


def _rows(file: Path, columns: str) -> list[Row]:
    if not file.exists():
        return []
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
        try:
            return connection.execute(f"SELECT {columns} FROM transfer").fetchall()
        except sqlite3.OperationalError:  # no table yet
            return []
