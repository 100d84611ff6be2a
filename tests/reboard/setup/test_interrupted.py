"""Signals and a full disk during ``reboard setup boot`` and ``read-only``: no file is left half-written."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from reboard.cli import main
from reboard.commands import setup_pi
from reboard.setup.read_only import SCRIPT
from tests.full_disk import full_disk
from tests.reboard.doctor.made_up import MadeUpMachine

BOOT = ["setup", "boot", "--yes"]
READ_ONLY = ["setup", "read-only", "--yes"]
CASES = [BOOT, [*BOOT, "--undo"], READ_ONLY, [*READ_ONLY, "--undo"]]
FILES = {
    "/boot/firmware/config.txt": "auto_initramfs=1\n",
    "/boot/firmware/cmdline.txt": "console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootwait\n",
}
WRITABLE_BYTES = 40
"""Less than the length of each new ``cmdline.txt``, and of a ``config.txt`` with reboard's block."""

Prepare = Callable[[list[str]], MadeUpMachine]


@pytest.fixture
def prepare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prepare:
    """Return a function that makes the Pi on which a command runs next. Its games have a partition of their own."""
    numbers = itertools.count()

    def prepared(words: list[str]) -> MadeUpMachine:
        pi = MadeUpMachine(tmp_path / str(next(numbers)))
        for file, text in FILES.items():
            pi.write(file, text)
        pi.write(SCRIPT)
        pi.write("/etc/fstab", "/dev/sda1 /var/lib/reboard ext4 noatime 0 2\n")
        pi.write("/proc/mounts", "/dev/sda1 /var/lib/reboard ext4 rw 0 0\n")
        monkeypatch.setattr(setup_pi, "Machine", lambda: pi)
        if "--undo" in words:
            assert main(words[:-1]) == 0
        return pi

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return prepared


def contents(pi: MadeUpMachine) -> list[str]:
    return [pi.path(file).read_text() for file in FILES]


@pytest.mark.parametrize("words", CASES, ids=" ".join)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_each_file_old_or_new(
    words: list[str], number: signal.Signals, prepare: Prepare, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi = prepare(words)
    old = contents(pi)
    assert main(words) == 0
    new = contents(pi)
    assert old != new
    fsync = os.fsync
    for at in itertools.count(1):
        pi, calls = prepare(words), itertools.count(1)

        def strike(descriptor: int, at: int = at, calls: itertools.count[int] = calls) -> None:
            if next(calls) == at:
                os.kill(os.getpid(), number)
            fsync(descriptor)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", strike)
            main(words)
        assert all(found in pair for found, *pair in zip(contents(pi), old, new, strict=True))
        assert main(words) == 0
        assert contents(pi) == new
        if next(calls) <= at:
            break
    assert at > 2


@pytest.mark.parametrize("words", CASES, ids=" ".join)
def test_a_full_disk_keeps_each_file(words: list[str], prepare: Prepare, capsys: pytest.CaptureFixture[str]) -> None:
    pi = prepare(words)
    before = contents(pi)
    with full_disk(WRITABLE_BYTES):
        assert main(words) == 1
    assert contents(pi) == before
    assert not [*pi.root.rglob("*.new")]
    assert "/boot/firmware/" in capsys.readouterr().err
    assert main(words) == 0
