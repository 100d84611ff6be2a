"""The measures of all housings."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "housings.toml"


@cache
def measures(section: str) -> dict[str, Any]:
    """One section of ``hardware/housings.toml``."""
    found: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))[section]
    return found
