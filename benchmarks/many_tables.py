"""Many tables at an MQTT broker: the delay to the hall's page, the most transfers a second, a bridge at rest.

``python benchmarks/many_tables.py [--tables 20 200] [--seconds 30] [--rows 20000] [--bridges 1 4]``. All processes
are the real ones, on this machine; most tables have no devices.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter, defaultdict
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import at, ms, print_table
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.config.mqtt import BrokerAddress, MqttConfig
from reboard.control.protocol import SOCKET_NAME
from reboard_sim.hall.table_group import MOST_TABLES, TableGroup, TablePlan
from tests.chaos.evening import Evening
from tests.chaos.quiet_table import QuietTable
from tests.mosquitto import MOSQUITTO, Mosquitto, free_port
from tests.waiting import eventually

IN_A_PROCESS = 50
START = 1500
EVENING_S = 3 * 3600
HEADER_BYTES = 7
"""The bytes of a message of QoS 1 beside its topic and payload."""
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def pss_mb(pid: int) -> float:
    """Return the memory of a process in MB: its own, and its share of what it shares."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024


async def play_group(folder: Path, port: int, first: int, count: int, every_s: float) -> None:
    """Run tables with their bridges until this process is killed. Each pays player 1 a coin now and then."""
    from reboard.mqtt.bridge import Bridge

    async def one(number: int) -> None:
        name = f"t{number:03}"
        table = QuietTable(folder / name, seed=number)
        await table.table.power_on()
        await table.join(1)
        mqtt = MqttConfig("127.0.0.1", port, table=name, discovery=False)
        bridge = asyncio.create_task(Bridge(folder / name / SOCKET_NAME, mqtt, folder / name / "cursor").run())
        chance = Random(number)
        while not bridge.done():
            await asyncio.sleep(chance.uniform(0, 2 * every_s))
            await table.transfer(0, 1, 1)
        bridge.result()

    await asyncio.gather(*(one(number) for number in range(first, first + count)))


class Screen:
    """A browser that watches the hall: when which balance of player 1 was shown, by table."""

    def __init__(self, url: str) -> None:
        self.shown: dict[str, list[tuple[float, int]]] = defaultdict(list)
        self.tables: dict[str, bool] = {}
        self._answer = urllib.request.urlopen(f"{url}api/events")
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        kind = ""
        for line in self._answer:
            field, _, value = line.decode().strip().partition(": ")
            if field == "event":
                kind = value
            elif field == "data" and kind == "table":
                now = time.time()
                for table in json.loads(value):
                    self._show(table, now)

    def _show(self, table: dict[str, Any], now: float) -> None:
        self.tables[table["name"]] = not table["stale"]
        for card in table["cards"]:
            if card["number"] == 1:
                self.shown[table["name"]].append((now, card["balance"]))


def delays_s(store: Path, screen: Screen, since: float, until: float) -> list[float]:
    """Return the time from each transfer to the first screen that shows its balance."""
    delays = []
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as connection:
        for name, shown in screen.shown.items():
            rows = connection.execute(
                "SELECT at FROM transfer WHERE table_name = ? AND reason <> 'start' ORDER BY id", (name,)
            )
            for balance, (booked_at,) in enumerate(rows, START + 1):
                if since < booked_at < until:
                    delays.append(next(t for t, seen in shown if seen >= balance) - booked_at)
    return delays


