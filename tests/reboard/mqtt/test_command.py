"""``reboard mqtt`` as a process."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sys
from pathlib import Path

import pytest

from reboard.cli import FAILED, USAGE_ERROR, main
from reboard.mqtt.broker import connected
from tests.fake_systemd import Systemd
from tests.mosquitto import MakeMosquitto
from tests.reboard.mqtt.fake_table import open_table
from tests.waiting import PATIENCE_S

TABLE = "[block]\nbutton = 17\n[state]\ndirectory = 'state'\n"


def test_without_a_broker_in_the_config_it_ends_as_with_an_invalid_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE)
    assert main(["mqtt", "-c", str(file)]) == USAGE_ERROR
    assert "[mqtt]" in capsys.readouterr().err


def test_a_second_bridge_of_one_table_ends_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def runs(_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("reboard.mqtt.bridge.Bridge.run", runs)
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    file = tmp_path / "table.toml"
    file.write_text(f"{TABLE}[mqtt]\nbroker = '127.0.0.1'\n")
    (tmp_path / "state").mkdir()
    with (tmp_path / "state" / "mqtt-cursor.json-lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert main(["mqtt", "-c", str(file)]) == FAILED
    assert "another bridge" in capsys.readouterr().err


@pytest.mark.realtime
async def test_the_service_keeps_its_cursor_and_takes_leave_when_it_is_stopped(
    make_mosquitto: MakeMosquitto, tmp_path: Path
) -> None:
    broker, file, own = make_mosquitto(), tmp_path / "table.toml", tmp_path / "own"
    file.write_text(f"{TABLE}[mqtt]\nbroker = '127.0.0.1'\nport = {broker.port}\ntable = 'table-1'\n")
    (tmp_path / "state").mkdir()
    systemd = Systemd(str(tmp_path / "systemd"))
    env = {**os.environ, "NOTIFY_SOCKET": str(tmp_path / "systemd"), "STATE_DIRECTORY": str(own)}
    async with open_table(tmp_path / "state" / "table.sock") as table, connected(broker.address(), "hall") as hall:
        await hall.subscribe(*(f"reboard/table-1/{kind}" for kind in ("availability", "transfer", "head")))
        command = [sys.executable, "-m", "reboard", "mqtt", "-c", str(file)]
        bridge = await asyncio.create_subprocess_exec(*command, env=env)
        async with asyncio.timeout(PATIENCE_S):
            # the head follows when the bridge knows that the broker has each row
            heard = [await hall.receive() for _ in range(1 + len(table.rows) + 1)]
            bridge.send_signal(signal.SIGTERM)
            assert await bridge.wait() == 0
            while (last := (await hall.receive())[0]).topic.endswith("head"):
                pass
    assert (heard[0][0].payload, last.payload) == (b"online", b"offline")
    told = "".join(systemd.told())
    systemd.close()
    assert told.startswith("READY=1")
    assert "127.0.0.1" in told
    assert f'"id": {len(heard) - 2}' in (own / "mqtt-cursor.json").read_text()
