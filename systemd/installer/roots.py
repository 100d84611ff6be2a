"""What another root must have before commands can be run in it."""

from __future__ import annotations

from pathlib import Path

from installer.target import Target

NEEDED = {"/dev": "/dev/null", "/proc": "/proc/self", "/sys": "/sys/class", "/etc/resolv.conf": "/etc/resolv.conf"}
"""What is to be mounted, and what is there then."""

MODEL = Path("/proc/device-tree/model")


def missing_mounts(machine: Target) -> list[str]:
    """What is not mounted in *machine*."""
    return [mount for mount, sign in NEEDED.items() if not machine.path(Path(sign)).exists()]


def may_be_a_pi(machine: Target) -> bool:
    """Whether it is a Raspberry Pi, as far as can be told: of another's root it cannot."""
    model = machine.path(MODEL)
    return not machine.is_this_one or (model.is_file() and model.read_text().startswith("Raspberry Pi"))
