"""Where a config keeps its state, told from the file however bad it is."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from reboard.settings.reading import LARGEST_FILE_BYTES

USUAL_STATE_DIRECTORY = Path("/var/lib/reboard")
LAST_GOOD_NAME = "table.last-good.toml"
"""What the config that the table started with last is called there."""

_DIRECTORY = re.compile(rb"""^[^#\n]*\bdirectory\s*=\s*["']([^"'\n]+)["']""", re.MULTILINE)
"""No other key of a config is called so."""


def state_directory(config: Path) -> Path:
    """Where the config in the file *config* keeps its state, as far as can be told: it need not even be TOML."""
    if config.is_file():
        with suppress(OSError, ValueError), config.open("rb") as file:
            if said := _DIRECTORY.search(file.read(LARGEST_FILE_BYTES)):
                return config.absolute().parent / said[1].decode()
    return USUAL_STATE_DIRECTORY