def to_screen(folder: Path, tables: int, seconds: float, every_s: float) -> list[str]:
    """Measure the delay from a transfer to the hall's page, and return a row of figures."""
    with ExitStack() as opened:
        broker = Mosquitto(folder / "broker")
        opened.callback(broker.close)
        broker.start()
        port = free_port()
        hall = opened.enter_context(
            _running(
                "-m", "reboard", "hall", "--broker", "127.0.0.1", "--port", broker.port,
                "--listen", f"127.0.0.1:{port}", "--store", folder / "hall.sqlite",
            )
        )  # fmt: skip
        url = f"http://127.0.0.1:{port}/"
        eventually(lambda: _answers(url), "the hall answers")
        screen = Screen(url)
        groups = [
            opened.enter_context(
                _running(__file__, "--group", folder, broker.port, first, min(IN_A_PROCESS, tables - first), every_s)
            )
            for first in range(0, tables, IN_A_PROCESS)
        ]
        eventually(lambda: sum(screen.tables.values()) == tables, "the hall shows all tables")
        time.sleep(2)
        pids = {"broker": [broker.process.pid], "hall": [hall.pid], "tables": [group.pid for group in groups]}
        before = {name: sum(map(cpu_s, those)) for name, those in pids.items()}
        since = time.time()
        time.sleep(seconds)
        until = time.time()
        used = {name: (sum(map(cpu_s, those)) - before[name]) / (until - since) for name, those in pids.items()}
        time.sleep(3)
        delays = delays_s(folder / "hall.sqlite", screen, since, until)
        shares = [f"{100 * used[name]:.1f} %" for name in ("broker", "hall", "tables")]
        rate = f"{len(delays) / (until - since):.1f}"
        return [str(tables), rate, ms(at(0.5, delays)), ms(at(0.99, delays)), *shares, f"{pss_mb(hall.pid):.0f}"]


def throughput(folder: Path, tables: int, rows: int) -> tuple[list[str], list[str]]:
    """Let bridges send ledgers of this many rows. Return the figures of that, and those of a bridge at rest."""
    broker = Mosquitto(folder / "broker")
    evening = Evening(broker, folder, tables, 3600.0, 1)
    for number, name in enumerate(evening.names):
        fill(folder / name / LEDGER_FILE, rows, number)
    try:
        broker.start()
        pids = evening.start()
        before = {name: cpu_s(pid) for name, pid in pids.items()}
        sent, began = len(evening.kept()), time.monotonic()
        eventually(lambda: _count(evening.store) >= tables * rows, "the hall has every row")
        took = time.monotonic() - began
        used = {name: (cpu_s(pid) - before[name]) / took for name, pid in pids.items()}
        bridges = [share for name, share in used.items() if name.startswith("bridge")]
        ledgers = [share for name, share in used.items() if name.startswith("table")]
        shares = [used["broker"], max(bridges), max(ledgers), used["hall"]]
        figures = [str(tables), f"{(tables * rows - sent) / took:.0f}", *(f"{100 * share:.0f} %" for share in shares)]
        return figures, at_rest(pids["bridge t00"], pids["broker"], seconds=30.0 if rows > 1000 else 2.0)
    finally:
        evening.close()
        broker.close()


def published(folder: Path, tables: int, seconds: float) -> list[list[str]]:
    """Let families play with all accessories. Return the messages and bytes of a table in an evening, by kind."""
    import paho.mqtt.client as paho
    from paho.mqtt.enums import CallbackAPIVersion

    from reboard.editions.edition import editions_in_the_box

    broker = Mosquitto(folder / "broker")
    broker.start()
    count: Counter[str] = Counter()
    size: Counter[str] = Counter()

    def came(_: paho.Client, __: object, message: paho.MQTTMessage) -> None:
        kind = message.topic.rpartition("/")[2]
        count[kind] += 1
        size[kind] += len(message.payload) + len(message.topic) + HEADER_BYTES

    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.on_message = came
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    client.subscribe("reboard/#", 1)
    boxes = [box.name for box in editions_in_the_box() if "/" not in box.name]
    plans = [TablePlan(f"t{number}", boxes[number % len(boxes)], number) for number in range(tables)]
    address = BrokerAddress("127.0.0.1", broker.port)
    with ExitStack() as opened:
        opened.callback(broker.close)
        opened.callback(client.loop_stop)
        opened.callback(client.disconnect)
        opened.enter_context(TableGroup(plans, folder, 1.0, address).playing()).recv()
        eventually(lambda: count["availability"] >= tables, "all tables are online")
        time.sleep(seconds / 4)
        count.clear()
        size.clear()
        time.sleep(seconds)
        scale = EVENING_S / seconds / tables
        figures = {kind: (scale * count[kind], scale * size[kind]) for kind in ("transfer", "state", "event", "head")}
    figures["all"] = (sum(figure[0] for figure in figures.values()), sum(figure[1] for figure in figures.values()))
    return [[kind, f"{messages:.0f}", f"{octets / 1000:.0f}"] for kind, (messages, octets) in figures.items()]


