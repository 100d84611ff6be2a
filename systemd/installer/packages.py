"""The packages of the OS: what pip would have to compile, or cannot have at all."""

from __future__ import annotations

import re
from pathlib import Path

from installer.steps import Step
from installer.target import Target

PACKAGES = {
    "python3-venv": "virtual environments, and the pip that fills them",
    "python3-lgpio": "the pins; Debian 12 itself has none, and pip's serves there",
    "python3-libgpiod": "the pins' edges; that of bookworm is too old, and pip's serves there",
    "python3-alsaaudio": "sound",
    "python3-systemd": "the journal's fields",
}

OLDEST = {"python3-libgpiod": "2.1"}
"""Of what is of no use when it is older."""

LISTS = Path("/var/lib/apt/lists")

MODULES = {"lgpio": "lgpio>=0.2.2", "gpiod.line": "gpiod>=2.1", "alsaaudio": "pyalsaaudio>=0.10"}
"""What the system's Python should find, and what pip calls it. libgpiod before 2 has no ``gpiod.line``."""


def packages_step(machine: Target) -> Step:
    """Install what is missing of those that the OS has."""
    missing = [name for name in PACKAGES if not _is_installed(machine, name)]

    def can_be_had() -> list[str]:
        return [name for name in missing if _can_be_had(machine, name)]

    def install() -> None:
        machine.tell("apt-get", "update")  # what it knew before may still do
        if wanted := can_be_had():
            machine.run("apt-get", "install", "--yes", "--no-install-recommends", *wanted)

    # until the lists were fetched once, nothing can be had
    is_done = not missing or (_has_lists(machine) and not can_be_had())
    names = ", ".join(missing) or "what it needs"
    return Step(f"Install {names} from the OS's own packages, as far as it has them", install, lambda: is_done)


def missing_of_python(machine: Target) -> list[str]:
    """What pip must bring, since the OS has not."""
    return [requirement for module, requirement in MODULES.items() if not _has_module(machine, module)]


def _has_module(machine: Target, name: str) -> bool:
    look = f"import importlib.util; raise SystemExit(importlib.util.find_spec({name!r}) is None)"
    status, _ = machine.tell("python3", "-c", look)
    return status == 0


def _is_installed(machine: Target, name: str) -> bool:
    _, said = machine.tell("dpkg-query", "--show", "--showformat=${db:Status-Status}", name)
    return said == "installed"


def _has_lists(machine: Target) -> bool:
    return any(machine.path(LISTS).glob("*_Packages*"))


def _can_be_had(machine: Target, name: str) -> bool:
    status, said = machine.tell("apt-cache", "policy", name)
    candidate = re.search(r"Candidate: ([^(\s]\S*)", said)
    if status or not candidate:
        return False
    oldest = OLDEST.get(name)
    return not oldest or machine.tell("dpkg", "--compare-versions", candidate[1], "ge", oldest)[0] == 0
