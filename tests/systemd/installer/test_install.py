"""The command line of the installer."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from installer.main import main
from installer.steps import AskUser, Step, carry_out
from installer.target import InstallError, Target

PROJECT = Path(__file__).parents[3]


def test_a_dry_run_changes_neither_the_system_nor_the_clone(tmp_path: Path) -> None:
    clone, root = tmp_path / "clone", tmp_path / "root"
    for name in ("systemd", "firmware", "sim", "hardware"):
        shutil.copytree(PROJECT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__", "*.wav"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(PROJECT / name, clone)
    (root / "boot/firmware").mkdir(parents=True)
    (root / "boot/firmware/config.txt").write_text("arm_64bit=1\n")
    before = sorted(tmp_path.rglob("*"))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command: list[str | Path] = [sys.executable, clone / "systemd/install", "--dry-run", "--root", root]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment)
    assert not done.stderr
    for words in ("into /opt/reboard/", "strict_gpiod", "/etc/reboard/table.toml", "when that system starts"):
        assert words in done.stdout
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "user", "words"),
    [
        (["--root", "/no/such/place"], 0, "/no/such/place"),
        (["--wheels", "/no/such/place"], 0, "/no/such/place"),
        (["--with-ledger"], 0, "uninstall"),
        ([], 0, "--dry-run"),
        (["--yes"], 1000, "sudo"),
    ],
)
def test_a_wrong_command_line_is_an_error(
    arguments: list[str], user: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(arguments) == 1
    printed = capsys.readouterr().err
    assert words in printed
    assert printed.count("\n") == 1


def test_installed_files_are_readable_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        main(["--dry-run", "--root", str(tmp_path)])
    finally:
        during = os.umask(before)
    assert during == 0o022


def test_missing_mounts_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for there in ("dev/null", "etc/resolv.conf"):
        (tmp_path / there).parent.mkdir()
        (tmp_path / there).touch()
    assert main(["--yes", "--root", str(tmp_path)]) == 1
    assert "/proc and /sys" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answers", "done"),
    [
        ("\n\n\n", ["first", "extra", "last"]),
        ("y\nn\nYES\n", ["first", "last"]),
        ("what?\ny\nno\ny\n", ["first", "last"]),
        ("n\n", []),
        ("", []),
        ("y\ny\nn\n", ["first", "extra"]),
    ],
)
def test_the_user_is_asked_about_each_step_and_can_decline(
    answers: str, done: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    did: list[str] = []
    steps = [
        Step("Do the first", lambda: did.append("first")),
        Step("Do what is done", lambda: did.append("again"), lambda: True),
        Step("Do what need not be", lambda: did.append("extra"), why="It is nice to have", may_be_left_out=True),
        Step("Do the last", lambda: did.append("last")),
    ]
    with nullcontext() if "last" in done else pytest.raises(InstallError, match="necessary"):
        carry_out(steps, AskUser())
    assert did == done
    printed = capsys.readouterr().out
    assert ("It is nice to have" in printed) == bool(done)
    assert "Do what is done" not in printed


def test_a_failed_command_reports_its_last_lines() -> None:
    machine = Target()
    with pytest.raises(InstallError, match=r"(?s)this failed: ls /no/such/place.*No such file"):
        machine.run("ls", "/no/such/place")
    with pytest.raises(InstallError, match="reboard-no-such-command"):
        machine.run("reboard-no-such-command")
    assert machine.run("echo", "well") == "well\n"
