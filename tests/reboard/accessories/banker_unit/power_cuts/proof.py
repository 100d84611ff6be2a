"""Cut the power at every point in every way, and look at what is left with the code that ships."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree

from tests.reboard.accessories.banker_unit.power_cuts.cuts import Cut

Check = Callable[[Path, int], None]
"""Looks at what a cut left below a path, when so much had been confirmed; raises ``AssertionError`` for a loss."""

SHARED_MEMORY = b"what lay in the memory that processes shared" * 800
"""SQLite's index of the write-ahead log is no file that is synced: after a cut it is away, or anything at all."""


IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""A directory without a disk, if there is one. The disk of the proof is a model: a real one would only take time."""


@dataclass
class Tally:
    """How many power cuts were tried, how many of them left different files, and which of them lost something."""

    tried: int = 0
    different: int = 0
    losses: list[str] = field(default_factory=list)


def try_all(cuts: Iterable[Cut], check: Check, root: Path, *, until_loss: bool = False) -> Tally:
    """Try *cuts* below *root*. Two that leave the same files, with as much confirmed, need to be looked at once."""
    tally = Tally()
    seen: set[bytes] = set()
    for cut in cuts:
        tally.tried += 1
        mark = _mark(cut)
        if mark in seen:
            continue
        seen.add(mark)
        tally.different += 1
        lay_out(cut.left, root, shared_memory=bool(mark[0] & 1))
        try:
            check(root, cut.confirmed)
        except Exception as error:
            tally.losses.append(f"{cut}: {type(error).__name__}: {error}")
            if until_loss:
                break
    return tally


def lay_out(files: Mapping[str, bytes | None], root: Path, *, shared_memory: bool = False) -> None:
    """Put what a cut left below *root*, in place of what was there."""
    rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    for name, content in files.items():
        if content is None:
            (root / name).mkdir()
        else:
            (root / name).write_bytes(content)
            if shared_memory and name.endswith(".db"):
                (root / f"{name}-shm").write_bytes(SHARED_MEMORY)


def _mark(cut: Cut) -> bytes:
    mark = hashlib.sha1(str(cut.confirmed).encode())
    for name, content in sorted(cut.left.items()):
        mark.update(f"{name}\0{None if content is None else len(content)}\0".encode())
        mark.update(content or b"")
    return mark.digest()
