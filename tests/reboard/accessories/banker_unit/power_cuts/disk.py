"""A disk as a power cut sees it: what was done to its files, in order, and which of it is there for sure.

Nothing is sure but what was synced: the bytes of a file by a sync of that file, its name by a sync of its directory.
A rename happens or does not; it is never half done.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath


@dataclass(eq=False)
class File:
    """A file, whatever it is called at the moment."""


FOLDER = File()
"""What a name stands for that is a directory's."""


@dataclass(frozen=True, slots=True)
class Write:
    file: File
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    """A file was cut or stretched to *size* bytes."""

    file: File
    size: int


@dataclass(frozen=True, slots=True)
class Rename:
    """Names of one directory now stand for other files, or, where it is ``None``, for nothing any more."""

    directory: str
    names: tuple[tuple[str, File | None], ...]


@dataclass(frozen=True, slots=True)
class Sync:
    file: File


@dataclass(frozen=True, slots=True)
class SyncDirectory:
    directory: str


class Confirmed:
    """What was done so far was confirmed to a user."""


Change = Write | Truncate | Rename
Event = Change | Sync | SyncDirectory | Confirmed


def directory_of(name: str) -> str:
    """The directory that keeps *name*; both are relative to the disk's root, which is ``"."``."""
    return str(PurePosixPath(name).parent)


@dataclass
class Files:
    """Some state of all files: which names stand for which, and what is in each."""

    names: dict[str, File] = field(default_factory=dict)
    contents: dict[File, bytearray] = field(default_factory=dict)

    def change(self, change: Change) -> None:
        match change:
            case Write(file, offset, data):
                self.change(Truncate(file, max(offset, len(self.contents.get(file, b"")))))
                self.contents[file][offset : offset + len(data)] = data
            case Truncate(file, size):
                content = self.contents.setdefault(file, bytearray())
                content.extend(bytes(max(0, size - len(content))))
                del content[size:]
            case Rename(_, names):
                for name, file_or_none in names:
                    self.names.pop(name, None)
                    if file_or_none is not None:
                        self.names[name] = file_or_none

    def copy(self, *, only: Container[File] | None = None) -> Files:
        """The same files, to be changed apart from these; or *only* those, and the names."""
        kept = self.contents if only is None else only
        contents = {file: bytearray(had) if file in kept else had for file, had in self.contents.items()}
        return Files(dict(self.names), contents)

    def listing(self) -> dict[str, bytes | None]:
        """What can be reached from the root: the bytes of each file, ``None`` for a directory."""
        reachable: dict[str, bytes | None] = {}
        for name in sorted(self.names):
            if directory_of(name) in {".", *reachable}:
                file = self.names[name]
                reachable[name] = None if file is FOLDER else bytes(self.contents.get(file, b""))
        return reachable


class Disk:
    """The files below *root*, and everything that has been done to them since. What lies there now is synced."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lock = threading.RLock()
        """Held while something is done and told, because backups are made on a thread of their own."""
        self.now = Files()
        self.log: list[Event] = []
        self._told: set[File] = set()
        self.fails: Callable[[str], bool] = lambda _: False
        """Whether a call of this kind, ``write`` or ``sync``, which is made now, fails."""
        self.look()
        self.log.clear()
        self.before = self.now.copy()

    def add(self, event: Event) -> None:
        assert not isinstance(event, Rename) or not event.directory.startswith(".."), f"{event} is not on this disk"
        self.log.append(event)
        if isinstance(event, Change):
            self.now.change(event)

    def has(self, path: str | Path | int) -> bool:
        """Whether *path* is below the root; a file that is open is looked for otherwise."""
        return isinstance(path, int) or not self.name(path).startswith("..")

    def name(self, path: str | Path) -> str:
        return os.path.relpath(path, self.root)

    def opened(self, path: str) -> File:
        """Return the file at *path*, whose every change will be told with `add` from now on."""
        self.look()
        file = self.now.names[self.name(path)]
        self._told.add(file)
        return file

    def removed(self, path: str) -> None:
        name = self.name(path)
        self.add(Rename(directory_of(name), ((name, None),)))

    def renamed(self, old_path: str | Path, new_path: str | Path) -> None:
        old, new = self.name(old_path), self.name(new_path)
        assert directory_of(old) == directory_of(new), "renaming across directories is not modelled"
        self.add(Rename(directory_of(old), ((old, None), (new, self.now.names[old]))))

    def synced(self, descriptor: int) -> None:
        self.look()
        status = os.fstat(descriptor)
        for name, file in {".": FOLDER, **self.now.names}.items():
            if os.path.samestat(status, (self.root / name).stat()):
                self.add(SyncDirectory(name) if stat.S_ISDIR(status.st_mode) else Sync(file))

    def look(self) -> None:
        """Note what was done to the files that nobody tells of. What they hold matters only where it is synced."""
        there = {self.name(path): path for path in sorted(self.root.rglob("*")) if not path.name.endswith("-shm")}
        for name in self.now.names.keys() - there.keys():
            self.add(Rename(directory_of(name), ((name, None),)))
        for name, path in there.items():
            if name not in self.now.names:
                self.add(Rename(directory_of(name), ((name, FOLDER if path.is_dir() else File()),)))
            if path.is_file():
                self._look_into(name, path.read_bytes())

    def _look_into(self, name: str, content: bytes) -> None:
        file = self.now.names[name]
        known = self.now.contents.get(file, b"")
        if content != known:
            assert file not in self._told, f"{name} was written to in a way that was not told"
            if len(content) < len(known):
                self.add(Truncate(file, len(content)))
            self.add(Write(file, 0, content))
