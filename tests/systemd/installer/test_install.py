"""The installer as somebody types it."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from installer import main as module
from installer.main import main
from installer.steps import Agreed, Person, Step, carry_out, describe
from installer.target import InstallError, Target

INSTALL = Path(__file__).parents[3] / "systemd" / "install"


def test_a_dry_run_tells_every_step_and_leaves_the_machine_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "boot/firmware").mkdir(parents=True)
    (tmp_path / "boot/firmware/config.txt").write_text("arm_64bit=1\n")
    before = sorted(tmp_path.rglob("*"))
    done = subprocess.run(
        [sys.executable, INSTALL, "--dry-run", "--root", tmp_path],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert not done.stderr
    for words in ("into /opt/reboard/", "strict_gpiod", "/etc/reboard/table.toml", "when that system starts"):
        assert words in done.stdout
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--root", "/no/such/place"], "/no/such/place is no folder"),
        (["--wheels", "/no/such/place"], "/no/such/place is no folder"),
        (["--with-ledger"], "goes with uninstall"),
        ([], "say --yes, or try --dry-run"),
    ],
)
def test_what_cannot_be_is_told_in_words(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(arguments) == 1
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("option", ["--root", "--wheels"])
def test_an_empty_folder_is_not_the_one_in_which_somebody_happens_to_be(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main([option, "", "--dry-run"])
    assert end.value.code == 2
    assert f"argument {option}: this is empty" in capsys.readouterr().err


def test_whatever_roots_umask_is_others_may_read_what_is_installed(tmp_path: Path) -> None:
    code = "import os, sys; os.umask(0o077); from installer.main import main; main(sys.argv[1:]); print(os.umask(0))"
    paths = {"PYTHONPATH": os.pathsep.join([str(INSTALL.parent), str(INSTALL.parents[1] / "firmware")])}
    done = subprocess.run(
        [sys.executable, "-c", code, "--dry-run", "--root", tmp_path],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, **paths},
    )
    assert done.stdout.splitlines()[-1] == str(0o022)


def test_root_leaves_no_file_of_its_own_in_somebodys_clone(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    for name in ("systemd", "firmware", "sim", "hardware", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        source = INSTALL.parents[1] / name
        if source.is_dir():
            shutil.copytree(source, clone / name, ignore=shutil.ignore_patterns("__pycache__", "*.wav"))
        else:
            shutil.copy(source, clone)
    before = sorted(clone.rglob("*"))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    (tmp_path / "root").mkdir()
    command: list[str | Path] = [sys.executable, clone / "systemd/install", "--dry-run", "--root", tmp_path / "root"]
    subprocess.run(command, check=True, capture_output=True, timeout=60, env=environment)
    assert sorted(clone.rglob("*")) == before


def test_a_root_in_which_no_command_can_be_run_is_told_with_what_to_mount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for there in ("dev/null", "etc/resolv.conf"):
        (tmp_path / there).parent.mkdir()
        (tmp_path / there).touch()
    assert main(["--yes", "--root", str(tmp_path)]) == 1
    assert f"commands cannot be run in {tmp_path}: mount /proc and /sys there first" in capsys.readouterr().err


@pytest.mark.parametrize("has_boot", [True, False])
def test_whoever_cannot_be_given_the_motors_guard_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], has_boot: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(module, "missing_mounts", lambda _: [])
    monkeypatch.setattr(module, "install_plan", lambda *_, **__: [])
    if has_boot:
        (tmp_path / "boot/firmware").mkdir(parents=True)
        (tmp_path / "boot/firmware/config.txt").touch()
    assert main(["--yes", "--root", str(tmp_path)]) == 0
    assert ("ATTENTION" in capsys.readouterr().err) != has_boot


@pytest.mark.parametrize("with_ledger", [True, False])
def test_whoever_uninstalls_is_told_what_is_left(
    with_ledger: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(module, "missing_mounts", lambda _: [])
    assert main(["uninstall", "--yes", "--root", str(tmp_path), *(["--with-ledger"] if with_ledger else [])]) == 0
    left = " /etc/reboard, /etc/udev/rules.d/70-reboard-readers.rules and /var/lib/reboard are still there."
    assert f"reboard is gone.{'' if with_ledger else left}\n" in capsys.readouterr().out


def test_only_root_may(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert main(["--yes"]) == 1
    assert "put sudo in front of it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (OSError(28, "No space left on device", "/opt/reboard"), "/opt/reboard: No space left on device"),
        (KeyboardInterrupt(), "come back when you like"),
    ],
)
def test_whatever_goes_wrong_is_one_plain_sentence(
    failure: BaseException,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(module, "install_plan", fail)
    monkeypatch.setattr(module, "missing_mounts", lambda _: [])
    assert main(["--yes", "--root", str(tmp_path)]) == 1
    assert words in capsys.readouterr().err


def steps(done: list[str]) -> list[Step]:
    return [
        Step("Do the first", lambda: done.append("first")),
        Step("Do what is done", lambda: done.append("again"), lambda: True),
        Step("Do what need not be", lambda: done.append("extra"), why="It is nice to have", may_be_left_out=True),
        Step("Do the last", lambda: done.append("last")),
    ]


@pytest.mark.parametrize(
    ("answers", "done"),
    [
        ("\n\n\n", ["first", "extra", "last"]),
        ("y\nn\nYES\n", ["first", "last"]),
        ("what?\ny\nno\ny\n", ["first", "last"]),
    ],
)
def test_a_person_is_asked_about_each_step(
    answers: str, done: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    did: list[str] = []
    carry_out(steps(did), Person())
    assert did == done
    told = capsys.readouterr().out
    assert "It is nice to have" in told
    assert "Do what is done" not in told


@pytest.mark.parametrize("answers", ["n\n", ""], ids=["no", "hung up"])
def test_a_no_to_what_is_needed_ends_it(answers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    did: list[str] = []
    with pytest.raises(InstallError, match="come back when you like"):
        carry_out(steps(did), Person())
    assert did == []


def test_who_has_agreed_is_told_what_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    did: list[str] = []
    carry_out(steps(did), Agreed())
    assert did == ["first", "extra", "last"]
    assert capsys.readouterr().out.splitlines() == ["Do the first.", "Do what need not be.", "Do the last."]


def test_a_description_says_what_is_so_already(capsys: pytest.CaptureFixture[str]) -> None:
    did: list[str] = []
    describe(steps(did))
    assert did == []
    assert " 2. Do what is done (is so already)" in capsys.readouterr().out


def test_a_command_that_fails_is_told_with_its_last_lines() -> None:
    machine = Target()
    with pytest.raises(InstallError, match=r"(?s)this failed: ls /no/such/place.*No such file"):
        machine.run("ls", "/no/such/place")
    with pytest.raises(InstallError, match="there is no such command"):
        machine.run("reboard-no-such-command")
    assert machine.run("echo", "well") == "well\n"
