"""A digest beside what a heavy tool made: a test without that tool sees whether it is stale."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

DIGEST = "made-from.sha256"
"""The name of the file, in the folder of what was made."""


def digest(contents: Iterable[bytes | Path]) -> str:
    """Return the SHA-256 of *contents*: bytes, such as a netlist as JSON, or files with data or code."""
    total = hashlib.sha256()
    for content in contents:
        data = content.read_bytes() if isinstance(content, Path) else content
        total.update(hashlib.sha256(data).digest())
    return total.hexdigest()


def keep(folder: Path, contents: Iterable[bytes | Path]) -> None:
    """Write the digest of *contents* into *folder*."""
    (folder / DIGEST).write_text(digest(contents) + "\n", encoding="ascii")


def is_made_from(folder: Path, contents: Iterable[bytes | Path]) -> bool:
    """Return whether the files in *folder* were made from *contents*."""
    kept = folder / DIGEST
    return kept.exists() and kept.read_text(encoding="ascii").strip() == digest(contents)
