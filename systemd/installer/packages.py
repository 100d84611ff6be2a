"""The packages of the OS: what pip would have to compile, or cannot have at all."""

from __future__ import annotations

from installer.machine import Machine
from installer.steps import Step

PACKAGES = {
    "python3-venv": "without it there is no virtual environment",
    "python3-lgpio": "the pins; Debian 12 itself has none, and pip's serves there",
    "python3-alsaaudio": "sound",
    "python3-systemd": "the journal's fields",
}

MODULES = {"lgpio": "lgpio>=0.2.2", "alsaaudio": "pyalsaaudio>=0.10"}
"""What the system's Python should find, and what pip calls it."""


def packages_step(machine: Machine) -> Step:
    """Install what is missing of those that the OS has."""
    missing = [name for name in PACKAGES if not _is_installed(machine, name) and _can_be_had(machine, name)]

    def install() -> None:
        machine.tell("apt-get", "update")  # what it knew before may still do
        machine.run("apt-get", "install", "--yes", "--no-install-recommends", *missing)

    return Step(
        f"Install {', '.join(missing) or 'what it needs'} from the OS's own packages", install, lambda: not missing
    )


def missing_of_python(machine: Machine) -> list[str]:
    """What pip must bring, since the OS has not."""
    return [requirement for module, requirement in MODULES.items() if not _has_module(machine, module)]


def _has_module(machine: Machine, name: str) -> bool:
    look = f"import importlib.util; raise SystemExit(importlib.util.find_spec({name!r}) is None)"
    status, _ = machine.tell("python3", "-c", look)
    return status == 0


def _is_installed(machine: Machine, name: str) -> bool:
    _, said = machine.tell("dpkg-query", "--show", "--showformat=${db:Status-Status}", name)
    return said == "installed"


def _can_be_had(machine: Machine, name: str) -> bool:
    status, said = machine.tell("apt-cache", "policy", name)
    return status == 0 and "Candidate:" in said and "Candidate: (none)" not in said
