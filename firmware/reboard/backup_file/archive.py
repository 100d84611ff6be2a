"""The form of a backup file: a zip archive of named files, with a list of their hashes and of what made them."""

from __future__ import annotations

import json
import re
import stat
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from reboard.errors import ReboardError
from reboard.record import Record
from reboard.version import __version__

FORMAT = 1
"""The version of the form. A reboard refuses a file with a higher one."""

LIST = "backup.json"
CONFIG = "table.toml"
LEDGER = "ledger.db"
READERS = "udev.rules"  # for the names of the readers
EDITIONS = "editions/"
SOUNDS = "sounds/"
VOICE = "sounds/voice/"

MOST_BYTES = 64 * 1024 * 1024
"""The maximum size of a backup file, and of all its files together."""
MOST_FILES = 1000
LONGEST_LIST_BYTES = 1024 * 1024

ENTRY = b"PK\1\2"
"""The beginning of each entry in a zip archive's directory, which `zipfile` reads as a whole."""

# an archive cannot hold a name that is not UTF-8, which Python reads as surrogates
_BASE = r"(?!\.)[^/\\\x00-\x1f\x7f\ud800-\udfff]{1,100}"
_NAME = re.compile(
    rf"{re.escape(CONFIG)}|{re.escape(LEDGER)}|{re.escape(READERS)}|{EDITIONS}{_BASE}\.toml|{SOUNDS}(voice/)?{_BASE}\.(?i:wav)"
)


class Backup(Record):
    """The content of a backup file: its *files*, keyed by name, the *version* of reboard that made it, and when."""

    files: Mapping[str, bytes]
    made_at: str
    version: str = __version__

    def packed(self) -> bytes:
        """Return the backup file. Raises `ReboardError` if it is too large."""
        must_fit(self.files)
        hashes = {name: sha256(content).hexdigest() for name, content in self.files.items()}
        described = {"format": FORMAT, "reboard": self.version, "made_at": self.made_at, "files": hashes}
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in {LIST: json.dumps(described, indent=1).encode(), **self.files}.items():
                # without the time, which a Pi may not know
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        # one that cannot be compressed is a little larger than its files
        must_fit({"": packed.getvalue()})
        return packed.getvalue()


def must_fit(files: Mapping[str, bytes]) -> None:
    """Raise `ReboardError` if *files* are too large or too many for a backup."""
    if sum(map(len, files.values())) > MOST_BYTES or len(files) > MOST_FILES:
        raise ReboardError(
            f"the backup would be larger than {MOST_BYTES // 2**20} MB or have more than {MOST_FILES} files: "
            "remove unused sounds from `folder` in [speaker]"
        )


def can_hold(name: str) -> bool:
    """Return whether a backup can have a file *name*."""
    return bool(_NAME.fullmatch(name))


def read_backup(path: Path) -> Backup:
    """Read the backup file *path*. Raises ``OSError``, and `ReboardError` if it is no intact backup file.

    Nothing is written: the names in the archive only choose among the known files.
    """
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        raise ReboardError(f"{path}: this is not a file: name a backup file")
    with path.open("rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES or raw.count(ENTRY) > MOST_FILES + 1:
        raise ReboardError(f"{path}: this file is too large for a backup of reboard: name another file")
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            backup = _unpacked(archive)
    except _TooNewError as error:
        raise ReboardError(
            f"{path}: reboard {error} made this backup, and this is {__version__}. Nothing was changed: update reboard"
        ) from None
    except Exception as error:  # zipfile raises those of whatever it reads
        why = f"this file is damaged, or it is no backup of reboard ({error}). Nothing was changed: use another copy"
        raise ReboardError(f"{path}: {why}") from None
    return backup


class _TooNewError(Exception):
    """The error for a backup of a newer form. The text is the version that made it."""


def _unpacked(archive: zipfile.ZipFile) -> Backup:
    described = json.loads(_content(archive, LIST, LONGEST_LIST_BYTES))
    match described:
        case {"format": int(form), "reboard": str(version)} if form > FORMAT:
            raise _TooNewError(f"{version:.40}")
        case {"format": int(), "reboard": str(version), "made_at": str(made_at), "files": dict(hashes)}:
            pass
        case _:
            raise ValueError(f"{LIST} is not a list of files")
    if sorted(archive.namelist()) != sorted([LIST, *hashes]) or CONFIG not in hashes:
        raise ValueError("files are missing, or there are others than those in its list")
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    for name, expected in hashes.items():
        if not can_hold(name):
            raise ValueError(f"a backup has no file {name!r:.120}")
        files[name] = _content(archive, name, left)
        left -= len(files[name])
        if sha256(files[name]).hexdigest() != expected:
            raise ValueError(f"{name} is not as it was written")
    return Backup(files, f"{made_at:.40}", f"{version:.40}")


def _content(archive: zipfile.ZipFile, name: str, most_bytes: int) -> bytes:
    if archive.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is packed in an unknown way")
    with archive.open(name) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(f"{name} is too large")
    return content
