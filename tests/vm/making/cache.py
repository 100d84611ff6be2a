"""A cache outside the checkout, for what takes long to make. A key of all ingredients is part of each name."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path

KEPT = 2
"""This many of one kind are kept: this checkout's, and that of another branch."""


def kept(name: str, made_of: Iterable[str | Path], make: Callable[[Path], None]) -> Path:
    """Return the directory called *name* that *make* fills, once for all that it is *made_of* (a path: its content).

    Processes that need it at the same time wait for one another. After a failure it is made again.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reboard-vm"
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{name}-{_key(made_of)}"
    with (cache / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_dir():
            for left in cache.glob(f"{name}-*.unfinished"):
                shutil.rmtree(left)
            unfinished = path.with_name(f"{path.name}.unfinished")
            unfinished.mkdir()
            began = time.monotonic()
            print(f"making {path.name} …", flush=True)
            make(unfinished)
            unfinished.rename(path)
            print(f"made {path.name} in {time.monotonic() - began:.0f} s", flush=True)
        os.utime(path)
        ours = [other for other in cache.glob(f"{name}-*") if other.name.rpartition("-")[0] == name and other.is_dir()]
        for old in sorted(ours, key=lambda other: other.stat().st_mtime, reverse=True)[KEPT:]:
            shutil.rmtree(old)
    return path


def _key(made_of: Iterable[str | Path]) -> str:
    key = hashlib.sha256()
    for part in made_of:
        content = part.read_bytes() if isinstance(part, Path) else part.encode()
        key.update(hashlib.sha256(content).digest())
    return key.hexdigest()[:16]
