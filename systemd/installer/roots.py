"""Requirements of another system's root."""

from __future__ import annotations

from pathlib import Path

from installer.target import Target

NEEDED = {"/dev": "/dev/null", "/proc": "/proc/self", "/sys": "/sys/class", "/etc/resolv.conf": "/etc/resolv.conf"}
"""Each mount, and a path that shows that it is mounted."""

MODEL = Path("/proc/device-tree/model")


def missing_mounts(machine: Target) -> list[str]:
    """Return the mounts that are missing in *machine*."""
    return [mount for mount, sign in NEEDED.items() if not machine.path(Path(sign)).exists()]


def may_be_a_pi(machine: Target) -> bool:
    """Return whether *machine* is a Raspberry Pi. Another root may be one."""
    model = machine.path(MODEL)
    return not machine.is_this_one or (model.is_file() and model.read_text().startswith("Raspberry Pi"))
