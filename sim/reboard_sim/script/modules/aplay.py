"""The program ``aplay`` on the virtual sound card, for programs that start it with ``subprocess`` or ``os.system``."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from reboard.sounds.wav_file import read_wav
from reboard_sim.script.modules.machine import Machine
from reboard_sim.script.modules.sounds import Playing, Sounds

LONGEST_S = 3600.0
WITH_VALUE = {"-c", "-d", "-D", "-f", "-r", "-t"}
"""The options of aplay that are followed by a value."""

REDIRECTION = re.compile(r"\d?>+ *(&\d|\S+)")
SEVERAL = re.compile(r"[;|<`$]|&&")

STOPPED, FAILED = -15, 1


class Aplay:
    """The process ``aplay``, with the methods of ``subprocess.Popen``. *args* are those of the program."""

    pid = 0
    stdin = stdout = stderr = None

    def __init__(self, sounds: Sounds, args: Any, file: str, nothing: str | bytes) -> None:
        self.args = args
        self.returncode: int | None = None
        self._nothing = nothing
        self._playing: Playing | None = None
        try:
            samples, _ = read_wav(Path(file), LONGEST_S)
            self._playing = sounds.play(samples)
        except (OSError, ValueError) as error:
            print(f"aplay: {file}: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
            self.returncode = FAILED

    def poll(self) -> int | None:
        if self.returncode is None and self._playing and not self._playing.seconds_left:
            self.returncode = 0
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self._playing and self.returncode is None:
            left = self._playing.seconds_left
            if timeout is not None and timeout < left:
                time.sleep(timeout)
                raise subprocess.TimeoutExpired(self.args, timeout)
            self._playing.wait()
            self.returncode = 0
        assert self.returncode is not None
        return self.returncode

    def communicate(self, _input: object = None, timeout: float | None = None) -> tuple[str | bytes, str | bytes]:
        self.wait(timeout)
        return self._nothing, self._nothing

    def terminate(self) -> None:
        if self.poll() is None and self._playing:
            self._playing.stop()
            self.returncode = STOPPED

    kill = terminate

    def send_signal(self, _signal: int) -> None:
        self.terminate()

    def __enter__(self) -> Aplay:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()


@contextmanager
def aplay(machine: Machine) -> Iterator[None]:
    """Let ``aplay FILE`` play on *machine* in the ``with`` block. Other programs start as always."""
    sounds = Sounds(machine)
    real_popen, real_system = subprocess.Popen, os.system

    class Popen(real_popen):  # type: ignore[valid-type, misc]
        def __new__(cls, args: Any, *more: Any, **options: Any) -> Any:
            if file := _file_of(args):
                is_text = any(options.get(name) for name in ("text", "universal_newlines", "encoding", "errors"))
                return Aplay(sounds, args, file, "" if is_text else b"")
            return super().__new__(cls)

    def system(command: Any) -> int:
        if not (file := _file_of(command)):
            return real_system(command)
        process = Aplay(sounds, command, file, b"")
        return 0 if command.rstrip().endswith("&") else process.wait() << 8

    subprocess.Popen, os.system = Popen, system  # type: ignore[misc]
    try:
        yield
    finally:
        subprocess.Popen, os.system = real_popen, real_system  # type: ignore[misc]


def _file_of(command: str | Sequence[Any]) -> str:
    """Return the file that *command* plays with aplay, or ``""`` for another command, or for several."""
    if isinstance(command, str):
        command = REDIRECTION.sub("", command)
        if SEVERAL.search(command):
            return ""
    try:
        words = shlex.split(command) if isinstance(command, str) else [os.fspath(word) for word in command]
    except (TypeError, ValueError):
        return ""
    if not words or Path(words[0]).name != "aplay":
        return ""
    files = [
        word
        for before, word in pairwise(words)
        if not word.startswith("-") and before not in WITH_VALUE and word != "&"
    ]
    return files[-1] if files else ""
