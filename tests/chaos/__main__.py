"""The whole chaos test: ``make chaos``, or ``python -m tests.chaos [--seed N]``. It takes about ten minutes.

Each part prints a line. The exit status is 1 if the hall lost or doubled a row, or if the control lost none.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.evening import HALL_THAT_NEVER_ASKS, Evening, Kills
from tests.mosquitto import MOSQUITTO, Mosquitto

TABLES = 20
EVERY_S = 0.2
KILLS = Kills(each=30, power_cuts=20)
CONTROL = Kills(each=12, power_cuts=0)
AWAY_ROWS = 6000
AWAY_EVERY_S = 0.05
SETTLES_S = 180.0


def chaos(broker: Mosquitto, folder: Path, seed: int) -> bool:
    """Kill everything during an evening, keep the hall away, delete its store. Return whether all is there."""
    evening = Evening(broker, folder, TABLES, EVERY_S, seed)
    try:
        evening.start()
        began = time.monotonic()
        evening.kill_everything_again_and_again(KILLS)
        evening.stop_playing()
        took = time.monotonic() - began
        is_well = report(evening, f"{TABLES} tables, {took:.0f} s, killed {dict(evening.killed)}")
        evening.every_s = AWAY_EVERY_S
        evening.without_hall()
        before = len(evening.written())
        for name in evening.names:
            evening.play(name)
        evening.stop_playing(least=before + AWAY_ROWS)
        evening.wait_for_bridges()
        evening.with_hall()
        is_well &= report(evening, f"the hall was away for {len(evening.written()) - before} rows")
        evening.without_hall()
        evening.delete_store()
        evening.with_hall()
        is_well &= report(evening, "the hall's store was deleted")
        if "Traceback" in evening.log():
            print(f"FAILED: a program was stopped by a bug, see {folder}/programs.log")
            is_well = False
        return is_well
    finally:
        evening.close()


def report(evening: Evening, what: str, *, settles_s: float = SETTLES_S) -> bool:
    """Wait until the hall is complete, and print how it is. Return whether it is complete."""
    settled = evening.settle(settles_s)
    written, kept = evening.written(), evening.kept()
    lost, foreign, doubled = len(written - {*kept}), len({*kept} - written), len(kept) - len({*kept})
    end = "never complete" if settled is None else f"complete after {settled:.1f} s"
    print(f"{what}: {len(written)} rows, {lost} lost, {foreign} foreign, {doubled} doubled, {end}", flush=True)
    return settled is not None


def control(broker: Mosquitto, folder: Path, seed: int) -> bool:
    """Do the same with a hall that never asks again. Return whether that loses rows, as it must."""
    evening = Evening(broker, folder, TABLES, EVERY_S, seed, hall=HALL_THAT_NEVER_ASKS)
    try:
        evening.start()
        evening.kill_everything_again_and_again(CONTROL)
        evening.stop_playing()
        has_lost = not report(evening, f"the control, killed {dict(evening.killed)}", settles_s=30)
        if not has_lost:
            print("FAILED: a hall that never asks lost nothing, so this test would not notice a loss")
        return has_lost
    finally:
        evening.close()


def main() -> int:
    """Run all parts and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    seed = parser.parse_args().seed
    if not MOSQUITTO:
        print("mosquitto is not installed: sudo apt install mosquitto")
        return 2
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        parts = []
        for name, part in (("evening", chaos), ("control", control)):
            place = Path(folder) / name
            # it has mosquitto's usual queue, and the hall is away for more than that
            broker = Mosquitto(place / "broker", settings="max_queued_messages 1000")
            try:
                broker.start()
                parts.append(part(broker, place, seed))
            finally:
                broker.close()
    return 0 if all(parts) else 1


if __name__ == "__main__":
    sys.exit(main())
