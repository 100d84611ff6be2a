"""The exceptions of reboard."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import takewhile
from logging import Logger
from pathlib import Path
from traceback import walk_stack, walk_tb
from types import FrameType
from typing import Any, Self

from reboard.labels import Labelled
from reboard.record import NO_DATACLASS, Record


class ReboardError(Exception):
    """The base class of reboard's errors. The text of an error is a sentence for the user."""


class ConfigError(ReboardError, ValueError):
    """An error in a config or edition. The text has one line for each problem, usually ``file:line: problem``."""


class NotInstalledError(ReboardError, RuntimeError):
    """The error raised if no accessory is installed, because the installed package is older than the code."""

    def __init__(self) -> None:
        super().__init__(
            "No accessories are installed, because the installed version of reboard is older than this code. Install "
            "reboard again: `make run` or `pip install -e .` in a checkout."
        )


class MissingExtraError(ReboardError, ImportError):
    """The error raised if a library of an *extra* is not installed. *what* names the command that needs it.

    *package* is the library's package in Debian, for a system whose Python packages come from apt only.
    """

    def __init__(self, what: str, extra: str, missing: ImportError, *, package: str = "") -> None:
        from importlib.util import find_spec

        needed = f"'reboard[{extra}]'"
        if package and sys.prefix == sys.base_prefix == "/usr":  # Debian's own Python takes nothing from pip
            install = f"sudo apt install {package}"
        elif find_spec("pip"):
            install = f"{sys.executable} -m pip install {needed}"
        else:  # an environment of uv has no pip
            install = f"uv pip install --python {sys.executable} {needed}"
        super().__init__(f"{what} needs the library {missing.name}, which is not installed. Run `{install}`")


class DeviceError(ReboardError, OSError):
    """The error raised if a device cannot be used. The text names the device and what to check."""


class ControlSocketError(ReboardError, ConnectionError):
    """The error raised if a control socket cannot be used, a message is invalid, or no answer arrives."""


class NoTableError(ControlSocketError, ConnectionRefusedError):
    """The error raised if no running table serves the control socket."""


class ForbiddenSocketError(ControlSocketError, PermissionError):
    """The error raised if the user has no permission to use the control socket."""


class RequestError(ReboardError, ValueError):
    """The error raised if the table cannot carry out a request. The text gives the reason."""


class StateError(ReboardError, OSError):
    """The error raised if the state directory cannot be used. The text gives the reason and the remedy."""


class GivenUpError(ReboardError, RuntimeError):
    """The error raised if the table has failed so often that systemd must not start it again."""


class Why(Labelled):
    """The short name of a rejection, with a *sentence* for users.

    *display* has at most 16 characters. It is ``""`` if only the sender of a request can get the rejection.
    """

    sentence: str
    display: str

    def __new__(cls, why: str, sentence: str, display: str = "") -> Self:
        made = super().__new__(cls, why)
        made.sentence, made.display = sentence, display
        return made


class Rejection(ReboardError, ValueError):  # noqa: N818 - a rule of the game, not an error
    """The error raised if a request or an input is rejected. No money has moved.

    *sentence*, if given, replaces the sentence of *why*.
    """

    def __init__(self, why: Why, sentence: str = "") -> None:
        if not isinstance(why, Why):
            raise TypeError(f"the rejection {why!r} is not declared: declare it as a `Why` in a subclass of `Labels`")
        self.why = why
        super().__init__(sentence or why.sentence)


PLUG_IN_ERRORS = (BaseException,)
"""The exceptions of a call to a plug-in. None of them, not even ``KeyboardInterrupt``, must stop the others.

A caller that awaits a plug-in lets the cancellation of its own task pass, see `reboard.aiotools.is_cancelled`.
"""

PLUG_IN_REMEDY = "Correct the code of the plug-in, or update or uninstall its package"

NOT_PLUG_INS = sys.stdlib_module_names | {"reboard", "reboard_sim", "__main__"}


LONGEST_TEXT = 2000
"""The maximum length of the cause of a fault, in characters."""

MOST_NAME, MOST_WORDS = 100, 1500
"""The maximum lengths of an exception's name and text in a cause, so that its place is kept."""


