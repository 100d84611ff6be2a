"""A mosquitto of the simulator's own, on a free port that only this machine can reach."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reboard.config.mqtt import BrokerAddress
from reboard.errors import ReboardError

LOCALHOST = "127.0.0.1"
STARTED_S = 10.0
LOOK_S = 0.05
PLACES = (os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")
"""The directories of mosquitto. Debian puts it where only root's PATH leads."""
SETTINGS = """\
listener {port} {host}
allow_anonymous true
persistence true
persistence_location {directory}/
autosave_interval 5
max_queued_messages 100000
log_dest file {directory}/mosquitto.log
"""


class BrokerProcessError(ReboardError):
    """The error raised if mosquitto is missing or does not start."""


@contextmanager
def local_broker(directory: Path) -> Iterator[tuple[BrokerAddress, subprocess.Popen[bytes]]]:
    """Run mosquitto with its files in *directory* during the ``with``, and yield its address and process.

    Raises `BrokerProcessError`.
    """
    program = mosquitto()
    if program is None:
        raise BrokerProcessError(
            "mosquitto, the MQTT broker between tables and hall, is not installed. Install it (Debian, Ubuntu: "
            "`sudo apt install mosquitto`; macOS: `brew install mosquitto`), or name a broker with --broker HOST"
        )
    port = free_port()
    settings = SETTINGS.format(port=port, host=LOCALHOST, directory=directory)
    if os.geteuid() == 0:
        settings += "user root\n"  # otherwise it becomes a user who may not use this directory
    file = directory / "mosquitto.conf"
    file.write_text(settings)
    # not in the terminal's group: at Ctrl-C, the tables and the hall end first
    process = subprocess.Popen([program, "-c", file], process_group=0, stderr=subprocess.DEVNULL)
    try:
        _wait_for(process, port, directory / "mosquitto.log")
        yield BrokerAddress(LOCALHOST, port), process
    finally:
        process.terminate()
        process.wait()


def mosquitto() -> str | None:
    """Return the path of mosquitto, or ``None`` if it is not installed."""
    return shutil.which("mosquitto", path=os.pathsep.join(PLACES))


def free_port() -> int:
    """Return a port that is free at the moment."""
    with socket.create_server((LOCALHOST, 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + STARTED_S
    while True:
        try:
            socket.create_connection((LOCALHOST, port), 1).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                lines = log.read_text(errors="replace").splitlines() if log.exists() else []
                raise BrokerProcessError(f"mosquitto does not start: {(lines or ['it says nothing'])[-1]}") from None
            time.sleep(LOOK_S)
        else:
            return
