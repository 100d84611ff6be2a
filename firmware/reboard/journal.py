"""Where the log goes: to systemd's journal with fields, when it is that which reads it, else to standard error."""

from __future__ import annotations

import logging
import os

IDENTIFIER = "reboard"
STANDARD_ERROR = 2
PRIORITIES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
"""The journal's number for each level, as in syslog(3)."""
DEBUG_PRIORITY = 7


def log_handler() -> logging.Handler:
    """The handler for this process. What a record carries as ``extra={"REBOARD_…": …}`` is a field in the journal."""
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
    """*text* for standard error, so that the journal knows each line for an error if it is that which reads them."""
    return _with_priority(text, logging.ERROR) if _reads_standard_error() else text


class _WithPriority(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return _with_priority(super().format(record), record.levelno)


def _with_priority(text: str, level: int) -> str:
    number = next((number for least, number in PRIORITIES if level >= least), DEBUG_PRIORITY)
    return "\n".join(f"<{number}>{line}" for line in text.splitlines())


def _reads_standard_error() -> bool:
    """Whether systemd has connected standard error to its journal, and nobody has sent it elsewhere since."""
    try:
        stat = os.fstat(STANDARD_ERROR)
    except OSError:
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{stat.st_dev}:{stat.st_ino}"
