"""From the release of a key to the digits on the display, which are there only when the disk has the transfer.

``python benchmarks/key_to_display.py [--presses 300] [--directory DIR]``. The firmware on a virtual Pi in real time,
its ledger on a real disk: in DIR, or else where temporary files are. ``GO`` is released at random moments.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import at, ms, print_table
from reboard.banker.book import Book
from reboard_sim.deck import DECK
from reboard_sim.event_log import Told
from reboard_sim.hands import TAP_S, Hands
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run

LONGEST_S = 10.0
PARTS = ("the key is read", "the disk", "the display is written", "altogether")


@contextmanager
def timed_writing(spent: list[tuple[float, float]]) -> Iterator[None]:
    """Note when each transaction began and ended."""
    writing = Book.writing

    @contextmanager
    def timed(book: Book) -> Iterator[object]:
        began = time.perf_counter()
        with writing(book) as connection:
            yield connection
        spent.append((began, time.perf_counter()))

    Book.writing = timed  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        Book.writing = writing  # type: ignore[method-assign]


async def measured(directory: Path, presses: int) -> list[tuple[float, ...]]:
    """Seconds of each of `PARTS`, for each press."""
    table = VirtualTable(Scene.load(None, directory), seed=1)
    hands = Hands(table)
    chance = random.Random(1)
    shown = asyncio.Event()
    transfers = 0
    times: list[tuple[float, ...]] = []

    def told(event: Told) -> None:
        nonlocal transfers
        if event["event"] == "transfer":
            transfers += 1
        elif event["event"] == "display" and transfers:
            shown.set()

    await table.power_on()
    try:
        await hands.insert("left", DECK[0])
        table.log.listen(told)
        for _ in range(presses):
            await asyncio.sleep(chance.uniform(TAP_S, 3 * TAP_S))
            transfers = 0
            shown.clear()
            spent: list[tuple[float, float]] = []
            await hands.hold_key("GO")
            await asyncio.sleep(TAP_S)
            with timed_writing(spent):
                released = time.perf_counter()
                await hands.release_key("GO")
                async with asyncio.timeout(LONGEST_S):
                    await shown.wait()
                seen = time.perf_counter()
            ((began, ended),) = spent
            times.append((began - released, ended - began, seen - ended, seen - released))
    finally:
        await table.close()
    return times


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="From a key to the display.")
    parser.add_argument("--presses", type=int, default=300)
    parser.add_argument("--directory", type=Path)
    asked = parser.parse_args()
    logging.disable()  # at the end the plug is pulled, and the readers are gone before the firmware
    with tempfile.TemporaryDirectory(dir=asked.directory) as directory:
        times: list[tuple[float, ...]] = run(partial(measured, Path(directory), asked.presses), pace=1)
    rows = [
        [part, ms(at(0.5, spent)), ms(at(0.99, spent))]
        for part, spent in zip(PARTS, zip(*times, strict=True), strict=True)
    ]
    print_table(f"Key press to confirmed display, {asked.presses} presses", ["part, ms", "median", "p99"], rows)
    print(
        "\nA virtual I²C bus takes no time. At 100 kHz a line of 16 characters takes 27 ms; only changes are written."
    )


if __name__ == "__main__":
    main()
