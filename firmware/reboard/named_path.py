"""Paths on a command line."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path


def named_path(text: str) -> Path:
    """The file or folder that *text* names; ``Path`` takes an empty one for the folder in which somebody happens to be.

    Raises ``ArgumentTypeError`` for an empty one.
    """
    if not text:
        raise ArgumentTypeError("this is empty, and names no file or folder: is it a variable that was never set?")
    return Path(text)
