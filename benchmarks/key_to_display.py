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
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import at, ms, print_table
from reboard_sim.accessories.banker_unit.acts import hold_key, insert, release_key
from reboard_sim.devices.keypad import TAP_S
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.acts import Acts
from reboard_sim.recording import LoggedEvent
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run

LONGEST_S = 10.0


async def measured(directory: Path, presses: int) -> list[float]:
    """Return the seconds from the release of the key to the display, for each press."""
    table = VirtualTable(Scene.load(None, directory), seed=1)
    user = Acts(table)
    chance = random.Random(1)
    shown = asyncio.Event()
    transfers = 0
    times: list[float] = []

    def on_event(event: LoggedEvent) -> None:
        nonlocal transfers
        if event["event"] == "transfer":
            transfers += 1
        elif event["event"] == "display" and transfers:
            shown.set()

    await table.power_on()
    try:
        await insert(user, "left", DECK[0])
        table.log.listen(on_event)
        for _ in range(presses):
            await asyncio.sleep(chance.uniform(TAP_S, 3 * TAP_S))
            transfers = 0
            shown.clear()
            await hold_key(user, "GO")
            await asyncio.sleep(TAP_S)
            released = time.perf_counter()
            await release_key(user, "GO")
            async with asyncio.timeout(LONGEST_S):
                await shown.wait()
            times.append(time.perf_counter() - released)
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
        times: list[float] = run(partial(measured, Path(directory), asked.presses), pace=1)
    rows = [["from the key to the display", ms(at(0.5, times)), ms(at(0.99, times))]]
    print_table(f"Key press to confirmed display, {asked.presses} presses", ["ms", "median", "p99"], rows)
    print(
        "\nA virtual I²C bus takes no time. At 100 kHz a line of 16 characters takes 9.6 ms; changes are written first."
    )


if __name__ == "__main__":
    main()
