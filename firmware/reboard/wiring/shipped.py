"""The files of the folder ``hardware``, as they were shipped."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def shipped(name: str) -> dict[str, Any]:
    """What ``hardware/<name>.toml`` says. Nobody may change it."""
    return tomllib.loads(resources.files("reboard.wiring").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
