"""The exports of a virtual table: files with its pins, sound, events and ledger, and the user's acts as a play."""

from __future__ import annotations

import io
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO

from reboard.version import __version__
from reboard_sim.accessories.accessory import Export, Write
from reboard_sim.accessories.installed import simulated_accessories, things
from reboard_sim.board.line import write_vcd
from reboard_sim.plays.acts import BY, DIGITS
from reboard_sim.plays.play_language import LONGEST_WAIT_S, PlayError, parser
from reboard_sim.plays.program_language import program_parser
from reboard_sim.recording import as_line
from reboard_sim.seen_table import SeenTable
from reboard_sim.virtual_clock import SAME_S
from reboard_sim.virtual_pi import NotWiredError
from reboard_sim.virtual_table import VirtualTable

ONE_INSTANT_S = 2 * SAME_S
"""The time, in seconds, below which a wait counts as 0. Timers less than `SAME_S` apart fire together."""


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """A line of the recorded play, with its start and end in virtual seconds.

    The end is ``None`` for an act that has not ended, and for a single effect of such an act.
    """

    begin: float
    end: float | None
    text: str
    is_check: bool = False


def session_of(table: VirtualTable, now: float) -> str:
    """Return the text of a play that repeats the user's acts until *now* and then checks the state.

    If the recording is full, the play ends at the time when it became full.
    """
    end, found = table.done.full_since or (now, checks_now(table))
    lines = [*_about(table), *_lines(_steps(table), table.made_at, end), *found]
    return "".join(f"{line}\n" for line in lines)


def checks_now(table: VirtualTable) -> list[str]:
    """Return the checks (``expect`` lines) that currently hold at *table*."""
    accessories = [each for name, each in simulated_accessories().items() if name in table.config.sections]
    checks = [check for each in accessories for check in each.checks_now(table)]
    for thing in (thing for each in accessories for thing in each.things):
        with suppress(NotWiredError):
            checks.append(f"expect {thing} {'on' if things()[thing](table) else 'off'}")
    for label in table.pi.opened:
        device = table.pi.devices[label]
        checks += [f"expect {label} {shlex.quote(shown)}" for shown in [*device.shows()][:1]]
    # the language has no words for some states, such as a balance below zero
    return [check for check in checks if _is_valid(check, table)]


def _is_valid(line: str, table: VirtualTable) -> bool:
    language = program_parser() if table.pi.opened else parser()
    try:
        return language.parse_line(line) is not None
    except PlayError:
        return False


def _about(table: VirtualTable) -> Iterator[str]:
    yield f"# Recorded on the bench of reboard {__version__}."
    if remark := table.scene.remark:
        yield f"# {remark}"
    if table.began_with_a_ledger:
        had = ", ".join(f"card {number} had {shown}" for number, shown in table.first_balances.items())
        yield f"# The table began with an earlier ledger, whose transfers are not in this play{had and f': {had}'}."
        yield "# To repeat its games, run the play with a copy of it (--state)."
    if any(event["event"] == "requested" and event["by"] != BY for _, event in table.log.since(0)):
        yield "# Changes by other senders, such as the host on the table page, are not recorded."
    if table.done.full_since:
        yield f"# The recording was full after {len(table.done.acts)} acts. Later acts are not recorded."
    yield ""


def _steps(table: VirtualTable) -> list[RecordedLine]:
    """Return the recorded acts in the order of their start. Merge each ``hold`` with a ``release`` right after it."""
    steps: list[RecordedLine] = []
    for act in table.done.acts:
        if act.ended_at is not None or (act.is_whole and not act.was_refused):
            steps.append(RecordedLine(act.begun_at, act.ended_at, act.text, act.is_check))
        else:
            steps += [RecordedLine(t, None, text) for t, text in act.touches]
    steps.sort(key=lambda step: step.begin)
    together: list[RecordedLine] = []
    for step in steps:
        if together and (both := _together(together[-1], step, table)):
            together[-1] = both
        else:
            together.append(step)
    return together


def _together(hold: RecordedLine, release: RecordedLine, table: VirtualTable) -> RecordedLine | None:
    verb, _, what = hold.text.partition(" ")
    if verb != "hold" or release.text != f"release {what}" or hold.end is None or release.end is None:
        return None
    seconds = _seconds(release.begin - hold.begin)
    lines = (f"hold {what} {seconds}", f"press {what} {seconds}")
    line = next((line for line in lines if _is_valid(line, table)), None)
    return RecordedLine(hold.begin, release.end, line) if line else None


def _lines(steps: Sequence[RecordedLine], begin: float, end: float) -> Iterator[str]:
    """Yield the lines of *steps* from *begin* to *end*, with waits between them.

    Put ``meanwhile`` before a step that overlaps the next one. Omit a check that overlaps the next step.
    """
    now = begin
    for step, following in pairwise([*steps, RecordedLine(end, end, "")]):
        overlaps = step.end is None or step.end > following.begin
        if step.is_check and overlaps:
            continue
        yield from _waits(step.begin - now)
        yield f"meanwhile {step.text}" if overlaps else step.text
        now = step.begin if overlaps or step.end is None else step.end
    yield from _waits(end - now)


def _waits(seconds: float) -> Iterator[str]:
    while seconds > LONGEST_WAIT_S:
        yield f"wait {_seconds(LONGEST_WAIT_S)}"
        seconds -= LONGEST_WAIT_S
    if (text := _seconds(seconds)) != "0":
        yield f"wait {text}"


def _seconds(seconds: float) -> str:
    if seconds < ONE_INSTANT_S:
        return "0"
    return f"{seconds:.{DIGITS}f}".rstrip("0").rstrip(".")


def _pins(table: SeenTable, now: float) -> Write:
    begin = table.made_at
    timelines = {
        name: [(max(0.0, t - begin), duty) for t, duty in timeline] for name, timeline in table.pi.timelines().items()
    }

    def write(file: BinaryIO) -> None:
        text = io.TextIOWrapper(file, encoding="ascii")
        write_vcd(text, timelines, now - begin)
        text.detach()

    return write


def _sound(table: VirtualTable, now: float) -> Write:
    return table.sound_card.recording(now - table.sound_card.keep_s, now).write_wav


def _events(table: SeenTable, now: float) -> Write:
    events, begin = table.log.tape.since(0), table.made_at

    def write(file: BinaryIO) -> None:
        for event in events:
            since = {**event, "t": round(float(str(event["t"])) - begin, 6)}
            file.write(as_line(since).encode() + b"\n")

    return write


def _session(table: VirtualTable, now: float) -> Write:
    play = session_of(table, now).encode("utf-8", "replace")

    def write(file: BinaryIO) -> None:
        file.write(play)

    return write


def exports() -> Mapping[str, Export]:
    """Return the downloads from a table, keyed by file name, with those of the accessories."""
    return {
        "pins.vcd": ("text/plain", _pins),
        "sound.wav": ("audio/wav", _sound),
        "events.jsonl": ("application/jsonl", _events),
        **{name: export for each in simulated_accessories().values() for name, export in each.exports.items()},
        "session.play": ("text/plain; charset=utf-8", _session),
    }
