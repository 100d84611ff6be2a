"""What is remembered of a virtual table, as files that other programs open."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import BinaryIO

from reboard_sim.event_printer import as_line
from reboard_sim.session import session_of
from reboard_sim.trace import write_vcd
from reboard_sim.virtual_table import VirtualTable

Write = Callable[[BinaryIO], None]
"""Writes a file. It takes its time, which is not the table's: what it writes was remembered before."""


def pins(table: VirtualTable, now: float) -> Write:
    """What the wires did since the bench began, or were wired anew, as a VCD."""
    timelines = table.pi.timelines()

    def write(file: BinaryIO) -> None:
        text = io.TextIOWrapper(file, encoding="ascii")
        write_vcd(text, timelines, now)
        text.detach()

    return write


def sound(table: VirtualTable, now: float) -> Write:
    """What was heard in the last minutes that the sound card keeps, as a WAV."""
    return table.sound_card.recording(now - table.sound_card.keep_s, now).write_wav


def events(table: VirtualTable, now: float) -> Write:
    """Every event that is kept, one a line, as ``reboard-sim play --json`` prints them: since the table was made."""
    kept, begin = table.log.tape.since(0), table.made_at

    def write(file: BinaryIO) -> None:
        for told in kept:
            since = {**told, "t": round(float(str(told["t"])) - begin, 6)}
            file.write(as_line(since).encode() + b"\n")

    return write


def session(table: VirtualTable, now: float) -> Write:
    """What hands did so far, as a play that does it again."""
    play = session_of(table, now).encode("utf-8", "replace")

    def write(file: BinaryIO) -> None:
        file.write(play)

    return write


EXPORTS: Mapping[str, tuple[str, Callable[[VirtualTable, float], Write]]] = {
    "pins.vcd": ("text/plain", pins),
    "sound.wav": ("audio/wav", sound),
    "events.jsonl": ("application/jsonl", events),
    "session.play": ("text/plain; charset=utf-8", session),
}
"""By the file's name: its media type, and what remembers it."""
