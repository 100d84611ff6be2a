from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

import pytest

from reboard import errors
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.cli import COMMANDS, main, make_parser
from reboard.commands import check
from reboard.doctor.machine import Machine
from reboard.errors import DeviceError
from reboard_sim.cli import main as simulator
from reboard_sim.cli import make_parser as make_simulator_parser
from tests.full_disk import full_disk
from tests.waiting import PATIENCE_S

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
        timeout=PATIENCE_S,
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
        ["cards", ""],
        ["cards", "table.toml"],
        ["cards", "--count", "9"],
        ["ledger", "show", "--game", "x"],
        ["ledger", "undo", "0"],
        ["ledger"],
        ["ledger", "burn"],
        ["sounds", "play", "kazoo"],
        ["sounds", "write", ""],
        ["attach", "a..b"],
        ["attach", 64 * "a"],
    ],
    ids=" ".join,
)
def test_a_bad_command_line_is_a_usage_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        (simulator if arguments[:1] == ["attach"] else main)(arguments)
    assert end.value.code == 2
    message = capsys.readouterr().err
    assert "reboard" in message
    assert "invalid int" not in message
    assert "invalid choice" not in message


@pytest.mark.parametrize(
    ("main", "arguments", "meant"),
    [
        (main, ["docter"], "doctor"),
        (main, ["-v", "ledger", "histroy"], "history"),
        (main, ["setup", "boto"], "boot"),
        (main, ["sounds", "play", "cion"], "coin"),
        (main, ["doctor", "--jsn"], "--json"),
        (main, ["setup", "boot", "--ampifier=yes"], "--amplifier"),
        (main, ["--vrebose", "doctor"], "--verbose"),
        (main, ["--vrebose"], "--verbose"),
        (main, ["doctor", "--json", "now"], None),
        (simulator, ["--sed", "5"], "--seed"),
        (simulator, ["--port", "0", "--sed", "5"], "--seed"),
        (simulator, ["play", "evening.play", "--sed", "5"], "--seed"),
        (main, ["safe-mod"], None),
        (simulator, ["--headless", "ply"], "play"),
    ],
)
def test_a_mistyped_name_gets_a_suggestion(
    main: Callable[[list[str]], int], arguments: list[str], meant: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    message = capsys.readouterr().err
    assert f'did you mean "{meant}"?' in message if meant else "did you mean" not in message
    assert "safe-mode" not in message


def all_parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from all_parsers(command)


@pytest.mark.parametrize("make", [make_parser, make_simulator_parser])
def test_every_help_has_a_description_an_example_and_exit_codes(make: Callable[[], argparse.ArgumentParser]) -> None:
    parsers = list(all_parsers(make()))
    assert len(parsers) > 3
    for parser in parsers:
        text = parser.format_help()
        examples = text.partition("examples:\n")[2].partition("\n\n")[0].splitlines()
        assert parser.description, parser.prog
        assert parser.prog in examples[0], parser.prog
        assert re.search(r"exit codes:\n  0 .*\n  1 .*\n  2 ", text), parser.prog
        for example in examples:
            # what follows ` -- ` are options of another program
            ours, *_ = re.split(r" -- |\||>", example.partition(parser.prog)[2])
            words = shlex.split(ours)
            parser.parse_args(words)


def test_the_help_lists_commands_in_groups_and_hides_internal_ones() -> None:
    text = make_parser(()).format_help()
    groups = re.findall(r"^(\w[\w ]*):\n((?:  .*\n)+)", text, re.MULTILINE)
    named = {title: re.findall(r"^  (\w\S*) ", lines, re.MULTILINE) for title, lines in groups}
    titles = ["Play", "Set up", "Look", "Extend", "Service"]
    assert [title for title in named if title.istitle() or title == "Set up"] == titles
    listed = [name for title in titles for name in named[title]]
    assert {*COMMANDS} - {*listed} == {"motor-off", "safe-mode"}
    assert len(listed) == len({*listed})
    assert re.search(r"exit codes:\n(?:  [012] .*\n)+  3  .*reboard run", text)
    assert make_parser(["motor-off"]).parse_args(["motor-off"]).command == "motor-off"


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("module", "arguments", "library", "extra"),
    [
        ("reboard", ["page", "-c", "table.toml"], "starlette", "page"),
        ("reboard", ["cards", "no.pdf"], "reportlab", "cards"),
        ("reboard", ["completion", "zsh"], "shtab", "completion"),
        ("reboard_sim.cli", ["--headless", "--port", "0"], "segno", "sim"),
        ("reboard_sim.cli", ["play", os.devnull, "--vcd", "pins.vcd"], "vcd", "sim"),
        ("reboard_sim.cli", ["attach", "localhost"], "h11", "sim"),
    ],
)
def test_a_missing_library_is_named_with_the_extra_that_has_it(
    config: Path, module: str, arguments: list[str], library: str, extra: str
) -> None:
    code = f"import runpy, sys; sys.modules[{library!r}] = None; runpy.run_module({module!r}, run_name='__main__')"
    command = [sys.executable, "-c", code, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, cwd=config.parent)
    assert ended.returncode == (2 if "play" in arguments else 1)
    assert library in ended.stderr
    assert f"pip install 'reboard[{extra}]'" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("prefix", "has_pip", "remedy"),
    [
        ("/usr", True, "sudo apt install python3-shtab"),
        ("/home/me/.pyenv/versions/3.13", True, "-m pip install 'reboard[completion]'"),
        ("/home/me/.cache/uv/archive", False, "uv pip install --python"),
    ],
)
def test_a_missing_library_is_installed_as_this_python_can(
    prefix: str, has_pip: bool, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(sys, "base_prefix", prefix)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: has_pip or None)
    error = errors.MissingExtraError("completion", "completion", ImportError(name="shtab"), package="python3-shtab")
    assert remedy in str(error)


