"""The tests' own line into the machine: programs are run there, and files are written at exact times."""

from __future__ import annotations

import base64
import itertools
import json
import queue
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

ANSWER_WITHIN_S = 300.0
"""Patience, in our own time."""

SLOWEST = 12
"""So many seconds of ours one of the machine's takes at the most, where every instruction is emulated."""

PROGRAM_WITHIN_S = 120.0
"""How long a program may take, in the machine's time."""

Step = tuple[str, str] | float
"""A file and the text that is written into it, or so many seconds of waiting."""


class InsideError(Exception):
    """The machine could not do what it was asked for, or does not answer."""


class Done(NamedTuple):
    """A program that has come to its end; a negative *status* is the signal that ended it."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """What it has written, without the last line's end."""
        return self.out.decode(errors="replace").rstrip("\n")


class Inside:
    """The line to `tests/vm/inside/agent.py`, over the socket *path* of QEMU's. Any thread may ask."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._ids = itertools.count(1)
        self._sending = threading.Lock()
        self._waiting: dict[int, Callable[[dict[str, Any]], None]] = {}
        self._hello = threading.Event()
        threading.Thread(target=self._read, name="inside", daemon=True).start()

    def await_hello(self, within_s: float) -> None:
        """Wait until the machine has started so far that it answers. Raises `InsideError`."""
        if not self._hello.wait(within_s):
            raise InsideError(f"the machine has not answered for {within_s:g} s")

    def run(self, *argv: str, stdin: str = "", within_s: float = PROGRAM_WITHIN_S) -> Done:
        """Run a program as root, and wait for its end. Raises `InsideError` when there is no such program."""
        answer = self._asked(SLOWEST * within_s + ANSWER_WITHIN_S, do="run", argv=argv, stdin=stdin, timeout_s=within_s)
        return Done(answer["status"], base64.b64decode(answer["out"]), base64.b64decode(answer["err"]))

    def must(self, *argv: str, stdin: str = "", within_s: float = PROGRAM_WITHIN_S) -> str:
        """What a program that has to end well writes. Raises `InsideError` with its own words when it does not."""
        done = self.run(*argv, stdin=stdin, within_s=within_s)
        if done.status:
            said = (done.err or done.out).decode(errors="replace")[-2000:]
            raise InsideError(f"{' '.join(argv)} ended with {done.status}: {said}")
        return done.text

    def perform(self, steps: Sequence[Step]) -> list[float]:
        """Write files and wait, in this order; when each file was written, in seconds of the machine's own clock."""
        waits_s = sum(step for step in steps if not isinstance(step, tuple))
        at: list[float] = self._asked(SLOWEST * waits_s + ANSWER_WITHIN_S, do="perform", steps=steps)["at"]
        return at

    def pass_time(self, seconds: float) -> None:
        """Let so much of the machine's time pass."""
        self.perform([seconds])

    def now(self) -> float:
        """Seconds of the machine's clock."""
        [now] = self.perform([("/dev/null", "")])
        return now

    def follow(self, *argv: str) -> Followed:
        """Begin to read what a program writes, line by line."""
        return self._followed(do="follow", argv=argv)

    def connect(self, path: str, say: str) -> Followed:
        """Say something to whoever listens at a socket, and begin to read what they say, line by line."""
        return self._followed(do="connect", path=path, say=say)

    def _followed(self, **request: object) -> Followed:
        lines: queue.SimpleQueue[str | InsideError] = queue.SimpleQueue()
        key = next(self._ids)

        def hear(message: dict[str, Any]) -> None:
            if "line" in message:
                lines.put(message["line"])
            else:
                lines.put(InsideError(f"{message.get('error', 'it has ended')}: {request}"))
                self._waiting.pop(key, None)

        self._waiting[key] = hear
        self._send({"id": key, **request})
        return Followed(lines, lambda: self._asked(ANSWER_WITHIN_S, do="end", of=key))

    def forget(self) -> None:
        """Wait for no answer any more: the machine was put back to an earlier moment."""
        self._tell_all("the machine was put back")
        self._waiting.clear()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _asked(self, within_s: float, **request: object) -> dict[str, Any]:
        key = next(self._ids)
        answer: Future[dict[str, Any]] = Future()
        self._waiting[key] = answer.set_result
        try:
            self._send({"id": key, **request})
            message = answer.result(within_s)
        except TimeoutError:
            raise InsideError(f"the machine did not answer within {within_s:g} s: {request}") from None
        finally:
            self._waiting.pop(key, None)
        if "error" in message:
            raise InsideError(f"{message['error']}: {request}")
        return message

    def _send(self, message: dict[str, object]) -> None:
        with self._sending:
            try:
                self._socket.sendall(json.dumps(message).encode() + b"\n")
            except OSError as error:
                raise InsideError(f"the line into the machine is gone: {error}") from error

    def _read(self) -> None:
        with self._socket.makefile("rb") as lines:
            try:
                for line in lines:
                    self._take(line)
            except (OSError, ValueError):
                pass  # closed on our side
        self._tell_all("the machine is off")

    def _tell_all(self, error: str) -> None:
        for hear in tuple(self._waiting.values()):
            with suppress(InvalidStateError):
                hear({"error": error})

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:  # half a line, from before a restart
            return
        if "hello" in message:
            self._hello.set()
        elif hear := self._waiting.get(message["id"]):
            with suppress(InvalidStateError):  # whoever asked has been told otherwise since
                hear(message)


class Followed:
    """A program whose lines are read as they come."""

    def __init__(self, lines: queue.SimpleQueue[str | InsideError], end: Callable[[], object]) -> None:
        self._lines = lines
        self._end = end

    def next(self, within_s: float = ANSWER_WITHIN_S) -> str:
        """The next line. Raises `InsideError` when none comes in time, or none comes any more."""
        try:
            line = self._lines.get(timeout=within_s)
        except queue.Empty:
            raise InsideError(f"nothing was heard for {within_s:g} s") from None
        if isinstance(line, InsideError):
            raise line
        return line

    def end(self) -> list[str]:
        """Ask it to end, and read the rest."""
        self._end()
        rest = []
        while isinstance(line := self._lines.get(timeout=ANSWER_WITHIN_S), str):
            rest.append(line)
        return rest
