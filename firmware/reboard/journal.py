"""Where the log goes: to systemd's journal with fields, when it is that which reads it, else to standard error."""

from __future__ import annotations

import logging
import os

IDENTIFIER = "reboard"
STANDARD_ERROR = 2


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
    return logging.StreamHandler()


def _reads_standard_error() -> bool:
    """Whether systemd has connected standard error to its journal, and nobody has sent it elsewhere since."""
    try:
        stat = os.fstat(STANDARD_ERROR)
    except OSError:
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{stat.st_dev}:{stat.st_ino}"