def failure(error: BaseException) -> str:
    """Return *error* of a plug-in as text, such as ``KeyError: 'left' (accessory.py, line 33)``.

    The place is the last one in the plug-in, even if a library that it calls raised the error.
    """
    try:
        words = ": ".join(filter(None, (clean(type(error).__name__)[:MOST_NAME], text_of(error)[:MOST_WORDS])))
    except PLUG_IN_ERRORS:
        words = "an error whose name cannot be shown"
    words += f": {NO_DATACLASS}" if "cannot inherit frozen dataclass" in words else ""
    # the cause, too: that of a coroutine's StopIteration has the place
    errors = [each for each in (error, _own(error, "__cause__")) if each is not None]
    places = (place_in_plug_in(walk_tb(_own(each, "__traceback__"))) for each in errors)
    return f"{words}{in_brackets(next(filter(None, places), None))}"


def _own(error: BaseException, name: str) -> Any:
    """Return the attribute *name* of *error*, whatever its class overrides."""
    return vars(BaseException)[name].__get__(error)


def text_of(error: BaseException) -> str:
    """Return the text of *error*, which may be of a plug-in's own class, as `clean` does."""
    try:
        return clean(str(error))
    except PLUG_IN_ERRORS:
        return "its text cannot be shown"


def clean(text: str) -> str:
    """Return *text* shortened to `LONGEST_TEXT`, with ``?`` for what cannot be shown. Line breaks stay."""
    shortened = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
    return "".join(character if character.isprintable() or character == "\n" else "?" for character in shortened)


class Place(Record):
    """A place in the code of a plug-in: a *line* of a *file* in the top-level *package*."""

    package: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


def in_brackets(place: object) -> str:
    """Return *place* in brackets after a space, or ``""`` if there is none."""
    return f" ({place})" if place else ""


def place_in_plug_in(frames: Iterable[tuple[FrameType, int]]) -> Place | None:
    """Return the last place in a plug-in, or ``None`` if there is none.

    *frames* are those of a stack with their lines, the outermost first. The plug-in is the first package of others.
    """
    places = [
        Place(str(frame.f_globals.get("__name__")).partition(".")[0], Path(frame.f_code.co_filename).name, line)
        for frame, line in frames
        if "__name__" in frame.f_globals  # not so in code that the standard library generates
    ]
    plug_in = next((place.package for place in places if place.package not in NOT_PLUG_INS), None)
    return next((place for place in reversed(places) if place.package == plug_in), None)


def running_place(frame: FrameType | None = None) -> Place | None:
    """Return the place in a plug-in that runs in *frame*, by default that of the caller, or ``None`` if there is none.

    Only the stack of the current task or callback counts, not the program that runs the loop.
    """
    # `asyncio.Handle` begins a step; without asyncio, which `reboard motor-off` does not wait for
    stack = walk_stack(frame or sys._getframe(1))
    steps = takewhile(lambda step: step[0].f_globals.get("__name__") != "asyncio.events", stack)
    return place_in_plug_in(reversed(list(steps)))


class Repeats:
    """Counts of what happens again and again, of which only the 1st, 10th, 100th time and so on are reported."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, what: str) -> int:
        """Count *what*, and return its count if it is to be reported, and otherwise 0."""
        if len(self._counts) >= MOST_COUNTED:
            self._counts.clear()
        self._counts[what] += 1
        count = self._counts[what]
        return count if str(count).rstrip("0") == "1" else 0

    def report(self, log: Logger, what: str, error: BaseException) -> None:
        """Log *what* and the *error*, if it is to be reported: first with the traceback of a bug, later with the count.

        Errors of one type are the same, because their texts may have a time or a number.
        """
        with suppress(*PLUG_IN_ERRORS):  # of a class of a plug-in, whose name or traceback cannot be shown
            count = self.count(f"{what}: {type(error).__name__}")
            if count == 1:
                log.error("%s: %s", what, failure(error), exc_info=None if isinstance(error, ReboardError) else error)
            elif count:
                log.error("%s: %s (%d times)", what, failure(error), count)


MOST_COUNTED = 200
