from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.cli import main
from reboard.commands import check

CONFIG = """
edition = "world"
[block]
button = 17
lamp = 27
[bank]
keypad = { rows = [23, 24, 25, 12], columns = [5, 6, 16, 26] }
[speaker]
library = "silent"
[page]
listen = "127.0.0.1:8098"
[state]
directory = "state"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(CONFIG)
    return path


def book_a_game(config: Path) -> None:
    (config.parent / "state").mkdir(exist_ok=True)
    with closing(LedgerFile(config.parent / "state" / LEDGER_FILE)) as ledger:
        ledger.new_game("world", 15_000_000, at=0.0, cards=(1, 2))


def reboard(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "reboard", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def test_check_reports_every_problem_with_its_line(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(CONFIG.replace("lamp = 27", "lmap = 27").replace("button = 17", "button = 99"))
    assert main(["check", "-c", str(config)]) == 2
    output = capsys.readouterr()
    assert not output.out
    assert [line.split(" ")[0] for line in output.err.splitlines()] == [f"{config}:{line}:" for line in (4, 5)]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["check", "--loud"],
        ["-c", "", "check"],
        ["wiring", "--svg", ""],
        ["wiring", "--svg", "table.toml"],
        ["cards", "--print", ""],
        ["cards", "--print", "table.toml"],
        ["ledger"],
        ["ledger", "burn"],
        ["sounds", "play", "kazoo"],
        ["sounds", "write", ""],
    ],
    ids=" ".join,
)
def test_a_bad_command_line_is_a_usage_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "reboard" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("failure", "user", "words"),
    [
        (KeyboardInterrupt(), 0, "stopped"),
        (PermissionError(13, "Permission denied", "/some/file"), 0, "/some/file: Permission denied"),
        (PermissionError(13, "Permission denied", "/some/file"), 1000, "sudo"),
        (ZeroDivisionError("oh"), 0, "please report it"),
    ],
)
def test_an_error_is_one_line(
    failure: BaseException, user: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(check, "check", fail)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert main(["check"]) == 1
    message = capsys.readouterr().err
    assert message.startswith("reboard: ")
    assert words in message
    assert message.count("\n") == 1
    assert main(["check", "--verbose"]) == 1
    assert ("Traceback" in capsys.readouterr().err) == isinstance(failure, ZeroDivisionError)


def test_sounds_are_written_and_own_files_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sounds", "list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert "coin" in names
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "coin.wav").write_text("my own")
    assert main(["sounds", "write", str(tmp_path / "own")]) == 0
    assert sorted(path.stem for path in (tmp_path / "own").iterdir()) == names
    assert (tmp_path / "own" / "coin.wav").read_text() == "my own"


@pytest.mark.realtime
def test_a_closed_pipe_ends_a_command_quietly(config: Path) -> None:
    book_a_game(config)
    command = [sys.executable, "-m", "reboard", "ledger", "export", "-c", str(config)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"GPIOZERO_PIN_FACTORY": "arduino"}, "arduino"),
        ({"GPIOZERO_PIN_FACTORY": "mock", "REBOARD_SOCKET_DIR": "/" + 120 * "x"}, 120 * "x"),
    ],
)
def test_a_failed_start_names_the_cause(config: Path, environment: dict[str, str], words: str) -> None:
    run = reboard("run", "-c", config, **environment)
    assert run.returncode == 1
    assert words in run.stderr
    assert "Traceback" not in run.stderr


class RunningTable:
    """`reboard run --json`. It is killed when it takes too long, so that no test waits for ever."""

    def __init__(self, config: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reboard", "run", "--json", "-c", str(config)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "GPIOZERO_PIN_FACTORY": "mock"},
        )
        self._patience = threading.Timer(60, self.process.kill)
        self._patience.start()

    def until(self, name: str) -> dict[str, Any]:
        """Its next event of that name."""
        assert self.process.stdout
        for line in self.process.stdout:
            event: dict[str, Any] = json.loads(line)
            if event["event"] == name:
                return event
        raise AssertionError(f"it ended before {name}: {self.process.stderr and self.process.stderr.read()}")

    def stop(self, number: int) -> tuple[int, str]:
        """Its exit code after the signal, and what it said besides events."""
        self.process.send_signal(number)
        _, said = self.process.communicate()
        return self.process.returncode, said

    def close(self) -> None:
        self._patience.cancel()
        self.process.kill()
        self.process.communicate()


@pytest.mark.realtime
def test_a_table_runs_on_mock_pins_and_stops_cleanly(config: Path) -> None:
    with closing(RunningTable(config)) as table:
        assert table.until("game.started")["edition"] == "world"
        assert "game 1" in reboard("ledger", "show", "-c", config).stdout
        undo = reboard("ledger", "undo", "-c", config)
        assert undo.returncode == 1
        second = reboard("run", "-c", config, GPIOZERO_PIN_FACTORY="mock")
        assert second.returncode == 1
        assert "another table" in second.stderr
        code, said = table.stop(signal.SIGTERM)
        assert code == 0, said
        assert "Traceback" not in said
    assert not (config.parent / "state" / "table.sock").exists()


@pytest.mark.realtime
def test_a_table_killed_by_the_watchdog_prints_its_stack(config: Path) -> None:
    with closing(RunningTable(config)) as table:
        table.until("sound")
        code, said = table.stop(signal.SIGABRT)  # what systemd sends when the watchdog was not fed
        assert code == -signal.SIGABRT
        assert "most recent call first" in said
        assert "run_forever" in said
