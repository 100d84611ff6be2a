"""The machine to install on: this one, or another root such as a memory card."""

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
    """A step failed. The text says what is wrong, and what to do."""


class CommandError(InstallError):
    """A command failed. *said* is its output."""

    def __init__(self, command: str, said: str) -> None:
        tail = "\n    ".join(said.strip().splitlines()[-TAIL_LINES:])
        super().__init__(f"this failed: {command}\n    {tail}")
        self.said = said


@dataclass(frozen=True)
class Target:
    """A machine with its files under *root*. Services are started on this machine only."""

    root: Path = Path("/")

    @property
    def is_this_one(self) -> bool:
        """Whether the target is this machine."""
        return self.root == Path("/")

    def path(self, there: Path) -> Path:
        """Return the path here of the file *there* on the target."""
        return self.root / there.relative_to("/")

    def try_run(self, *command: str | Path) -> tuple[int, str]:
        """Run a *command* there; return its exit status, 127 without such a command, and its output."""
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
            return 124, f"it did not end within {LONGEST_COMMAND_S / 60:g} minutes"
        return done.returncode, done.stdout

    def run(self, *command: str | Path) -> str:
        """Run a *command* and return its output. Raises `CommandError` if it fails."""
        status, said = self.try_run(*command)
        if status:
            raise CommandError(" ".join(map(str, command)), said)
        return said

    def ask(self, there: Path, request: Mapping[str, object]) -> Any:
        """Send a request to a socket and return the answer. Raises ``OSError``, or ``ValueError`` without JSON."""
        with socket.socket(socket.AF_UNIX) as line, line.makefile("rb") as answers:
            line.settimeout(LONGEST_ANSWER_S)
            line.connect(str(self.path(there)))
            line.sendall(json.dumps(request).encode() + b"\n")
            return json.loads(answers.readline(LONGEST_ANSWER_BYTES))

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def copy(self, source: Path, there: Path, *, mode: int = 0o644) -> None:
        """Copy the file *source* from here, as an atomic write."""
        self.write(there, source.read_bytes(), mode=mode)

    def write(self, there: Path, content: bytes, *, mode: int = 0o644) -> None:
        """Write a file as an atomic write: after a power cut it has the old or the new content."""
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
        """Make *there* a link *to* another path, as an atomic write."""
        path = self.path(there)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + ".new")
        new.unlink(missing_ok=True)
        new.symlink_to(to)
        new.replace(path)
        self.sync(there.parent)

    def remove(self, there: Path) -> None:
        """Remove a file or a folder, if it exists."""
        path = self.path(there)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def sync(self, there: Path) -> None:
        """Write the names in a folder to the disk."""
        folder = os.open(self.path(there), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
