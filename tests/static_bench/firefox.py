"""Firefox, driven by its own protocol, Marionette. Playwright needs a Firefox that it has patched."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import eventually

NAMES = ("firefox-esr", "firefox")
PREFERENCES = {"marionette.port": 0, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.firstRunURL": ""}
PORT_FILE = "MarionetteActivePort"


class Firefox:
    """A window of Firefox. Raises ``AssertionError`` for an error of the page's own scripts."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self._file = self._socket.makefile("rb")
        self._numbers = count()
        self._read()
        self._call("WebDriver:NewSession")

    def close(self) -> None:
        self._call("Marionette:Quit", flags=["eForceQuit"])
        self._file.close()
        self._socket.close()

    def open(self, url: str) -> None:
        self._call("WebDriver:Navigate", url=url)

    def run(self, code: str) -> Any:
        """Return what a function with this *code* returns. A promise is waited for."""
        return self._call("WebDriver:ExecuteScript", script=code, args=[])["value"]

    def click(self, selector: str) -> None:
        """Click an element as a user does: in its middle, if nothing covers it."""
        found = self._call("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self._call("WebDriver:ElementClick", id=next(iter(found.values())))

    def text(self, selector: str) -> str:
        return str(self.run(f"return document.querySelector({json.dumps(selector)})?.textContent ?? ''"))

    def shows(self, selector: str, text: str) -> None:
        """Wait until an element has this *text* in it."""
        eventually(lambda: text in self.text(selector), f"{selector} has {text!r}")

    def _call(self, command: str, **arguments: object) -> Any:
        message = json.dumps([0, next(self._numbers), command, arguments]).encode()
        self._socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._read()
        assert error is None, f"{command}: {error['message']}"
        return result

    def _read(self) -> Any:
        length = b""
        while (digit := self._file.read(1)) != b":":
            assert digit, "Firefox ended"
            length += digit
        return json.loads(self._file.read(int(length)))


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """Yield a window of a Firefox that has its *profile* in a new folder. Skips the test where there is no Firefox.

    ``REBOARD_BROWSER=required`` makes its absence a failure.
    """
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        missing = f"no Firefox here: none of {', '.join(NAMES)} is on the path"
        if os.environ.get("REBOARD_BROWSER") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    profile.mkdir()
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines))
    command = [program, "--marionette", "--headless", "--no-remote", "--profile", str(profile)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        eventually((profile / PORT_FILE).exists, "Firefox has a port")
        window = Firefox(int((profile / PORT_FILE).read_text()))
        try:
            yield window
        finally:
            window.close()
    finally:
        process.terminate()
        process.wait()
