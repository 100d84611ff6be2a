from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import threading
import tty
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reboard import cli
from reboard.banker.book import LEDGER_FILE
from reboard.banker.ledger import Ledger
from reboard.cli import main
from reboard.commands import sounds
from reboard.parts.sinks.silent import SilentSink
from reboard.version import __version__

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

FRAME = bytes.fromhex("02 36 32 45 33 30 38 36 43 45 44 30 38 03")
"""What an RDM6300 says of the card 62E3086CED."""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(CONFIG)
    return path


def book_a_game(config: Path) -> None:
    (config.parent / "state").mkdir(exist_ok=True)
    with closing(Ledger(config.parent / "state" / LEDGER_FILE)) as ledger:
        game = ledger.new_game("world", 15_000_000, at=0.0, cards=(1, 2))
        paid = ledger.pay(game.id, 1, 2, 1_500_000, reason="players", press="a", at=1.0)
        ledger.undo(paid.id, press="b", at=2.0)
        ledger.pay(game.id, 2, 0, 260_000, reason="paid", press="c", at=3.0)


def reboard(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "reboard", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def test_check_tells_what_the_config_means(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-c", str(config)]) == 0
    assert "button on pin 17" in capsys.readouterr().out


def test_the_config_may_stand_before_or_behind_the_command(config: Path) -> None:
    assert main(["-c", str(config), "check"]) == 0
    assert main(["check", "-c", str(config)]) == 0


def test_check_tells_every_problem_with_its_line_and_exits_with_2(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(CONFIG.replace("lamp = 27", "lmap = 27").replace("button = 17", "button = 99"))
    assert main(["check", "-c", str(config)]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert [line.split(" ")[0] for line in told.err.splitlines()] == [f"{config}:{line}:" for line in (4, 5)]


@pytest.mark.parametrize(
    "arguments",
    [
        ["wiring", "-c", ""],
        ["-c", "", "check"],
        ["wiring", "--svg", ""],
        ["cards", "--print", ""],
        ["sounds", "write", ""],
    ],
    ids=" ".join,
)
def test_a_path_that_is_empty_is_no_folder_that_one_happens_to_be_in(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("reboard")
    assert said.endswith(": this is empty, and names no file or folder: is it a variable that was never set?")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["check", "--loud"],
        ["ledger"],
        ["sounds", "play"],
        ["sounds", "play", "kazoo"],
        ["ledger", "burn"],
    ],
)
def test_a_wrong_command_line_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "reboard" in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"reboard {__version__}\n"


@pytest.mark.parametrize(
    ("failure", "code", "words"),
    [
        (KeyboardInterrupt(), 1, "reboard: stopped"),
        (PermissionError(13, "Permission denied", "/some/file"), 1, "reboard: /some/file: Permission denied"),
        (ZeroDivisionError("oh"), 1, "reboard: an error in reboard itself"),
    ],
)
def test_whatever_goes_wrong_is_one_plain_sentence(
    failure: BaseException, code: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise failure

    monkeypatch.setattr(cli, "_check", fail)
    assert main(["check"]) == code
    told = capsys.readouterr().err
    assert told.startswith(words)
    assert told.count("\n") == 1


@pytest.mark.parametrize(("user", "advice"), [(1000, ": put sudo in front"), (0, "")])
def test_who_may_not_is_told_to_put_sudo_in_front_unless_they_are_root(
    user: int, advice: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise PermissionError(13, "Permission denied", "/some/file")

    monkeypatch.setattr(cli, "_check", fail)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert main(["check"]) == 1
    assert capsys.readouterr().err == f"reboard: /some/file: Permission denied{advice}\n"


def test_who_wants_to_know_more_gets_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(cli, "_check", fail)
    assert main(["check", "--verbose"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_the_balances_are_shown_the_editions_way(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book_a_game(config)
    assert main(["ledger", "show", "-c", str(config)]) == 0
    title, *cards = capsys.readouterr().out.splitlines()
    assert title.startswith("game 1, world, since ")
    assert [line.split() for line in cards] == [["card", "1", "15M"], ["card", "2", "14.74M"]]


def test_the_history_tells_what_was_taken_back(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book_a_game(config)
    assert main(["ledger", "history", "-c", str(config)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines] == ["1", "2", "3", "4", "5"]
    assert lines[2][3:] == ["card", "1", "->", "card", "2", "1.5M", "players"]
    assert lines[3][3:] == ["card", "2", "->", "card", "1", "1.5M", "takes", "back", "3"]
    assert lines[4][3:] == ["card", "2", "->", "bank", "260K", "paid"]


def test_the_ledger_can_be_had_as_csv_and_as_json(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book_a_game(config)
    assert main(["ledger", "export", "-c", str(config)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert main(["ledger", "export", "--json", "-c", str(config)]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert [game["edition"] for game in whole["games"]] == ["world"]
    assert [row["amount"] for row in whole["transfers"]] == [15_000_000, 15_000_000, 1_500_000, 1_500_000, 260_000]
    assert [
        {key: "" if value is None else str(value) for key, value in row.items()} for row in whole["transfers"]
    ] == rows


def test_a_ledger_that_adds_up_is_verified(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book_a_game(config)
    assert main(["ledger", "verify", "-c", str(config)]) == 0
    assert "every rule holds, over 1 game" in capsys.readouterr().out


def test_a_ledger_that_does_not_add_up_exits_with_1(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book_a_game(config)
    with closing(Ledger(config.parent / "state" / LEDGER_FILE)) as ledger:
        ledger.book.connection.execute("UPDATE account SET balance = balance + 1 WHERE card = 1")
    assert main(["ledger", "verify", "-c", str(config)]) == 1
    assert "does not add up" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["games", "show", "history", "verify", "export"])
def test_a_ledger_that_is_not_there_yet_is_told(config: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", what, "-c", str(config)]) == 1
    assert "there is no ledger yet" in capsys.readouterr().err


def test_taking_back_needs_a_table_at_work(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "undo", "-c", str(config)]) == 1
    assert "start one with `reboard run`" in capsys.readouterr().err


def test_the_sounds_are_listed_and_written_but_nobodys_own_is_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sounds", "list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert "coin" in names
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "coin.wav").write_text("my own")
    assert main(["sounds", "write", str(tmp_path / "own")]) == 0
    assert sorted(path.stem for path in (tmp_path / "own").iterdir()) == names
    assert (tmp_path / "own" / "coin.wav").read_text() == "my own"
    assert "coin.wav is there already and was kept" in capsys.readouterr().out


@pytest.mark.realtime
def test_playing_a_sound_takes_as_long_as_it_is(config: Path) -> None:
    assert main(["sounds", "play", "key", "-c", str(config)]) == 0


@pytest.mark.realtime
def test_a_sound_that_nobody_hears_is_told(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sounds, "open_sink", lambda library, device: SilentSink("the card was pulled out"))
    assert main(["sounds", "play", "key", "-c", str(config)]) == 1
    assert capsys.readouterr().err == "reboard: no sound comes out of no sound device: the card was pulled out\n"


@pytest.mark.realtime
def test_check_runs_as_a_command_of_its_own(config: Path) -> None:
    good = reboard("check", "-c", config)
    assert (good.returncode, good.stderr) == (0, "")
    config.write_text("edition = ")
    bad = reboard("check", "-c", config)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith(f"{config}:1: ")
    assert "Traceback" not in bad.stderr


@pytest.mark.realtime
def test_a_reader_who_has_had_enough_ends_a_command_quietly(config: Path) -> None:
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
    ("environment", "code", "words"),
    [
        ({"GPIOZERO_PIN_FACTORY": "arduino"}, 1, "GPIOZERO_PIN_FACTORY is 'arduino'"),
        ({"GPIOZERO_PIN_FACTORY": "mock", "REBOARD_DOOR": "/" + 120 * "x"}, 1, "the table's door cannot be made"),
    ],
)
def test_a_table_that_cannot_start_says_why(config: Path, environment: dict[str, str], code: int, words: str) -> None:
    run = reboard("run", "-c", config, **environment)
    assert run.returncode == code
    assert words in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.realtime
def test_a_bad_config_without_a_last_good_one_exits_with_2(config: Path) -> None:
    config.write_text(CONFIG.replace("17", "27"))
    run = reboard("run", "-c", config, GPIOZERO_PIN_FACTORY="mock")
    assert run.returncode == 2
    assert f"{config}:5: block.lamp takes pin 27" in run.stderr
    assert "Traceback" not in run.stderr


class CardOnReader(threading.Thread):
    """A card on an RDM6300, which says so again and again, on a pseudo-terminal."""

    def __init__(self, terminal: int) -> None:
        super().__init__()
        self._terminal = terminal
        self._taken = threading.Event()

    def run(self) -> None:
        while not self._taken.wait(0.065):
            os.write(self._terminal, FRAME)

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self._taken.set()
        self.join()


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


@pytest.fixture
def reader(config: Path) -> Iterator[int]:
    """The far end of the serial line that the left slot's reader is on."""
    far, near = pty.openpty()
    tty.setraw(near)
    slot = f'[bank]\nleft = {{ reader = "rdm6300", port = "{os.ttyname(near)}" }}'
    config.write_text(CONFIG.replace("[bank]", slot))
    yield far
    os.close(far)
    os.close(near)


@pytest.mark.realtime
def test_a_table_starts_off_a_pi_with_a_reader_on_a_terminal_and_stops_cleanly(config: Path, reader: int) -> None:
    with closing(RunningTable(config)) as table:
        assert table.until("game.started")["edition"] == "world"
        with CardOnReader(reader):
            assert table.until("card.inserted")["number"] == 1
        assert table.until("card.removed")["number"] == 1
        assert "card 1              15M" in reboard("ledger", "show", "-c", config).stdout
        undo = reboard("ledger", "undo", "-c", config)
        assert (undo.returncode, undo.stderr) == (1, "reboard: there is no transfer that could be taken back\n")
        second = reboard("run", "-c", config, GPIOZERO_PIN_FACTORY="mock")
        assert second.returncode == 1
        assert "another table is at work already" in second.stderr
        code, said = table.stop(signal.SIGTERM)
        assert code == 0, said
        assert "Traceback" not in said
    assert not (config.parent / "state" / "table.sock").exists()


@pytest.mark.realtime
def test_a_table_with_a_bad_config_plays_with_the_last_good_one_and_tells(config: Path, reader: int) -> None:
    with closing(RunningTable(config)) as table, CardOnReader(reader):
        table.until("card.inserted")
        assert reboard("ledger", "undo", "-c", config).returncode == 1  # answered once the table is ready
        assert table.stop(signal.SIGINT)[0] == 0
    config.write_text(config.read_text() + "oops")
    with closing(RunningTable(config)) as table, CardOnReader(reader):
        event = table.until("fault")
        assert event["part"] == "config"
        assert event["cause"].startswith(f"{config}:")
        assert table.until("card.inserted")["number"] == 1
        code, said = table.stop(signal.SIGTERM)
        assert code == 0, said
        assert "plays with the last good config" in said


@pytest.mark.realtime
def test_a_table_that_is_ended_because_it_hangs_writes_down_where(config: Path) -> None:
    with closing(RunningTable(config)) as table:
        table.until("sound")
        code, said = table.stop(signal.SIGABRT)  # what systemd sends when the watchdog was not fed
        assert code == -signal.SIGABRT
        assert "most recent call first" in said
        assert "run_forever" in said


@pytest.mark.realtime
@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="this kernel does not count what is written")
def test_a_table_at_rest_writes_nothing_at_all(config: Path) -> None:
    with closing(RunningTable(config)) as table:
        table.until("sound")
        with pytest.raises(subprocess.TimeoutExpired):
            table.process.wait(1)  # until the greeting has been heard
        written = Path(f"/proc/{table.process.pid}/io")
        before = written.read_text().splitlines()
        with pytest.raises(subprocess.TimeoutExpired):
            table.process.wait(3)
        after = written.read_text().splitlines()
    assert [line for line in after if "write" in line] == [line for line in before if "write" in line]