def at_rest(bridge: int, broker: int, seconds: float) -> list[str]:
    """Return the figures of the process of a bridge whose table rests."""
    time.sleep(seconds / 3)
    before = cpu_s(bridge)
    time.sleep(seconds)
    return [f"{pss_mb(bridge):.1f}", f"{100 * (cpu_s(bridge) - before) / seconds:.2f} %", f"{pss_mb(broker):.1f}"]


def fill(file: Path, rows: int, number: int) -> None:
    """Write a ledger with this many transfers, most of them of one coin back and forth."""
    with closing(LedgerFile(file)) as ledger:
        game = ledger.new_game("classic-de", START, at=time.time(), cards=(1, 2)).id
        with ledger.transaction() as connection:
            connection.executemany(
                'INSERT INTO transfer (game, "from", "to", amount, reason, at, press) VALUES (?, ?, ?, 1, ?, ?, ?)',
                ((game, 1 + n % 2, 2 - n % 2, "players", time.time(), f"filled {number} {n}") for n in range(rows - 2)),
            )


def _running(*command: object) -> Any:
    process = subprocess.Popen([sys.executable, "-W", "ignore", *map(str, command)], stderr=subprocess.DEVNULL)

    class Running:
        def __enter__(self) -> subprocess.Popen[bytes]:
            return process

        def __exit__(self, *_: object) -> None:
            process.kill()
            process.wait()

    return Running()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url).close()
    except OSError:
        return False
    return True


def _count(store: Path) -> int:
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM transfer").fetchone()[0])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[20, 200])
    parser.add_argument("--seconds", type=float, default=30.0)
    text = "mean time between two transfers of a table, in s; a family needs about four times as long (default: 3)"
    parser.add_argument("--every", type=float, default=3.0, help=text)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--bridges", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--group", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.group:
        place, port, first, count, every_s = options.group
        asyncio.run(play_group(Path(place), int(port), int(first), int(count), float(every_s)))
        return
    if MOSQUITTO is None or not Path("/proc/self/smaps_rollup").exists():
        print("Many tables are not measured: install mosquitto, on Linux.")
        return
    with tempfile.TemporaryDirectory(prefix="many-") as place:
        folders = iter(range(100))

        def folder() -> Path:
            made = Path(place) / str(next(folders))
            made.mkdir()
            return made

        rows = [to_screen(folder(), tables, options.seconds, options.every) for tables in options.tables]
        head = ["tables", "transfers/s", "median, ms", "p99, ms", "broker", "hall", "tables and bridges", "hall, MB"]
        print_table("From a transfer to the hall's page (aim: 100, p99 200), and shares of a processor", head, rows)
        carried = [throughput(folder(), tables, options.rows) for tables in options.bridges]
        head = ["bridges", "transfers/s", "broker", "busiest bridge", "busiest table", "hall"]
        print_table("Ledgers sent at once, and shares of a processor", head, [figures for figures, _ in carried])
        played = published(folder(), min(options.tables[0], MOST_TABLES), 4 * options.seconds)
        print_table("What a table publishes in an evening of three hours", ["kind", "messages", "kB"], played)
        head = ["PSS, MB", "processor", "broker's PSS, MB"]
        print_table("A bridge at rest (aim: 30 MB, 1 %)", head, [carried[0][1]])


if __name__ == "__main__":
    main()
