"""The command line of the installer, its steps, and the boot config."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from installer.boot_config import BEGIN, END, PLACES, SETTINGS, TAKEN, BootConfig, boot_settings, find_boot_config
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
        (["--yes", "--root", "."], 0, "/proc and /sys"),
    ],
)
def test_a_wrong_command_line_is_an_error(
    arguments: list[str],
    user: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.chdir(tmp_path)
    for there in ("dev/null", "etc/resolv.conf"):
        Path(there).parent.mkdir()
        Path(there).touch()
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


CONFIG = """# For more options see
dtparam=audio=on
#dtparam=i2c_arm=on

[pi4]
arm_boost=1
"""
COMMAND_LINE = "console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootwait quiet\n"


@pytest.fixture(params=PLACES, ids=str)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = Target(tmp_path).path(request.param)
    file.parent.mkdir(parents=True)
    file.write_text(CONFIG)
    file.with_name("cmdline.txt").write_text(COMMAND_LINE)
    return file


@pytest.fixture
def boot(file: Path, tmp_path: Path) -> BootConfig:
    boot = find_boot_config(Target(tmp_path))
    assert boot
    return boot


def do_all(boot: BootConfig) -> None:
    for step in boot.steps():
        if not step.is_done():
            step.do()


def test_without_config_txt_there_is_no_boot_config(tmp_path: Path) -> None:
    assert find_boot_config(Target(tmp_path)) is None
    assert boot_settings(Target(tmp_path)) == ""


def test_every_setting_goes_into_one_block(file: Path, boot: BootConfig) -> None:
    do_all(boot)
    assert file.read_text().startswith(CONFIG.rstrip())
    lines = file.read_text().splitlines()
    for_every_pi = [setting.line for setting in SETTINGS if setting.section == "[all]"]
    console = f"{TAKEN}console=serial0,115200"
    block = ["[all]", *for_every_pi, console, "[pi5]", "dtparam=uart0=on", "[all]"]
    assert lines[lines.index(BEGIN) + 1 : lines.index(END)] == block


def test_undo_restores_the_files_and_keeps_the_owners_lines(file: Path, boot: BootConfig) -> None:
    do_all(boot)
    with file.open("a") as more:
        more.write("dtoverlay=hifiberry-dac\n")
    boot.add("dtparam=spi=on")
    undo = boot.undo_step()
    assert not undo.is_done()
    undo.do()
    assert undo.is_done()
    assert file.read_text() == CONFIG + "dtoverlay=hifiberry-dac\n"
    assert file.with_name("cmdline.txt").read_text() == COMMAND_LINE


@pytest.mark.parametrize(
    ("before", "holds"),
    [
        ("dtparam=i2c_arm=on\n", True),
        ("  dtparam=i2c_arm=on  \n[pi5]\n", True),
        ("[pi4]\ndtparam=i2c_arm=on\n", False),
        ("[pi4]\n[all]\ndtparam=i2c_arm=on\n", True),
        ("#dtparam=i2c_arm=on\n", False),
        ("dtparam=i2c_arm=off\n", False),
        ("", False),
    ],
)
def test_a_setting_of_the_owner_counts(file: Path, boot: BootConfig, before: str, holds: bool) -> None:
    file.write_text(before)
    assert boot.has("dtparam=i2c_arm=on") == holds
