"""Other measures than ours, for as long as a test lasts."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from hardware.making.housings import measures as making
from hardware.making.housings.measures import FILE, read

OURS: Mapping[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))


@contextmanager
def housings_with(numbers: Mapping[str, Any]) -> Iterator[None]:
    """Make housings with other numbers, such as that of ``slot.screws.2.0``. Raises ``ConfigError``."""
    changed: Any = copy.deepcopy(OURS)
    for place, number in numbers.items():
        *path, last = (int(key) if key.isdecimal() else key for key in place.split("."))
        inner = changed
        for key in path:
            inner = inner[key]
        inner[last] = number
    sections = [
        f"[{section}]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in named.items())
        for section, named in changed.items()
    ]
    found = read("\n".join(sections).encode())
    with patch.object(making, "_file", lambda: found):
        yield
