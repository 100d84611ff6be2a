"""The terminal output of the commands (findings, events and log lines), and the parsing of path arguments."""

from __future__ import annotations

import errno
import logging
import os
import queue
import re
import shutil
import sys
import textwrap
import threading
import time
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from reboard.control.protocol import as_line
from reboard.errors import ReboardError
from reboard.events import EmittedEvent, Events
from reboard.finding import Finding, Level


def named_path(text: str) -> Path:
    """Return *text* as a path. Raises ``ArgumentTypeError`` for an empty text, which would mean the current folder."""
    if not text:
        raise ArgumentTypeError(
            "the file name is empty: name a file, and check that each shell variable in the command is set"
        )
    return Path(text)


def written_file(text: str, *, ending: str) -> Path:
    """Return *text* as the path of a file to write.

    Raises ``ArgumentTypeError`` if the path does not end in *ending*, so that a mistake cannot overwrite a config.
    """
    file = named_path(text)
    if file.suffix.lower() != ending:
        raise ArgumentTypeError(f"{text!r} must end in {ending}")
    return file


@contextmanager
def standard_output() -> Iterator[None]:
    """Replace a standard stream that is closed, as by ``>&-``, and flush standard output at the end.

    Raises `ReboardError` if its disk is full, and ``BrokenPipeError`` if its reader has closed the pipe. The output is
    then discarded, because otherwise the flush at exit fails.
    """
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        # the error of every other file has its name
        is_full = error.errno == errno.ENOSPC and not error.filename
        if is_full or isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if is_full:
            raise ReboardError(f"standard output: {error.strerror}. Free some space, or name another file") from None
        raise


log = logging.getLogger(__name__)

MOST_WAITING = 1000
"""The maximum number of events in the queue for standard output. Further events are dropped."""
LAST_LINES_S = 1.0
"""The time limit for printing the last events after the end of the context, in seconds."""


@contextmanager
def event_lines(events: Events) -> Iterator[None]:
    """Print every event as a line of JSON while the context lasts.

    A thread writes the lines, because a program that reads the pipe slowly must not delay the table. Events are dropped
    when the queue is full or the pipe is closed.
    """
    waiting: queue.Queue[EmittedEvent | None] = queue.Queue(MOST_WAITING)
    dropped = 0

    def hear(event: EmittedEvent) -> None:
        nonlocal dropped
        try:
            waiting.put_nowait(event)
        except queue.Full:
            dropped += 1

    def write() -> None:
        # not through sys.stdout: its lock would be held by a writer that hangs when the interpreter exits
        descriptor = sys.stdout.fileno()
        while event := waiting.get():
            line = as_line(event.as_json())
            try:
                while line:
                    line = line[os.write(descriptor, line) :]
            except OSError as error:
                log.warning("events can no longer be printed: %s", error.strerror)
                stop()
                return

    stop = events.listen(hear)
    writer = threading.Thread(target=write, name="event lines", daemon=True)
    writer.start()
    try:
        yield
    finally:
        stop()
        deadline = time.monotonic() + LAST_LINES_S
        with suppress(queue.Full):
            waiting.put(None, timeout=LAST_LINES_S)
        writer.join(max(0.0, deadline - time.monotonic()))
        if dropped:
            log.warning("events were dropped (%d), because the program that reads them is too slow", dropped)


IDENTIFIER = "reboard"
STANDARD_ERROR = 2
PRIORITIES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
"""The lowest log level for each priority in the journal, with the number of the priority as in syslog(3)."""
DEBUG_PRIORITY = 7


def log_handler() -> logging.Handler:
    """Return the log handler of this process, for the journal or a terminal.

    In the journal, each item ``REBOARD_…`` of a record's ``extra=`` becomes a field if python3-systemd is installed.
    """
    if _reads_standard_error():
        try:
            from systemd.journal import JournalHandler
        except ImportError:
            pass  # the same lines without fields
        else:
            journal: logging.Handler = JournalHandler(SYSLOG_IDENTIFIER=IDENTIFIER)
            return journal
        lines = logging.StreamHandler()
        lines.setFormatter(_WithPriority("%(message)s"))
        return lines
    return logging.StreamHandler()


