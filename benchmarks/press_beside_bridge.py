"""From a press of the block to its sound, without a bridge, and beside one with a broker in trouble.

``python benchmarks/press_beside_bridge.py [--presses 60]``. The table has a block and a bank on gpiozero's mock
pins and the paced card. Bridge and broker are processes of their own. All are measured in turns, several times over.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from math import isinf
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import at, ms, print_table
from reboard.control.protocol import SOCKET_NAME
from reboard.control.socket_server import ControlSocket
from reboard.raspberry_pi import RaspberryPi
from reboard.table import Table
from reboard.table_config import load_config
from tests.mosquitto import MOSQUITTO, Mosquitto
from tests.paced_card import PacedCard, can_measure

BUTTON = 17
SETTLED_S = 2.0
ROUNDS = 4
BRIDGE_NICE = 10
"""The priority of the bridge, as in ``systemd/reboard-mqtt.service``."""
FLOOD_BYTES = 200
CONFIG = """
edition = "classic-de"
[block]
button = 17
odds = {{ coins = [1], laugh = 0, power_up = 0, game_over = 0 }}
[bank]
[speaker]
[mqtt]
broker = "127.0.0.1"
port = {port}
table = "pressed"
discovery = false
[state]
directory = "{folder}"
"""


class Beside:
    """What is beside the table."""

    def __init__(self, folder: Path) -> None:
        self.broker = Mosquitto(folder / "broker")
        self.config = folder / "table.toml"
        self.config.write_text(CONFIG.format(port=self.broker.port, folder=folder))

    @contextmanager
    def nothing(self) -> Iterator[None]:
        """No bridge."""
        yield

    @contextmanager
    def bridge(self) -> Iterator[None]:
        """A bridge whose broker is well."""
        self.broker.start()
        os.setpriority(os.PRIO_PROCESS, self.broker.process.pid, 19)
        with self._process("-m", "reboard", "mqtt", "-c", str(self.config)):
            yield
        self.broker.close()

    @contextmanager
    def gone(self) -> Iterator[None]:
        """A bridge whose broker is gone."""
        with self._process("-m", "reboard", "mqtt", "-c", str(self.config)):
            yield

    @contextmanager
    def paused(self) -> Iterator[None]:
        """A bridge whose broker hangs."""
        with self.bridge():
            time.sleep(SETTLED_S)
            self.broker.pause()
            yield
            self.broker.resume()

    @contextmanager
    def flooding(self) -> Iterator[None]:
        """A bridge whose broker sends it as many messages as it takes."""
        with self.bridge(), self._process(__file__, "--flood", str(self.broker.port)):
            yield

    @staticmethod
    @contextmanager
    def _process(*command: str) -> Iterator[None]:
        # as in the bridge's unit; broker and flood are on other machines, and must not compete at all
        nice = BRIDGE_NICE if "mqtt" in command else 19
        process = subprocess.Popen(
            ["nice", "-n", str(nice), sys.executable, "-W", "ignore", *command], stderr=subprocess.DEVNULL
        )
        try:
            yield
        finally:
            process.kill()
            process.wait()


def flood(port: int) -> None:
    """Publish to the bridge's topic until killed."""
    import paho.mqtt.client as paho
    from paho.mqtt.enums import CallbackAPIVersion

    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.connect("127.0.0.1", port)
    client.loop_start()
    for _ in itertools.count():
        client.publish("reboard/pressed/have", "x" * FLOOD_BYTES, qos=1).wait_for_publish()


async def measured(folder: Path, card: PacedCard, presses: int) -> dict[str, list[float]]:
    """Press in every condition, round after round. Return the seconds from edge to sound by condition."""
    beside = Beside(folder)
    conditions: Mapping[str, Callable[[], AbstractContextManager[None]]] = {
        "without a bridge": beside.nothing,
        "bridge": beside.bridge,
        "broker gone": beside.gone,
        "broker paused": beside.paused,
        "broker flooding": beside.flooding,
    }
    rounds = min(ROUNDS, presses)
    edges: list[tuple[str, float]] = []
    chance = random.Random(1)
    board = RaspberryPi()
    table = Table(load_config(beside.config), board)
    control = ControlSocket(table, folder / SOCKET_NAME)
    control.claim()
    running = asyncio.create_task(table.run())
    await table.ready.wait()
    await control.open()
    pin: Any = board.pins.pin(BUTTON)

    def press_often(condition: str) -> None:
        for _ in range(-(-presses // rounds)):
            edges.append((condition, time.monotonic()))
            pin.drive_low()
            time.sleep(0.1)
            pin.drive_high()
            time.sleep(chance.uniform(0.9, 1.1))  # the ping of one coin is shorter

    def all_rounds() -> None:
        for _ in range(rounds):
            for condition, makes in conditions.items():
                with makes():
                    time.sleep(SETTLED_S)
                    press_often(condition)

    await asyncio.to_thread(all_rounds)
    await control.close()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    board.close()
    sounds = card.sounds_after([edge for _, edge in edges])
    times: dict[str, list[float]] = {condition: [] for condition in conditions}
    for (condition, edge), sound in zip(edges, sounds, strict=True):
        if not isinf(sound.handed):
            times[condition].append(sound.handed - edge)
    return times


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=60)
    parser.add_argument("--flood", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.flood:
        flood(options.flood)
        return
    if MOSQUITTO is None:
        print("Presses beside a bridge are not measured: install mosquitto.")
        return
    if not can_measure():
        return
    os.environ["GPIOZERO_PIN_FACTORY"] = "mock"
    with tempfile.TemporaryDirectory(prefix="press-") as folder, PacedCard(Path(folder)) as card:
        times = asyncio.run(measured(Path(folder), card, options.presses))
    if not all(times.values()):
        print("Presses beside a bridge are not measured: nothing was heard. Install pyalsaaudio.")
        return
    plain = at(0.5, times["without a bridge"])
    rows = [
        [condition, ms(at(0.5, seconds)), ms(at(0.99, seconds)), f"{at(0.5, seconds) / plain:.2f}"]
        for condition, seconds in times.items()
    ]
    head = ["from the edge to the card, ms", "median", "p99", "ratio"]
    print_table(f"Press to sound beside a bridge, {options.presses} presses each (aim: 1.1 at most)", head, rows)


if __name__ == "__main__":
    main()
