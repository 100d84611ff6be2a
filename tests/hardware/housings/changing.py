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

Place = tuple[str | int, ...]
"""A section, a name, and where in its lists: one number."""


def every_number(said: Any = OURS, path: Place = ()) -> Iterator[Place]:
    """Where each number of the measures is."""
    if isinstance(said, int | float):
        yield path
        return
    for key, value in said.items() if isinstance(said, Mapping) else enumerate(said):
        yield from every_number(value, (*path, key))


def number_at(path: Place, said: Any = OURS) -> float:
    """That number."""
    for key in path:
        said = said[key]
    return float(said)


def ours_but(path: Place, instead: Any) -> Mapping[str, Any]:
    """Our measures, with something else in one place."""
    said: Any = copy.deepcopy(OURS)
    *before, last = path
    inner = said
    for key in before:
        inner = inner[key]
    inner[last] = instead
    return said  # type: ignore[no-any-return]


@contextmanager
def housings_of(said: Mapping[str, Any]) -> Iterator[None]:
    """Housings are made of these measures, written into a file as a builder would. Raises ``MeasureError``."""
    sections = [
        f"[{section}]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in named.items())
        for section, named in said.items()
    ]
    found = read("\n".join(sections))
    with patch.object(making, "_file", lambda: found):
        yield
