"""Packages of the OS that pip would have to compile, or does not have."""

from __future__ import annotations

import re
from pathlib import Path

from installer.steps import Step
from installer.target import Target

PACKAGES = {
    "python3-venv": "virtual environments and pip",
    "python3-lgpio": "the pins; Debian 12 has none, so pip installs it there",
    "python3-libgpiod": "the pins' edges; too old in Debian 12, so pip installs it there",
    "python3-alsaaudio": "sound",
    "python3-systemd": "the journal's fields",
}

OLDEST = {"python3-libgpiod": "2.1"}
"""The oldest version that works."""

LISTS = Path("/var/lib/apt/lists")

MODULES = {"lgpio": "lgpio>=0.2.2", "gpiod.line": "gpiod>=2.1", "alsaaudio": "pyalsaaudio>=0.10"}
"""A module for the system's Python, and its pip requirement. libgpiod before 2 has no ``gpiod.line``."""


def packages_step(machine: Target) -> Step:
    """Return the step that installs the missing packages of the OS."""
    missing = [name for name in PACKAGES if not _is_installed(machine, name)]

    def can_be_had() -> list[str]:
        return [name for name in missing if _can_be_had(machine, name)]

    def install() -> None:
        machine.try_run("apt-get", "update")  # if this fails, the older lists may do
        if available := can_be_had():
            machine.run("apt-get", "install", "--yes", "--no-install-recommends", *available)

    # without lists apt knows no package
    is_done = not missing or (_has_lists(machine) and not can_be_had())
    names = ", ".join(missing) or "the required packages"
    return Step(f"Install {names} from the OS, as far as it has them", install, lambda: is_done)


def missing_of_python(machine: Target) -> list[str]:
    """Return what pip must install because the OS has it not."""
    return [requirement for module, requirement in MODULES.items() if not _has_module(machine, module)]


def _has_module(machine: Target, name: str) -> bool:
    look = f"import importlib.util; raise SystemExit(importlib.util.find_spec({name!r}) is None)"
    status, _ = machine.try_run("python3", "-c", look)
    return status == 0


def _is_installed(machine: Target, name: str) -> bool:
    _, said = machine.try_run("dpkg-query", "--show", "--showformat=${db:Status-Status}", name)
    return said == "installed"


def _has_lists(machine: Target) -> bool:
    return any(machine.path(LISTS).glob("*_Packages*"))


def _can_be_had(machine: Target, name: str) -> bool:
    status, said = machine.try_run("apt-cache", "policy", name)
    candidate = re.search(r"Candidate: ([^(\s]\S*)", said)
    if status or not candidate:
        return False
    oldest = OLDEST.get(name)
    return not oldest or machine.try_run("dpkg", "--compare-versions", candidate[1], "ge", oldest)[0] == 0
