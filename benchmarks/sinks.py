"""Every sink that this machine has, on the paced card: how soon it is heard, what it costs, and what when unplugged.

``python benchmarks/sinks.py [--sounds 40]``. Every sink is measured in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.paced_card import PacedCard, can_measure
from benchmarks.printing import at, ms, print_table
from reboard.board import RATE_HZ, SAMPLE_BYTES, SOUND_LIBRARIES, Sink
from reboard.parts.mixer import Mixer
from reboard.parts.sinks.choose import open_sink
from reboard.parts.sinks.silent import SilentSink
from reboard.sounds import SoundSet

SETTLED_S = 1.0
OVER_ANOTHER = 10
IDLE_S = 3.0
GONE_S = 3.5
PATIENCE_S = 15.0
LONGEST_S = 600


class Missing(RuntimeError):  # noqa: N818 - it tells what is the case
    """Why a sink cannot be measured here."""


class Bench:
    """One sink on a card of its own."""

    def __init__(self, library: str, card: PacedCard) -> None:
        self._card = card
        self._reports: queue.Queue[str | None] = queue.Queue()
        self._sounds = SoundSet.built_in()
        self._mixer = Mixer(4)
        bare_mb = memory_mb()
        self._sink: Sink = open_sink(library, None)
        self._sink.start(self._mixer.pull, self._reports.put)
        if isinstance(self._sink, SilentSink):
            raise Missing(self._reports.get_nowait())
        time.sleep(SETTLED_S)
        self.memory_mb = memory_mb() - bare_mb

    def play(self, name: str) -> float:
        """Play a sound; the time of it."""
        now = time.monotonic()
        self._mixer.add(self._sounds[name].samples)
        self._sink.wake()
        return now

    def from_silence(self, count: int) -> tuple[list[float], list[float]]:
        """Seconds from the call until the first sample was handed over, and until it was heard, for each sound."""
        chance = random.Random(1)
        calls = []
        for _ in range(count):
            calls.append(self.play("key"))
            time.sleep(chance.uniform(0.3, 0.4))
        sounds = self._card.sounds_after(calls)
        handed = [sound.handed - call for call, sound in zip(calls, sounds, strict=True)]
        return handed, [sound.heard - call for call, sound in zip(calls, sounds, strict=True)]

    def over_another(self, count: int) -> list[float]:
        """Seconds from the call until the first sample was heard, for each sound, while another one plays."""
        calls = []
        for _ in range(count):
            self._mixer.add(bytes(RATE_HZ * SAMPLE_BYTES))  # one second of nothing: it plays, and cannot be heard
            self._sink.wake()
            time.sleep(0.5)
            calls.append(self.play("key"))
            time.sleep(0.8)
        sounds = self._card.sounds_after(calls)
        return [sound.heard - call for call, sound in zip(calls, sounds, strict=True)]

    def idle(self, seconds: float) -> float:
        """Seconds of processor time for each second without a sound."""
        before = processor_s()
        time.sleep(seconds)
        return (processor_s() - before) / seconds

    def playing(self) -> float:
        """Seconds of processor time for each second of a sound."""
        before = processor_s()
        self.play("game_over")
        time.sleep(self._sounds["game_over"].seconds + 0.2)
        return (processor_s() - before) / self._sounds["game_over"].seconds

    def unplugged(self) -> tuple[float, float, float]:
        """Pulled out in the middle of sounds: seconds until it is told, processor time meanwhile, seconds till back."""
        self.play("game_over")
        time.sleep(0.2)
        self._card.pull_out()
        out = time.monotonic()
        told = self._heard_of(after=out)
        before = processor_s()
        while time.monotonic() < out + GONE_S:
            self.play("key")
            time.sleep(0.1)
        busy = (processor_s() - before) / GONE_S
        self._card.put_back()
        return told, busy, self._heard_of(after=time.monotonic())

    def _heard_of(self, after: float) -> float:
        while self._reports.empty():
            if time.monotonic() > after + PATIENCE_S:
                return float("inf")
            self.play("key")
            time.sleep(0.1)
        self._reports.get()
        return time.monotonic() - after

    def close(self) -> None:
        """Give the card back."""
        self._sink.close()


def processes() -> list[int]:
    """This process and its children."""
    tasks = Path("/proc/self/task").glob("*/children")
    return [os.getpid(), *(int(child) for task in tasks for child in task.read_text().split())]


def memory_mb() -> float:
    """Memory in use by this process and its children, in MB."""
    pages = sum(int(Path(f"/proc/{process}/statm").read_text().split()[1]) for process in processes())
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def processor_s() -> float:
    """Processor time of this process and its children, in seconds, as fine as the kernel tells it."""
    children = sum(
        float(part)
        for process in processes()[1:]
        for part in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    )
    return time.process_time() + children / os.sysconf("SC_CLK_TCK")


def measured(library: str, count: int) -> list[str]:
    """One sink's row."""
    with tempfile.TemporaryDirectory() as folder, PacedCard(Path(folder)) as card:
        bench = Bench(library, card)
        handed, heard = bench.from_silence(count)
        over_another = bench.over_another(min(OVER_ANOTHER, count))
        idle, playing = bench.idle(min(IDLE_S, count)), bench.playing()
        told, busy, back = bench.unplugged()
        bench.close()
    return [
        ms(at(0.5, handed)),
        ms(at(0.99, handed)),
        ms(at(0.5, heard)),
        ms(at(0.5, over_another)),
        f"{bench.memory_mb:.1f}",
        f"{100 * idle:.2f}",
        f"{100 * playing:.1f}",
        f"{told:.1f}",
        f"{100 * busy:.1f}",
        f"{back:.1f}",
    ]


def main() -> None:
    """Measure every library in a process of its own and print the table."""
    parser = argparse.ArgumentParser(description="Compare the sinks.")
    parser.add_argument("--sounds", type=int, default=40)
    parser.add_argument("--only", choices=SOUND_LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        print(json.dumps(measured(options.only, options.sounds)))
        return
    if not can_measure():
        return
    head = ["", "handed, ms", "p99", "heard, ms", "over another", "memory, MB", "idle, % CPU", "playing, % CPU"]
    head += ["unplugged: told after s", "% CPU", "back after s"]
    rows = []
    for library in SOUND_LIBRARIES:
        if library == "silent":
            continue
        command = [sys.executable, "-W", "ignore", __file__, "--sounds", str(options.sounds), "--only", library]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST_S)
        if done.returncode == 0:
            rows.append([library, *json.loads(done.stdout)])
        else:
            why = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}"
            print(f"{library} is not measured: {why.removeprefix('__main__.').removeprefix('Missing: ')}")
    if rows:
        print_table(f"Sinks, {options.sounds} sounds from silence each, on the paced card", head, rows)


if __name__ == "__main__":
    main()
