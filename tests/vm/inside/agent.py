"""Inside the emulated machine: carries out what the tests ask for, over a line of its own to them.

It runs on the machine's own Python and imports nothing of ours. A request is one JSON object a line:

``{"id": 1, "do": "run", "argv": […], "stdin": "…", "timeout_s": 30}``
    A program, to its end: ``{"id": 1, "status": 0, "out": …, "err": …}``, a negative status being the signal that
    ended it. Both texts are base64.
``{"id": 2, "do": "follow", "argv": […]}``
    A program, line by line as it writes them: ``{"id": 2, "line": "…"}``, at last ``{"id": 2, "status": …}``.
``{"id": 3, "do": "connect", "path": "/a/socket", "say": "…"}``
    Says something to whoever listens there, and tells in the same way what they say.
``{"id": 4, "do": "end", "of": 2}``
    Asks a followed program to end, or hangs up.
``{"id": 5, "do": "perform", "steps": [["/a/file", "text"], 0.1, …]}``
    Writes texts to files, and waits for seconds: ``{"id": 5, "at": […]}``, when each file was written, by the clock
    that the kernel's trace goes by.

What cannot be done is answered with ``{"id": …, "error": "…"}``.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

PORT = "/dev/virtio-ports/reboard.test"
MOST_BYTES = 32 * 1024 * 1024
"""So much a program may write; what comes beyond is left out."""


class Agent:
    """One line to the tests; every request has a thread."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._sending = threading.Lock()
        self._ends: dict[int, Callable[[], object]] = {}

    def serve(self) -> None:
        """Answer until the line is gone."""
        self._say({"hello": time.clock_gettime(time.CLOCK_MONOTONIC)})
        with os.fdopen(os.dup(self._port), "rb") as requests:
            for line in requests:
                threading.Thread(target=self._answer, args=(json.loads(line),), daemon=True).start()

    def _answer(self, request: dict[str, Any]) -> None:
        key = request.pop("id")
        doing: dict[str, Callable[..., dict[str, Any]]] = {
            "run": run,
            "perform": perform,
            "follow": self._follow,
            "connect": self._connect,
            "end": self._end,
        }
        try:
            answer = doing[request.pop("do")](key=key, **request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        self._say({"id": key, **answer})

    def _follow(self, key: int, argv: list[str]) -> dict[str, Any]:
        with subprocess.Popen(argv, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as program:
            assert program.stdout
            self._tell(key, program.stdout, lambda: program.send_signal(signal.SIGTERM))
        return {"status": program.returncode}

    def _connect(self, key: int, path: str, say: str) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as talk:
            talk.connect(path)
            talk.sendall(say.encode())
            self._tell(key, talk.makefile("rb"), lambda: talk.shutdown(socket.SHUT_RDWR))
        return {}

    def _tell(self, key: int, lines: Iterable[bytes], end: Callable[[], object]) -> None:
        self._ends[key] = end
        for line in lines:
            self._say({"id": key, "line": line.decode(errors="replace").rstrip("\n")})
        del self._ends[key]

    def _end(self, key: int, of: int) -> dict[str, Any]:
        if end := self._ends.get(of):
            end()
        return {}

    def _say(self, message: dict[str, Any]) -> None:
        line = memoryview(json.dumps(message).encode() + b"\n")
        with self._sending:
            while line:
                line = line[os.write(self._port, line) :]


def run(key: int, argv: list[str], stdin: str = "", timeout_s: float = 60.0) -> dict[str, Any]:
    """A program, to its end; one that takes too long is killed, and says so with status -9."""
    program = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = program.communicate(stdin.encode(), timeout_s)
    except subprocess.TimeoutExpired:
        program.kill()
        out, err = program.communicate()
    return {"status": program.returncode, "out": _packed(out), "err": _packed(err)}


def perform(key: int, steps: list[list[str] | float]) -> dict[str, Any]:
    """Texts into files, and pauses between them."""
    at = []
    for step in steps:
        if isinstance(step, list):
            path, text = step
            at.append(time.clock_gettime(time.CLOCK_MONOTONIC))
            Path(path).write_text(text)
        else:
            time.sleep(step)
    return {"at": at}


def _packed(data: bytes) -> str:
    return base64.b64encode(data[:MOST_BYTES]).decode()


def main() -> None:
    port = os.open(PORT, os.O_RDWR)
    Agent(port).serve()


if __name__ == "__main__":
    main()
