"""The agent in the emulated machine: carries out the requests of the tests, which come over a serial port.

It runs on the machine's own Python and imports nothing of ours. A request is one JSON object a line,
for example ``{"id": 1, "do": "run", "argv": […], "stdin": "…", "timeout_s": 30}``. The methods of `Agent` are what it
can do, and what they return is the answer, with the same id; ``{"id": …, "error": "…"}`` if one fails.
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


class Agent:
    """Each request has a thread."""

    def __init__(self) -> None:
        self._port = os.open(PORT, os.O_RDWR)
        self._sending = threading.Lock()
        self._ends: dict[int, Callable[[], object]] = {}

    def serve(self) -> None:
        self._send(hello=True)
        with os.fdopen(os.dup(self._port), "rb") as requests:
            for line in requests:
                threading.Thread(target=self._answer, kwargs=json.loads(line), daemon=True).start()

    def _answer(self, id: int, do: str, **request: Any) -> None:
        try:
            answer = getattr(self, do)(id, **request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        self._send(id=id, **answer)

    def run(self, key: int, argv: list[str], stdin: str, timeout_s: float) -> dict[str, Any]:
        """Run a program to its end. A negative status is a signal; both outputs are in base64."""
        program = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            output = program.communicate(stdin.encode(), timeout_s)
        except subprocess.TimeoutExpired:
            program.kill()
            output = program.communicate()
        out, err = (base64.b64encode(data[:MOST_BYTES]).decode() for data in output)
        return {"status": program.returncode, "out": out, "err": err}

    def follow(self, key: int, argv: list[str]) -> dict[str, Any]:
        """Run a program, and send each line at once: ``{"id": …, "line": "…"}``."""
        with subprocess.Popen(argv, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as program:
            assert program.stdout
            self._send_lines(key, program.stdout, lambda: program.send_signal(signal.SIGTERM))
        return {"status": program.returncode}

    def connect(self, key: int, path: str, say: str) -> dict[str, Any]:
        """Send a text to a socket, and each line of the answer."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            connection.sendall(say.encode())
            self._send_lines(key, connection.makefile("rb"), lambda: connection.shutdown(socket.SHUT_RDWR))
        return {}

    def end(self, key: int, of: int) -> dict[str, Any]:
        """Terminate a followed program, or hang up."""
        if end := self._ends.get(of):
            end()
        return {}

    def perform(self, key: int, steps: list[list[str] | float]) -> dict[str, Any]:
        """Write texts to files and wait, in this order; return when each was written, by the kernel trace's clock."""
        at = []
        for step in steps:
            if isinstance(step, list):
                path, text = step
                at.append(time.clock_gettime(time.CLOCK_MONOTONIC))
                Path(path).write_text(text)
            else:
                time.sleep(step)
        return {"at": at}

    def _send_lines(self, key: int, lines: Iterable[bytes], end: Callable[[], object]) -> None:
        self._ends[key] = end
        for line in lines:
            self._send(id=key, line=line.decode(errors="replace").rstrip("\n"))
        del self._ends[key]

    def _send(self, **message: Any) -> None:
        line = memoryview(json.dumps(message).encode() + b"\n")
        with self._sending:
            while line:
                line = line[os.write(self._port, line) :]


if __name__ == "__main__":
    Agent().serve()