@pytest.mark.parametrize("has_simulator", [False, True])
def test_no_command_that_is_not_installed_is_named_where_a_pi_or_a_config_is_missing(
    has_simulator: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr(Machine, "model", "A laptop")
    monkeypatch.setattr(Machine, "header", no_header)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    if has_simulator:
        (tmp_path / "reboard-sim").touch()
    for command, status in (("setup", 1), ("check", 2)):
        assert main([command, "-c", str(tmp_path / "table.toml")]) == status
        message = capsys.readouterr().err
        assert "sudo reboard setup" in message
        assert ("reboard-sim" in message) == has_simulator


def no_header(_: Machine) -> NoReturn:
    raise DeviceError("there are no pins")


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


@pytest.mark.parametrize("words", [["sounds", "write", "."], ["wiring", "--svg", "x.svg"], ["cards", "x.pdf"]])
def test_a_full_disk_is_named_with_the_file_and_keeps_no_half(
    config: Path, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(config.parent)
    with full_disk(1000):
        assert main([*words, "-c", "table.toml"]) == 1
    assert re.match(r"reboard: \S+\.(wav|svg|pdf): File too large", capsys.readouterr().err)
    assert list(config.parent.iterdir()) == [config]


@pytest.mark.realtime
@pytest.mark.parametrize(
    "words", [["reboard", "ledger", "export", "-c", "table.toml"], ["reboard_sim.cli", "completion", "bash"]]
)
def test_a_closed_pipe_ends_a_command_quietly(config: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    book_a_game(config)
    monkeypatch.chdir(config.parent)
    command = [sys.executable, "-m", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("command", "redirection"),
    [
        ("reboard --help", ">/dev/full"),
        ("reboard sounds list", ">&-"),
        ("reboard ledger export -c table.toml", ">/dev/full"),
        ("reboard_sim.cli completion bash", ">&-"),
        ("reboard_sim.cli play table.play", ">&-"),
        ("reboard_sim.cli play table.play", ">/dev/full"),
    ],
)
def test_a_closed_or_full_output_is_no_bug(config: Path, command: str, redirection: str) -> None:
    book_a_game(config)
    (config.parent / "table.play").write_text('expect display "INSERT CARD"\n')
    ended = subprocess.run(
        f"{sys.executable} -m {command} {redirection}",
        shell=True,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        cwd=config.parent,
        env={**os.environ, "PYTHONUNBUFFERED": ""},  # argparse ignores an error of an unbuffered output
    )
    if redirection == ">&-":
        assert (ended.returncode, ended.stderr) == (0, "")
    else:
        assert ended.returncode == (2 if "play" in command else 1)
        assert "standard output: No space left" in ended.stderr
        assert ended.stderr.count("\n") == 1


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
