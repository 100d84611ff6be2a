"""``reboard-sim hall`` with real processes: broker, hall, and tables with their bridges."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from reboard_sim.cli import main
from reboard_sim.hall import local_broker
from reboard_sim.hall.table_group import END_S
from tests.mosquitto import REQUIRED
from tests.waiting import eventually

SEED = "1"


@contextmanager
def hall(state: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = ["-m", "reboard_sim.cli", "hall", "--headless", "--seed", SEED, "--port", "0", "--state", str(state)]
    with subprocess.Popen([sys.executable, *command, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(END_S)  # after that, it kills the tables


@pytest.mark.realtime
@pytest.mark.skipif(not (local_broker.mosquitto() or REQUIRED), reason="mosquitto is not installed")
def test_tables_play_and_the_hall_shows_them(tmp_path: Path) -> None:
    with hall(tmp_path, "--tables", "2", "--pace", "20") as process:
        assert process.stdout
        said = process.stdout.readline()
        found = re.search(r"(http://\S+), the broker at \S+:([0-9]+) ", said)
        assert found, said
        url, broker_port = found[1], int(found[2])
        assert process.stdout.readline().startswith("2 tables play")

        def tables() -> dict[str, dict[str, Any]]:
            with urllib.request.urlopen(f"{url}api/tables") as answer:
                return {table["name"]: table for table in json.load(answer)}

        eventually(lambda: len(tables()) == 2, "the hall has heard of all tables")
        eventually(
            lambda: all(not table["stale"] and len(table["cards"]) > 1 for table in tables().values()),
            "all tables are live, and have players",
        )
        assert {table["edition"] for table in tables().values()} < {"classic-de", "nintendo", "squishmallows"}
        assert all(card["name"] for table in tables().values() for card in table["cards"])

        def is_all_there() -> bool:
            return all(
                rows(tmp_path / "hall.sqlite", f"table_name = '{name}'") >= rows(tmp_path / name / "ledger.db") - 2 > 10
                for name in tables()
            )

        eventually(is_all_there, "the hall has the rows of the ledgers")
    assert process.returncode == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", broker_port))
    assert not [pid for pid in processes() if str(tmp_path) in pid]


def rows(file: Path, where: str = "TRUE") -> int:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        ((count,),) = connection.execute(f"SELECT count(*) FROM transfer WHERE {where}").fetchall()
        return int(count)


def processes() -> list[str]:
    """Return the command lines of all processes, where they can be read."""
    found = subprocess.run(["ps", "-A", "-o", "args="], capture_output=True, text=True, check=False)
    return [line for line in found.stdout.splitlines() if not line.startswith(("ps ", str(os.getpid())))]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--broker", "a b"], "'a b' is not a broker"),
        (["--broker", "a", "--edition", "nope"], '"nope"'),
        (["--broker", "a", "--port", "{taken}"], "in use"),
    ],
)
def test_wrong_options_are_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        arguments = [word.format(taken=taken.getsockname()[1]) for word in arguments]
        try:
            code: object = main(["hall", "--headless", "--port", "0", *arguments])
        except SystemExit as end:
            code = end.code
    said = capsys.readouterr()
    assert code in (1, 2)
    assert words in said.err
    assert said.out == ""


def test_without_mosquitto_it_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(local_broker, "mosquitto", lambda: None)
    assert main(["hall", "--headless", "--port", "0"]) == 1
    assert "apt install mosquitto" in capsys.readouterr().err
