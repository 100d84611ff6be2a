"""The bench on a real port of this machine, with a table in front of it that needs no firmware."""

from __future__ import annotations

import math
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from reboard_sim.bench.server import BenchServer
from reboard_sim.deck import DECK
from reboard_sim.lcd_font import dots_of
from reboard_sim.play_language import FORMS, Line, PlayError, parse_line

TURNS_PER_S = 2.0
TONE_S = 0.2
BLOCK_SAMPLES = 480
RATE_HZ = 48_000


class FakeTable:
    """Moves as a table does, at once and without rules: what hands do is seen in `hardware` and told as events."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._events: list[Callable[[dict[str, Any]], None]] = []
        self._sounds: list[Callable[[float, bytes], None]] = []
        self._started = time.monotonic()
        self._running_since: float | None = None
        self._turns = 0.0
        self.done: list[str] = []
        self.edition = "world"
        self.powered = True
        self.lines = ["WORLD", ""]
        self.slots: dict[str, int | None] = {"left": None, "right": None}
        self.keys: list[str] = []
        self.pressed = False
        self.lever = "rest"
        self.faults: list[str] = []
        self.looks = 0
        self.broken = False

    @property
    def subscribers(self) -> int:
        return len(self._events) + len(self._sounds)

    def table(self) -> dict[str, Any]:
        cards = [{"number": n, "balance": 15_000_000 - 250_000 * n, "shown": f"{15 - n / 4:g}M"} for n in range(1, 7)]
        return {
            "edition": self.edition,
            "title": self.edition,
            "game": 1,
            "display": self.lines,
            "cards": cards,
            "slots": self.slots,
            "block": {"last": None, "quiet": False},
            "deal": {"running": False},
            "apple": {"running": self._running_since is not None, "wound": self.lever == "back"},
            "pins": {},
        }

    def hardware(self) -> dict[str, Any]:
        self.looks += 1
        if self.broken:
            raise RuntimeError("broken on purpose")
        running = self._running_since is not None
        turns = self._turns + (TURNS_PER_S * (self._now() - self._running_since) if self._running_since else 0.0)
        shown = [line.ljust(16) for line in self.lines] if self.powered else [" " * 16] * 2
        return {
            "t": self._now(),
            "powered": self.powered,
            "lamp": self.pressed and self.powered,
            "motor": {"level": 1.0 if running else 0.0, "speed": 1.0 if running else 0.0, "turns": turns},
            "display": {
                "on": self.powered,
                "backlight": self.powered,
                "lines": shown,
                "dots": [[list(dots_of(ord(letter))) for letter in line] for line in shown],
            },
            "slots": dict(self.slots),
            "keys": list(self.keys),
            "button": self.pressed,
            "lever": self.lever,
            "faults": list(self.faults),
            "accessories": ["block", "bank", "apple"],
        }

    def do(self, lines: list[str]) -> None:
        for number, text in enumerate(lines, start=1):
            line = parse_line(text, number)
            if line is not None:
                self._do(line)
            with self._lock:
                self.done.append(text)

    def subscribe_events(self, callback: Callable[[dict[str, Any]], None], /) -> Callable[[], None]:
        self._events.append(callback)
        return lambda: self._events.remove(callback)

    def subscribe_sound(self, callback: Callable[[float, bytes], None], /) -> Callable[[], None]:
        self._sounds.append(callback)
        return lambda: self._sounds.remove(callback)

    def vocabulary(self) -> list[dict[str, str]]:
        return [{"usage": form.usage, "meaning": form.meaning} for form in FORMS]

    def tell(self, name: str, /, **fields: object) -> None:
        for callback in tuple(self._events):
            callback({"t": round(self._now(), 3), "event": name, **fields})

    def beep(self) -> None:
        """Play a tone, in blocks and ahead of its time, as a sound card's buffer is filled."""
        self.tell("sound", name="coin")
        begun = self._now()
        for first in range(0, round(TONE_S * RATE_HZ), BLOCK_SAMPLES):
            tone = (round(9000 * math.sin(i / 8)) for i in range(first, first + BLOCK_SAMPLES))
            pcm = struct.pack(f"<{BLOCK_SAMPLES}h", *tone)
            for callback in tuple(self._sounds):
                callback(begun + first / RATE_HZ, pcm)

    def _now(self) -> float:
        return time.monotonic() - self._started

    def _do(self, line: Line) -> None:
        values = line.values
        name = line.form.name
        if name == "edition" and values["name"] == "atlantis":
            raise PlayError(line.number, "there is no edition 'atlantis'")
        with self._lock:
            self._move(name, values)

    def _move(self, name: str, values: Any) -> None:
        match name:
            case "edition":
                self.edition = values["name"]
                self.lines[0] = values["name"].upper()[:16]
                self.tell("game.started", game=2, edition=self.edition)
            case "insert":
                number = DECK.index(values["card"]) + 1 if values["card"] in DECK else None
                self.slots[values["slot"]] = number or values["card"]
                self._show_slot(values["slot"])
                self.tell("card.inserted", slot=values["slot"], number=number)
            case "remove":
                self.slots[values["slot"]] = None
                self._show_slot(values["slot"])
                self.tell("card.removed", slot=values["slot"], number=1)
            case "hold_key":
                self.keys.append(values["key"])
                self.lines[1] = (self.lines[1] + values["key"])[-16:]
            case "release_key":
                self.keys.remove(values["key"])
            case "hold_block":
                self.pressed = True
                self.beep()
                self.tell("block.outcome", outcome="coins", coins=3)
            case "release_block":
                self.pressed = False
            case "pull_lever":
                self._stop()
                self.lever = "back"
                self.tell("apple.wound")
            case "release_lever":
                self.lever = "rest"
                self._running_since = self._now()
                self.tell("apple.started", seconds=13.0)
            case "fault":
                self.faults = sorted({*self.faults, values["fault"]})
                self.tell("fault", part=values["fault"], cause="pulled out")
            case "mend":
                self.faults = [fault for fault in self.faults if fault != values["fault"]]
                self.tell("recovered", part=values["fault"])
            case "power":
                self.powered = values["power"] == "on"
                self._stop()
            case "wait":
                time.sleep(values["seconds"])

    def _show_slot(self, side: str) -> None:
        card = self.slots[side]
        self.lines[0 if side == "left" else 1] = f"{'+' if side == 'left' else '-'}{card} 15M" if card else ""

    def _stop(self) -> None:
        if self._running_since is not None:
            self._turns += TURNS_PER_S * (self._now() - self._running_since)
            self._running_since = None
            self.tell("apple.stopped")


@dataclass(frozen=True)
class Served:
    """A table, and where its bench is."""

    table: FakeTable
    url: str
    server: BenchServer
    thread: threading.Thread


@pytest.fixture
def fake_table() -> FakeTable:
    return FakeTable()


@pytest.fixture
def bench(fake_table: FakeTable) -> Iterator[Served]:
    server = BenchServer(fake_table, port=0)
    thread = threading.Thread(target=server.run, name="bench")
    thread.start()
    try:
        yield Served(fake_table, server.url, server, thread)
    finally:
        server.stop()
        thread.join(10)
        assert not thread.is_alive(), "the bench did not stop"
