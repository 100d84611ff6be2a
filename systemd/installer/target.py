"""The machine that reboard is put on: this one, or the root of another, such as a memory card's."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TAIL_LINES = 15
LONGEST_COMMAND_S = 1800.0
"""A Pi Zero takes its time over packages."""
LONGEST_ANSWER_S = 10.0
LONGEST_ANSWER_BYTES = 1024 * 1024


class InstallError(Exception):
    """Something could not be done; the text says what, and what to do."""


class CommandError(InstallError):
    """A command has failed; *said* is all that it has printed."""

    def __init__(self, command: str, said: str) -> None:
        tail = "\n    ".join(said.strip().splitlines()[-TAIL_LINES:])
        super().__init__(f"this failed: {command}\n    {tail}")
        self.said = said


@dataclass(frozen=True)
class Target:
    """*root* is where its files are seen from here. On any but this one nothing is started."""

    root: Path = Path("/")

    @property
    def is_this_one(self) -> bool:
        """Whether it is running, and we on it."""
        return self.root == Path("/")

    def path(self, there: Path) -> Path:
        """Where the file that it calls *there* is seen from here."""
        return self.root / there.relative_to("/")

    def tell(self, *command: str | Path) -> tuple[int, str]:
        """Have it run a *command*; its exit status, 127 where there is no such, and what it said."""
        words = [str(word) for word in command]
        if not self.is_this_one:
            words = ["chroot", str(self.root), *words]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                env=environment,
                timeout=LONGEST_COMMAND_S,
                check=False,
            )
        except FileNotFoundError:
            return 127, f"{words[0]}: there is no such command"
        except subprocess.TimeoutExpired:
            return 124, f"it was not done after {LONGEST_COMMAND_S / 60:g} minutes"
        return done.returncode, done.stdout

    def run(self, *command: str | Path) -> str:
        """Have it run a *command* that must go well. Raises `CommandError` with its last lines when it does not."""
        status, said = self.tell(*command)
        if status:
            raise CommandError(" ".join(map(str, command)), said)
        return said

    def ask(self, there: Path, request: Mapping[str, object]) -> Any:
        """What a program answers at its socket to a line. Raises ``OSError``, and ``ValueError`` for no JSON."""
        with socket.socket(socket.AF_UNIX) as line, line.makefile("rb") as answers:
            line.settimeout(LONGEST_ANSWER_S)
            line.connect(str(self.path(there)))
            line.sendall(json.dumps(request).encode() + b"\n")
            return json.loads(answers.readline(LONGEST_ANSWER_BYTES))

    def wait(self, seconds: float) -> None:
        """Wait for something there to change."""
        time.sleep(seconds)

    def copy(self, source: Path, there: Path, *, mode: int = 0o644) -> None:
        """Copy the file *source* from here, as `write` does."""
        self.write(there, source.read_bytes(), mode=mode)

    def write(self, there: Path, content: bytes, *, mode: int = 0o644) -> None:
        """Write a file; after this either the old or the new content is there, whenever the plug is pulled."""
        path = self.path(there)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + ".new")
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.chmod(mode)
        new.replace(path)
        self.sync(there.parent)

    def link(self, there: Path, to: Path) -> None:
        """Have *there* lead *to* another place, at once: it never leads nowhere."""
        path = self.path(there)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + ".new")
        new.unlink(missing_ok=True)
        new.symlink_to(to)
        new.replace(path)
        self.sync(there.parent)

    def remove(self, there: Path) -> None:
        """Remove a file or a whole folder, if it is there."""
        path = self.path(there)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def sync(self, there: Path) -> None:
        """Wait until the disk has the names in a folder."""
        folder = os.open(self.path(there), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