def as_error(text: str) -> str:
    """Return *text* for standard error. If the journal reads standard error, mark each line as an error."""
    return _with_priority(text, logging.ERROR) if _reads_standard_error() else text


class _WithPriority(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return _with_priority(super().format(record), record.levelno)


def _with_priority(text: str, level: int) -> str:
    number = next((number for least, number in PRIORITIES if level >= least), DEBUG_PRIORITY)
    return "\n".join(f"<{number}>{line}" for line in text.splitlines())


def _reads_standard_error() -> bool:
    """Return whether systemd's journal reads the standard error of this process."""
    try:
        stat = os.fstat(STANDARD_ERROR)
    except OSError:
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{stat.st_dev}:{stat.st_ino}"


MARKS = {Level.FINE: "ok", Level.NOTE: "note", Level.WRONG: "WRONG"}
GREEN, YELLOW, RED, BOLD = "32", "33", "1;31", "1"
COLOURS = {Level.FINE: GREEN, Level.NOTE: YELLOW, Level.WRONG: RED}
WIDEST = 100
_COMMAND = re.compile(r"`[^`]+`")
_UNBREAKABLE_SPACE = "\N{NO-BREAK SPACE}"


class FindingPrinter:
    """A printer for findings. `findings` has all findings printed so far.

    At a terminal the output has colours, unless the environment variable ``NO_COLOR`` is set (https://no-color.org).
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self._has_colours = self._is_terminal and not os.environ.get("NO_COLOR")
        self._progress = ""

    @property
    def wrong(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.level is Level.WRONG]

    def show(self, finding: Finding) -> None:
        """Print *finding*. Print its area as a heading first, if the previous finding had another area."""
        self.show_progress("")
        if not self.findings or self.findings[-1].area != finding.area:
            print(f"\n{self._coloured(finding.area, BOLD)}")
        self._print(finding, f"  {MARKS[finding.level]:<5}  ")
        self.findings.append(finding)

    def show_progress(self, what: str) -> None:
        """Replace the progress line with *what*, such as ``display``. Without a terminal, print nothing."""
        line = f"Checking: {what}"[: shutil.get_terminal_size().columns - 1] if what else ""
        if self._is_terminal and line != self._progress:
            print(f"\r{' ' * len(self._progress)}\r{line}", end="", flush=True)
            self._progress = line

    def sum_up(self) -> None:
        """Print the number of faults, or that there are only notes, and then each fault again."""
        self.show_progress("")
        has_notes = any(finding.level is Level.NOTE for finding in self.findings)
        notes = " The notes say what was not tried, or could be better." if has_notes else ""
        count = {0: f"Nothing is wrong.{notes}", 1: "One thing is wrong:"}
        print(f"\n{count.get(len(self.wrong), f'{len(self.wrong)} things are wrong:')}")
        for number, problem in enumerate(self.wrong, start=1):
            self._print(problem, f"  {number:>2}.    ")

    def _print(self, finding: Finding, margin: str) -> None:
        indent, colour = " " * len(margin), COLOURS[finding.level]
        text = _filled(finding.what, margin, indent)
        print(self._coloured(text[: len(margin)], colour) + text[len(margin) :], flush=True)
        if finding.do:
            print(_filled(finding.do, f"{indent}-> ", f"{indent}   "), flush=True)

    def _coloured(self, text: str, colour: str) -> str:
        return f"\033[{colour}m{text}\033[m" if self._has_colours else text


def _filled(text: str, first: str, others: str) -> str:
    """Return *text* wrapped to the terminal's width. Keep each command on one line, so that a user can copy it."""
    whole = _COMMAND.sub(lambda command: command[0].replace(" ", _UNBREAKABLE_SPACE), text)
    width = min(shutil.get_terminal_size().columns, WIDEST) - 1
    filled = textwrap.fill(
        whole, width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
    return filled.replace(_UNBREAKABLE_SPACE, " ")
