"""`reboard page` as a process of its own."""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
import time
from pathlib import Path

from reboard.host_pin import HostPin
from reboard.web.server import listening


class RunningPage:
    """`reboard page` on a free port of this machine. It is killed when it takes too long."""

    def __init__(self, folder: Path, pin: str = "") -> None:
        with listening("127.0.0.1", 0, option="--listen") as free:
            self.port = free.getsockname()[1]
        self.config = folder / "table.toml"
        page = f'[page]\npin = "{HostPin.of(pin)}"\n' if pin else ""
        self.config.write_text(f'[block]\nbutton = 17\n{page}[state]\ndirectory = "state"\n')
        self.begin()

    def begin(self) -> None:
        """Begin to serve, also after a `close`."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reboard", "page", "-c", str(self.config), "--listen", f"127.0.0.1:{self.port}"],
            stderr=subprocess.PIPE,
            text=True,
        )
        self._patience = threading.Timer(60, self.process.kill)
        self._patience.start()
        assert self.process.stderr
        self.said = self.process.stderr.readline()

    def connection(self) -> http.client.HTTPConnection:
        """A browser's; the port answers a moment after it was told."""
        for _ in range(200):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                connection.connect()
                return connection
            except ConnectionRefusedError:
                time.sleep(0.05)
        raise AssertionError("the page does not answer")

    def close(self) -> None:
        self._patience.cancel()
        self.process.kill()
        self.process.communicate()
