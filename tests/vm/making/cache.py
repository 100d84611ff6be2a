"""What takes long to make is made once, and kept outside the checkout under a key of all that it is made of."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path

KEPT = 2
"""So many of one kind are kept: this checkout's, and one of another branch."""


def cache_directory() -> Path:
    """Where everything is kept: ``reboard-vm`` in ``$XDG_CACHE_HOME``, usually ``~/.cache``."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if home else Path.home() / ".cache") / "reboard-vm"


def kept(name: str, made_of: Iterable[str | Path], make: Callable[[Path], None]) -> Path:
    """The directory called *name* that *make* fills, once for all that it is *made_of* (a path counts as its content).

    Two who need it at the same time wait for one another; one that failed half-way is made anew.
    """
    everything = cache_directory()
    everything.mkdir(parents=True, exist_ok=True)
    path = everything / f"{name}-{_key(made_of)}"
    with (everything / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_dir():
            _make(path, make)
        os.utime(path)
        _forget_old(everything, name)
    return path


def _make(path: Path, make: Callable[[Path], None]) -> None:
    name = path.name.rpartition("-")[0]
    for left in path.parent.glob(f"{name}-*.unfinished"):
        shutil.rmtree(left)
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.mkdir()
    began = time.monotonic()
    print(f"making {path.name} …", flush=True)
    make(unfinished)
    unfinished.rename(path)
    print(f"made {path.name} in {time.monotonic() - began:.0f} s", flush=True)


def _forget_old(everything: Path, name: str) -> None:
    ours = [path for path in everything.glob(f"{name}-*") if path.name.rpartition("-")[0] == name and path.is_dir()]
    for path in sorted(ours, key=lambda path: path.stat().st_mtime, reverse=True)[KEPT:]:
        shutil.rmtree(path)


def _key(made_of: Iterable[str | Path]) -> str:
    sum_of_all = hashlib.sha256()
    for part in made_of:
        content = part.read_bytes() if isinstance(part, Path) else part.encode()
        sum_of_all.update(hashlib.sha256(content).digest())
    return sum_of_all.hexdigest()[:16]
