"""Five hundred spectators of the table page, some of whom never read: its memory, and how late the last one hears.

``python benchmarks/spectators.py [--spectators 500] [--deaf 50] [--transfers 200]``. The page is a process of its own,
as on a Pi; the table behind its door and all browsers are in this one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import at, ms, print_table
from benchmarks.start import memory_mb
from reboard.door.server import TableDoor
from reboard.events import Events
from reboard.web.server import listening

PATIENCE_S = 60.0
PAUSE_S = 0.1
PLAYERS = 6
CHARTS = ("balances.svg?width=360", "balances.svg?width=720", "odds.svg?width=360")


class PaperTable:
    """A game in which money moves when it is told to."""

    def __init__(self) -> None:
        self.events = Events(asyncio.get_running_loop().time)
        self.rows: list[dict[str, Any]] = []

    def snapshot(self) -> dict[str, object]:
        """As large as that of a table with all three accessories."""
        balances = [15_000_000 + 10_000 * len(self.rows) * card for card in range(1, PLAYERS + 1)]
        odds = {"coins": [2] * 6, "laugh": 12, "power_up": 6, "game_over": 6}
        return {
            "edition": "world",
            "title": "Monopoly Here & Now: The World Edition",
            "t": self.events.now(),
            "units": True,
            "rules": {"start": "15M", "salary": "2M", "notes": ["x" * 80] * 8},
            "game": 1,
            "ended": None,
            "display": ["+1 16.5M", "-2 13.5M"],
            "cards": [
                {
                    "number": card,
                    "balance": balance,
                    "shown": f"{balance / 1e6:g}M",
                    "name": "Wendelin",
                    "retired": False,
                }
                for card, balance in enumerate(balances, start=1)
            ],
            "slots": {"left": 1, "right": 2},
            "deal": {"running": False},
            "transfers": self.rows[-20:][::-1],
            "editions": [{"name": "world", "title": "Monopoly Here & Now: The World Edition"}],
            "block": {"last": None, "quiet": False, "odds": odds, "tally": odds},
            "apple": {"running": False, "wound": False, "seconds": 13.0, "started_at": None},
            "volume": 3,
            "faults": {},
        }

    async def history(self) -> str:
        """Everything since the beginning."""
        return json.dumps({"game": 1, "before": {}, "transfers": self.rows})

    async def request(self, do: str, **args: object) -> object:
        """Nobody asks."""
        raise AssertionError(do)

    def pay(self) -> int:
        """Money moves. Returns the transfer's number."""
        number = len(self.rows) + 1
        row = {"id": number, "game": 1, "from": 0, "to": number % PLAYERS + 1, "amount": 10_000, "reason": "salary"}
        self.rows.append({**row, "at": time.time(), "undoes": None})
        self.events.emit("transfer", **row, undoes=None)
        return number


class Spectator(asyncio.Protocol):
    """A browser that follows the table; *heard* is called with each piece of news."""

    def __init__(self, heard: asyncio.Queue[bytes]) -> None:
        self._heard = heard
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the events."""
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")

    def data_received(self, data: bytes) -> None:
        """Tell every table that has arrived."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b'data: {"edition"'):
                self._heard.put_nowait(line)


class Page:
    """`reboard page` as a process of its own."""

    def __init__(self, folder: Path) -> None:
        with listening("127.0.0.1", 0, option="--listen") as free:
            self.port = free.getsockname()[1]
        config = folder / "table.toml"
        config.write_text('[block]\nbutton = 17\n[state]\ndirectory = "state"\n', encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reboard", "page", "-c", str(config), "--listen", f"127.0.0.1:{self.port}"],
            stderr=subprocess.DEVNULL,
        )

    @property
    def memory_mb(self) -> float:
        """What it has in memory now."""
        return memory_mb(self.process.pid)

    async def get(self, path: str) -> bytes:
        """What is answered there, once it is there."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                with suppress(ConnectionError):
                    reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                    answer = await reader.read()
                    writer.close()
                    if answer.startswith(b"HTTP/1.1 200 "):
                        return answer
                await asyncio.sleep(0.1)


async def chart_rows(page: Page) -> list[list[str]]:
    """A row for each chart, the first of which loads pygal."""
    rows = []
    for path in CHARTS:
        started = time.perf_counter()
        size = len(await page.get(f"/api/chart/{path}"))
        first_s = time.perf_counter() - started
        started = time.perf_counter()
        await page.get(f"/api/chart/{path}")
        again_s = time.perf_counter() - started
        rows.append([path, ms(first_s), ms(again_s), f"{size / 1000:.0f} kB", f"{page.memory_mb:.1f} MB"])
    return rows


async def measured(folder: Path, spectators: int, deaf: int, transfers: int) -> None:
    """Print the tables."""
    table = PaperTable()
    door = TableDoor(table, folder / "state" / "table.sock")
    door.claim()
    await door.open()
    page = Page(folder)
    loop = asyncio.get_running_loop()
    try:
        await page.get("/api/table")
        memory = [("nobody looks", page.memory_mb)]
        heard: asyncio.Queue[bytes] = asyncio.Queue()
        lines = [
            await loop.create_connection(lambda: Spectator(heard), "127.0.0.1", page.port)
            for _ in range(spectators - deaf)
        ]
        deaf_lines = []
        for _ in range(deaf):
            line = socket.create_connection(("127.0.0.1", page.port))
            line.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            deaf_lines.append(line)
        for _ in range(spectators - deaf):
            await asyncio.wait_for(heard.get(), PATIENCE_S)
        memory.append((f"{spectators} look on, {deaf} of them never read", page.memory_mb))
        emitting, arriving = [], []
        for _ in range(transfers):
            started = time.perf_counter()
            news = b'"transfers":[{"id":%d,' % table.pay()
            emitting.append(time.perf_counter() - started)
            left = spectators - deaf
            while left:
                left -= news in await asyncio.wait_for(heard.get(), PATIENCE_S)
            arriving.append(time.perf_counter() - started)
            await asyncio.sleep(PAUSE_S)
        memory.append((f"after {transfers} transfers", page.memory_mb))
        charts = await chart_rows(page)
        for transport, _ in lines:
            transport.close()
        for line in deaf_lines:
            line.close()
        await asyncio.sleep(1)
        memory.append(("all have gone, charts are drawn", page.memory_mb))
    finally:
        page.process.terminate()
        page.process.wait(PATIENCE_S)
        await door.close()
    print_table("The table page's memory", ["", "memory"], [[what, f"{mb:.1f} MB"] for what, mb in memory])
    figures = [
        [name, ms(at(0.5, times)), ms(at(0.99, times)), ms(max(times))]
        for name, times in (
            ("the table tells of a transfer", emitting),
            ("the last spectator has the new balances", arriving),
        )
    ]
    print_table(f"{spectators} spectators, {transfers} transfers", ["ms", "median", "p99", "worst"], figures)
    print_table("Charts", ["chart", "drawn, ms", "again, ms", "size", "memory then"], charts)


def main() -> None:
    """Measure and print."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    parser = argparse.ArgumentParser(description="Spectators of the table page.")
    parser.add_argument("--spectators", type=int, default=500)
    parser.add_argument("--deaf", type=int, default=50)
    parser.add_argument("--transfers", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measured(Path(folder), asked.spectators, asked.deaf, asked.transfers))


if __name__ == "__main__":
    main()
