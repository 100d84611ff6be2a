"""What the table complains of with a trace: defects of ours."""

from __future__ import annotations

import logging


class Complaints(logging.Handler):
    """Keeps what is logged with a trace: a defect of ours."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it, if it has a trace."""
        if record.exc_info:
            self.heard.append(self.format(record))
