"""The check of the disk: free space, permissions, write speed and wear.

``disk.space``: whether there is room: below 200 MB is a note, below 20 MB wrong.
``disk.read_only``: the state directory is read-only: the bank shows ``MEMORY LOCKED``, block and apple play.
``disk.speed``: the slowest of five small writes takes more than 0.5 s: late beeps.
``disk.root``: the command line has ``overlayroot=``, but the root is writable.
``disk.errors``: errors of the file system.
``disk.worn``: an eMMC after 80 % of its life; memory cards do not say.
``disk.state``: the directory of the ledger is missing, or cannot be used.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from reboard.doctor.doctor_context import DoctorContext
from reboard.doctor.machine import Machine
from reboard.errors import ReboardError
from reboard.finding import Finding, fine, note, wrong

FULL_BYTES = 20_000_000
NEARLY_FULL_BYTES = 200_000_000

USER = "reboard"
"""The user of the table that the Debian package creates."""

WRITES = 5
SLOW_S = 0.5
"""The time in seconds after which a small write counts as slow.

The banker unit beeps only after the disk has stored the transfer, and players notice a later beep."""

WORN = 8
"""The ``life_time`` step from which an eMMC counts as worn. Each step is a tenth of its life."""

SAVE = "back the table up: as host from the page, or with `sudo reboard backup FILE` onto a USB stick"

_FAILING = (
    f"`sudo dmesg | grep -i 'mmc\\|ext4'` shows whether the memory card is failing. If so, {SAVE}, and replace the "
    "card. If not, set another `directory` in [state]."
)


async def check_disk(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check the disk for errors and wear, the root, and the state directory for space, permissions and speed."""
    host, state = context.host, context.state
    for finding in (*_health(host), *_root(host)):
        yield finding
    if not host.has(state):
        has_user = await host.output_of("id", "-nG", USER) is not None
        owner = USER if has_user else context.player
        do = f"Run `sudo install -d -o {owner} {state}`, or start the installed service, which creates it."
        yield note("disk.state", f"The directory for the ledger, {state}, does not exist yet.", do)
        return
    try:
        space = await host.in_thread(lambda: host.space(state))
    except OSError as error:
        yield wrong("disk.state", f"The directory for the ledger, {state}, cannot be used: {error.strerror}.", _FAILING)
        return
    if space.is_read_only:
        yield wrong(
            "disk.read_only",
            f"{state} is read-only, so the ledger cannot be written and transfers fail. Everything else works.",
            "Linux makes a failing memory card read-only: `sudo dmesg | grep -i 'mmc\\|ext4'` shows the errors. If "
            f"there are any, {SAVE}, and replace the card. If not, remount the disk as writable, or set another "
            "`directory` in [state].",
        )
        return
    yield _room(state, space.free_bytes)
    if not host.may_use(state):
        what = f"The directory for the ledger was not checked: {host.user} has no permission to use {state}."
        yield note("disk.state", what, "Run `sudo reboard doctor` to check it.")
        return
    if unwritable := context.unwritable(state):
        yield unwritable
    if space.free_bytes >= FULL_BYTES:
        yield await _speed(host, state)


def _room(state: Path, free_bytes: int) -> Finding:
    free = f"{free_bytes / 1e9:.1f} GB" if free_bytes >= 1e9 else f"{free_bytes / 1e6:.0f} MB"
    do = "Run `sudo apt clean` and `sudo journalctl --vacuum-size=50M` to free some space."
    if free_bytes < FULL_BYTES:
        return wrong("disk.space", f"The disk is full: {state} has {free} left.", do)
    if free_bytes < NEARLY_FULL_BYTES:
        return note("disk.space", f"The disk is nearly full: {state} has {free} left.", do)
    return fine("disk.space", f"{state} has {free} left for the ledger.")


async def _speed(host: Machine, state: Path) -> Finding:
    try:
        seconds = await host.in_thread(lambda: max(host.write_s(state) for _ in range(WRITES)))
    except OSError as error:
        return wrong("disk.speed", f"{state} cannot be written to: {error.strerror}.", _FAILING)
    if seconds > SLOW_S:
        return note(
            "disk.speed",
            f"The disk is slow: a small write takes {seconds:.1f} s, so beeps come late.",
            "Memory cards become slow when they wear out: have a spare one ready.",
        )
    return fine("disk.speed", f"A small write takes at most {seconds * 1000:.0f} ms.")


def _health(host: Machine) -> Iterator[Finding]:
    for counter in host.named("/sys/fs/ext4/*/errors_count"):
        if (count := host.text(counter)) not in ("", "0"):
            yield wrong(
                "disk.errors",
                f"The error count of the file system on {Path(counter).parent.name} is {count}.",
                f"Replace the memory card. Before that, {SAVE}.",
            )
    for life in host.named("/sys/block/mmcblk*/device/life_time"):
        steps = [int(step, 16) for step in host.text(life).split() if step.startswith("0x")]
        if steps and max(steps) >= WORN:
            worn = min(max(steps), 10) * 10
            yield wrong(
                "disk.worn",
                f"The built-in memory {life.split('/')[3]} has used up {worn} % of its life.",
                f"Use other storage. Before that, {SAVE}.",
            )


def is_root_read_only(host: Machine) -> bool:
    """Return whether the root of *host* is an overlay now, so that changes are lost at power-off."""
    return bool(re.search(r"^overlayroot / overlay ", host.text("/proc/mounts"), re.MULTILINE))


def root_must_keep(what: str, host: Machine) -> None:
    """Raise `ReboardError` if the root of *host* is an overlay, in which *what* would be lost."""
    if is_root_read_only(host):
        raise ReboardError(
            f"the root is read-only, so {what} would be lost when the Pi is switched off. Run `sudo reboard setup "
            "read-only --undo` and `sudo reboot`, then this command again"
        )


def _root(host: Machine) -> Iterator[Finding]:
    words = [word for word in host.text("/proc/cmdline").split() if word.startswith("overlayroot=")]
    if words and words[-1] not in ("overlayroot=", "overlayroot=disabled") and not is_root_read_only(host):
        # a kernel upgrade can cause this: https://github.com/RPi-Distro/raspi-config/issues/306
        yield wrong(
            "disk.root",
            f"The root is writable, although the kernel's command line has {words[-1]}. Usually the initramfs lacks "
            "the kernel module overlay; /run/initramfs/overlayroot.log has the reason.",
            "Run `echo overlay | sudo tee -a /etc/initramfs-tools/modules`, `sudo update-initramfs -u -k all` and "
            "`sudo reboot`.",
        )
