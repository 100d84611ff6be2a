"""The connection to the agent in the machine: it runs programs there, and writes files at exact times."""

from __future__ import annotations

import base64
import itertools
import json
import queue
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

ANSWER_WITHIN_S = 300.0
"""In our own time."""

SLOWEST = 12
"""Where every instruction is emulated, a second of the machine takes at most this many of ours."""

PROGRAM_WITHIN_S = 120.0
"""A program may take this long, in the machine's time."""

Step = tuple[str, str] | float
"""A file and the text that is written into it, or seconds to wait."""


class InsideError(Exception):
    """The machine could not do what was requested, or does not answer."""


class Done(NamedTuple):
    """A program that has ended; a negative *status* is the signal that ended it."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode(errors="replace").rstrip("\n")


class Followed:
    """The messages that answer one request, as they come."""

    def __init__(self, end: Callable[[], object]) -> None:
        self._messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.take = self._messages.put
        self._end = end

    def message(self, within_s: float) -> dict[str, Any]:
        """The next message. Raises `InsideError` when none comes in time, or an error."""
        try:
            message = self._messages.get(timeout=within_s)
        except queue.Empty:
            raise InsideError(f"the machine did not answer within {within_s:g} s") from None
        if "error" in message:
            raise InsideError(message["error"])
        return message

    def next(self, within_s: float = ANSWER_WITHIN_S) -> str:
        """The next line. Raises `InsideError` when none comes in time, or none will come."""
        message = self.message(within_s)
        if "line" not in message:
            raise InsideError(f"it has ended: {message}")
        return str(message["line"])

    def end(self) -> list[str]:
        """End it, and return the rest of its lines."""
        self._end()
        rest = []
        with suppress(InsideError):
            while "line" in (message := self.message(ANSWER_WITHIN_S)):
                rest.append(str(message["line"]))
        return rest


class Inside:
    """The connection to `tests/vm/inside/agent.py`, over a socket of QEMU. Any thread may use it."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._ids = itertools.count(1)
        self._sending = threading.Lock()
        self._waiting: dict[int, Followed] = {}
        self._hello = threading.Event()
        threading.Thread(target=self._read, name="inside", daemon=True).start()

    def await_hello(self, within_s: float) -> None:
        """Wait until the agent starts. Raises `InsideError`."""
        if not self._hello.wait(within_s):
            raise InsideError(f"the machine has not answered for {within_s:g} s")
        self._hello.clear()

    def run(self, *argv: str, stdin: str = "", within_s: float = PROGRAM_WITHIN_S) -> Done:
        """Run a program as root, and wait for its end. Raises `InsideError` when there is no such program."""
        answer = self._ask(within_s, do="run", argv=argv, stdin=stdin, timeout_s=within_s)
        return Done(answer["status"], base64.b64decode(answer["out"]), base64.b64decode(answer["err"]))

    def must(self, *argv: str, stdin: str = "", within_s: float = PROGRAM_WITHIN_S) -> str:
        """Return the output of a program. Raises `InsideError` with its own words when it fails."""
        done = self.run(*argv, stdin=stdin, within_s=within_s)
        if done.status:
            printed = (done.err or done.out).decode(errors="replace")[-2000:]
            raise InsideError(f"{' '.join(argv)} ended with {done.status}: {printed}")
        return done.text

    def sh(self, script: str, stdin: str = "", within_s: float = PROGRAM_WITHIN_S) -> str:
        """Return the output of a shell script. Raises `InsideError` when it fails."""
        return self.must("sh", "-c", script, stdin=stdin, within_s=within_s)

    def copy_in(self, folder: Path, into: str) -> None:
        """Copy the content of our *folder* into a folder of the machine."""
        packed = subprocess.run(["tar", "-cz", "-C", folder, "."], capture_output=True, check=True).stdout
        self.sh(f"base64 --decode | tar -xz -C {into}", stdin=base64.b64encode(packed).decode())

    def perform(self, steps: Sequence[Step]) -> list[float]:
        """Write files and wait, in this order; return when each file was written, by the machine's clock."""
        waits_s = sum(step for step in steps if not isinstance(step, tuple))
        at: list[float] = self._ask(waits_s, do="perform", steps=steps)["at"]
        return at

    def pass_time(self, seconds: float) -> None:
        """Wait, by the machine's clock."""
        self.perform([seconds])

    def now(self) -> float:
        """The time of the machine's clock, in seconds."""
        [now] = self.perform([("/dev/null", "")])
        return now

    def follow(self, *argv: str) -> Followed:
        """Start a program, and follow its output."""
        return self.send(do="follow", argv=argv)

    def forget(self) -> None:
        """End all that is followed: the machine was put back to an earlier moment."""
        self._end_all("the machine was put back")

    def close(self) -> None:
        self._socket.close()

    def send(self, **request: object) -> Followed:
        """Send a request to the agent, and follow the answers."""
        key = next(self._ids)
        answers = self._waiting[key] = Followed(lambda: self._ask(0, do="end", of=key))
        with self._sending:
            try:
                self._socket.sendall(json.dumps({"id": key, **request}).encode() + b"\n")
            except OSError as error:
                raise InsideError(f"the machine is off: {error}") from None
        return answers

    def _ask(self, takes_s: float, **request: object) -> dict[str, Any]:
        try:
            return self.send(**request).message(SLOWEST * takes_s + ANSWER_WITHIN_S)
        except InsideError as error:
            raise InsideError(f"{error}: {request}") from None

    def _read(self) -> None:
        with suppress(OSError, ValueError), self._socket.makefile("rb") as lines:  # closed on our side
            for line in lines:
                with suppress(json.JSONDecodeError):  # half a line, from before a restart
                    self._take(json.loads(line))
        self._end_all("the machine is off")

    def _take(self, message: dict[str, Any]) -> None:
        if "hello" in message:
            self._hello.set()
        elif answers := (self._waiting.get if "line" in message else self._waiting.pop)(message["id"], None):
            answers.take(message)

    def _end_all(self, error: str) -> None:
        while self._waiting:
            self._waiting.popitem()[1].take({"error": error})
