"""From the edge on the button's pin to the first sample at the sound card: reboard and the usual script.

``python benchmarks/press_to_sound.py [--presses 100]``. Every player is a process of its own, with gpiozero's mock
pins and the paced card; the presses come from a thread, as they do from real pins, at random moments.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from math import isinf
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gpiozero import Button
from gpiozero.pins.mock import MockFactory

from benchmarks.printing import at, ms, print_table
from tests.paced_card import PacedCard, can_measure

PIN = 17
SOUND = "key"
WAV = Path(__file__).resolve().parents[1] / "firmware" / "reboard" / "sounds" / f"{SOUND}.wav"
SETTLED_S = 1.0
LONGEST_S = 600


def reboard(press: Callable[[MockFactory], None]) -> None:
    """Use reboard's button and speaker, on its usual sink."""
    from reboard.devices import contact
    from reboard.devices.audio.libraries import SilentSink, open_sink
    from reboard.devices.speaker import Speaker
    from reboard.sounds import SoundSet

    sink = open_sink(None, None)
    if isinstance(sink, SilentSink):
        raise RuntimeError("there is no sound library: install pyalsaaudio")

    async def main() -> None:
        pins = MockFactory()
        button = contact.Button(PIN, pins=pins)
        speaker = Speaker(SoundSet.built_in(), sink, volume=4)

        async def story() -> None:
            while True:
                await button.pressed()
                speaker.play(SOUND)

        telling = asyncio.create_task(story())
        await asyncio.to_thread(press, pins)
        telling.cancel()
        button.close()
        speaker.close()

    asyncio.run(main())


def script(play: Callable[[], object], press: Callable[[MockFactory], None]) -> None:
    """Use the usual ten lines of gpiozero."""
    pins = MockFactory()
    button = Button(PIN, bounce_time=0.05, pin_factory=pins)
    button.when_pressed = play
    thread = threading.Thread(target=press, args=(pins,))
    thread.start()
    thread.join()
    button.close()


def script_with_simpleaudio(press: Callable[[MockFactory], None]) -> None:
    """Play a loaded sound with simpleaudio."""
    import simpleaudio

    sound = simpleaudio.WaveObject.from_wave_file(str(WAV))
    script(lambda: sound.play(), press)


def script_with_aplay(press: Callable[[MockFactory], None]) -> None:
    """Play each sound with an aplay process."""
    if shutil.which("aplay") is None:
        raise FileNotFoundError("aplay is missing: install alsa-utils")
    playing: list[subprocess.Popen[bytes]] = []
    script(lambda: playing.append(subprocess.Popen(["aplay", "-q", str(WAV)])), press)
    for process in playing:
        process.wait()


PLAYERS = {
    "reboard": reboard,
    "gpiozero script, simpleaudio": script_with_simpleaudio,
    "gpiozero script, aplay process": script_with_aplay,
}


def measured(player: str, presses: int) -> dict[str, list[float]]:
    """Return the seconds until the first sample was handed over and until it was heard, for each press."""
    edges: list[float] = []
    chance = random.Random(1)

    def press(pins: MockFactory) -> None:
        pin = pins.pin(PIN)
        time.sleep(SETTLED_S)
        for _ in range(presses):
            edges.append(time.monotonic())
            pin.drive_low()
            time.sleep(0.1)
            pin.drive_high()
            time.sleep(chance.uniform(0.2, 0.3))

    with tempfile.TemporaryDirectory() as folder, PacedCard(Path(folder)) as card:
        PLAYERS[player](press)
        sounds = card.sounds_after(edges)
    if silent := sum(isinf(sound.heard) for sound in sounds):
        raise RuntimeError(f"{silent} of {presses} presses made no sound")
    return {
        "handed": [sound.handed - edge for edge, sound in zip(edges, sounds, strict=True)],
        "heard": [sound.heard - edge for edge, sound in zip(edges, sounds, strict=True)],
    }


def main() -> None:
    """Measure every player in a separate process and print the table."""
    parser = argparse.ArgumentParser(description="From a press to its sound.")
    parser.add_argument("--presses", type=int, default=100)
    parser.add_argument("--only", choices=PLAYERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        print(json.dumps(measured(options.only, options.presses)))
        return
    if not can_measure():
        return
    rows, ours = [], 0.0
    for player in PLAYERS:
        command = [sys.executable, "-W", "ignore", __file__, "--presses", str(options.presses), "--only", player]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST_S)
        if done.returncode != 0:
            why = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}"
            print(f"{player} is not measured: {why.partition(': ')[2] or why}")
            continue
        times: dict[str, list[float]] = json.loads(done.stdout)
        handed, heard = times["handed"], times["heard"]
        median = at(0.5, handed)
        ours = median if player == "reboard" else ours
        figures = [ms(median), ms(at(0.99, handed)), ms(at(0.5, heard)), ms(at(0.99, heard))]
        rows.append([player, *figures, f"{median / ours:.1f}" if ours else "–"])
    head = ["from the edge, ms", "handed, median", "handed, p99", "heard, median", "heard, p99", "ratio"]
    if not rows:
        return
    print_table(f"Press to sound, {options.presses} presses each, on the paced card", head, rows)
    print("\nMock pins do not wait for bounce_time; lgpio's do, so on a Pi the scripts take 50 ms longer than here.")


if __name__ == "__main__":
    main()
