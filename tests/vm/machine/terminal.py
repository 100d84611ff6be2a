"""An interactive shell inside the machine, in a terminal of its own."""

from __future__ import annotations

import re

from tests.vm.machine.machine import Machine

KEYS = "/run/test-terminal-keys"

SHELL = """
import os, pty, sys, threading
os.mkfifo(sys.argv[1])
keys = os.open(sys.argv[1], os.O_RDWR)
pid, terminal = pty.fork()
if not pid:
    os.execvp("bash", ["bash", "--norc", "-i"])
def type_keys():
    while True:
        os.write(terminal, os.read(keys, 1024))
threading.Thread(target=type_keys, daemon=True).start()
print("opened", flush=True)
while True:
    os.write(1, os.read(terminal, 4096))
"""


class Terminal:
    """A terminal with a shell, opened when it is made."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._shell = machine.inside.follow("python3", "-c", SHELL, KEYS)
        self.until("opened")

    def types(self, keys: str) -> float:
        """Type *keys*; when, in seconds of the machine's clock."""
        return self.machine.inside.perform([(KEYS, keys)])[0]

    def until(self, pattern: str) -> re.Match[str]:
        """Wait for a line that has *pattern* in it. Raises `InsideError` when none comes."""
        while True:
            if found := re.search(pattern, self._shell.next().rstrip("\r")):
                return found

    def close(self) -> float:
        """Close the terminal's window; when, in seconds of the machine's clock."""
        began = self.machine.inside.now()
        self._shell.end()
        return began
