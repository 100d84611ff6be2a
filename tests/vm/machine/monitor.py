"""QEMU's own line to us: what can be done to the machine as a whole. (QMP, its machine protocol.)"""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

ANSWER_WITHIN_S = 120.0


class MonitorError(Exception):
    """QEMU cannot do what was asked for."""


class Monitor:
    """A connection to QEMU at the socket *path*. One thread asks at a time."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(ANSWER_WITHIN_S)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("rb")
        self._next()
        self.do("qmp_capabilities")

    def do(self, command: str, **arguments: object) -> Any:
        """Carry out a command. Raises `MonitorError` with QEMU's sentence."""
        self._socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        while True:
            message = self._next()
            if "error" in message:
                raise MonitorError(f"{command}: {message['error']['desc']}")
            if "return" in message:
                return message["return"]

    def do_by_hand(self, line: str) -> None:
        """Carry out a line of the monitor for people, which says nothing when all is well. Raises `MonitorError`."""
        if said := self.do("human-monitor-command", **{"command-line": line}).strip():
            raise MonitorError(f"{line}: {said}")

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()

    def _next(self) -> dict[str, Any]:
        line = self._lines.readline()
        if not line:
            raise MonitorError("QEMU has ended")
        message: dict[str, Any] = json.loads(line)
        return message
