"""What was done at a virtual table, as a play that does it again and finds the same."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from reboard.version import __version__
from reboard_sim.deck import called
from reboard_sim.eyes import Eyes
from reboard_sim.hand_time import DIGITS
from reboard_sim.play_language import LONGEST_WAIT_S, PlayError, parse_line
from reboard_sim.recording import Act
from reboard_sim.virtual_pi import NotWiredError
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import SAME_S

ONE_INSTANT_S = 2 * SAME_S
"""What is no further apart was at the same instant: a timer may come a rounding error early."""

HELD = re.compile(r"hold (\S+)")


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the play, and from when to when it is done; ``None``: at once, next to what follows."""

    begin: float
    end: float | None
    text: str
    is_check: bool = False


def session_of(table: VirtualTable, now: float) -> str:
    """The play of all that was done at *table* until *now*, with checks of what is the case."""
    end, found = table.done.full_since or (now, what_is_seen(table))
    lines = [*_about(table), *_lines(_steps(table.done.acts), table.made_at, end), *found]
    return "".join(f"{line}\n" for line in lines)


def what_is_seen(table: VirtualTable) -> list[str]:
    """The checks that hold at *table* now."""
    eyes = Eyes(table)
    checks = []
    with suppress(NotWiredError):
        shown = [line.strip() for line in table.pi.lcd.lines()]
        checks += [f"expect display {shlex.quote(text)}" for text in dict.fromkeys(filter(None, shown)) or [""]]
    for card in table.cards_seen:
        checks.append(f"expect balance {called(card)} {table.shown_balance(card)}")
    config = table.config
    running = [name for name, section in (("deal", config.bank), ("apple", config.apple)) if section]
    for thing in ("motor", "lamp", *running):
        with suppress(NotWiredError):
            is_on, _ = eyes.expect_state(thing, "on")
            checks.append(f"expect {thing} {'on' if is_on else 'off'}")
    return list(filter(_can_be_said, checks))


def _can_be_said(line: str) -> bool:
    """Whether the play language has words for it: for a balance below zero it has none."""
    try:
        return parse_line(line) is not None
    except PlayError:
        return False


def _about(table: VirtualTable) -> Iterator[str]:
    yield f"# What was done on the bench of reboard {__version__}."
    if not table.scene.is_ours:
        name = shlex.quote(table.scene.path.name)
        yield f"# It was done on the wiring of {name}: reboard-sim play -c {name} …"
    if table.began_with_a_ledger:
        yield "# There was a ledger before: games and balances are as they were then only with a copy of it (--state)."
    if any(told["event"] == "requested" for _, told in table.log.since(0)):
        yield "# The host of the table page did something too, which is not here."
    if table.done.full_since:
        yield f"# The recording was full after {len(table.done.acts)} acts: what came after is not here."
    yield ""


def _steps(acts: Sequence[Act]) -> list[Step]:
    """What the acts come to, each when it was begun; a key or a button that was held and let go is one line."""
    steps: list[Step] = []
    for act in acts:
        if act.ended_at is not None or (act.is_whole and not act.was_refused):
            steps.append(Step(act.begun_at, act.ended_at, act.text, act.is_check))
        else:
            steps += [Step(t, None, text) for t, text in act.touches]
    steps.sort(key=lambda step: step.begin)
    together: list[Step] = []
    for step in steps:
        if together and (both := _together(together[-1], step)):
            together[-1] = both
        else:
            together.append(step)
    return together


def _together(hold: Step, release: Step) -> Step | None:
    held = HELD.fullmatch(hold.text)
    if not held or release.text != f"release {held[1]}" or None in (hold.end, release.end):
        return None
    verb = "press block" if held[1] == "block" else hold.text
    return Step(hold.begin, release.end, f"{verb} {_seconds(release.begin - hold.begin)}")


def _lines(steps: Sequence[Step], begin: float, end: float) -> Iterator[str]:
    """Each step at its time, with waits in between. One that is not over when the next begins, goes on meanwhile."""
    now = begin
    for step, following in pairwise([*steps, Step(end, end, "")]):
        goes_on = step.end is None or step.end > following.begin
        if step.is_check and goes_on:
            continue
        yield from _waits(step.begin - now)
        yield f"meanwhile {step.text}" if goes_on else step.text
        now = step.begin if goes_on or step.end is None else step.end
    yield from _waits(end - now)


def _waits(seconds: float) -> Iterator[str]:
    while seconds > LONGEST_WAIT_S:
        yield f"wait {_seconds(LONGEST_WAIT_S)}"
        seconds -= LONGEST_WAIT_S
    if (said := _seconds(seconds)) != "0":
        yield f"wait {said}"


def _seconds(seconds: float) -> str:
    if seconds < ONE_INSTANT_S:
        return "0"
    return f"{seconds:.{DIGITS}f}".rstrip("0").rstrip(".")
