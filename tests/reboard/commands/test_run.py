from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from reboard.commands import run as module
from reboard.commands.run import run
from reboard.door.client import DoorClient
from reboard.door.words import SOCKET_NAME
from reboard.errors import PartError, StateError
from reboard.events import Event, Events
from reboard.settings.state_directory import LAST_GOOD_NAME
from reboard_sim import virtual_time
from tests.fake_systemd import Systemd

CONFIG = """
[speaker]
library = "silent"
[state]
directory = "state"
[block]
button = 4
"""


def test_every_event_of_a_table_comes_from_its_loop_the_greeting_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG)
    heard: list[tuple[object, threading.Thread]] = []

    @contextmanager
    def noting(events: Events) -> Iterator[None]:
        events.listen(lambda event: heard.append((event.fields.get("name"), threading.current_thread())))
        yield

    async def main() -> None:
        # the virtual clock would jump over what comes from outside the loop
        asyncio.get_running_loop().call_later(2, signal.raise_signal, signal.SIGTERM)
        await run(config, as_json=True)

    monkeypatch.setattr(module, "event_lines", noting)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    virtual_time.run(main)
    assert "ready" in [name for name, _ in heard]
    assert {thread for _, thread in heard} == {threading.current_thread()}
    assert (tmp_path / "state" / LAST_GOOD_NAME).read_text() == CONFIG


def test_a_table_whose_state_directory_cannot_be_used_plays_and_only_its_bank_is_at_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG.replace('"state"', '"state/of/the/table"') + "[apple]\nlever = 22\nmotor = 12\n[bank]\n")
    (tmp_path / "state").write_text("a file")
    told: list[Event] = []

    @contextmanager
    def noting(events: Events) -> Iterator[None]:
        events.listen(told.append)
        yield

    async def main() -> None:
        asyncio.get_running_loop().call_later(10, signal.raise_signal, signal.SIGTERM)
        await run(config, as_json=True)

    monkeypatch.setattr(module, "event_lines", noting)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    virtual_time.run(main)
    faults = [event.fields for event in told if event.name == "fault"]
    assert [fault["part"] for fault in faults] == ["ledger"]
    assert "state/of/the" in str(faults[0]["cause"])
    assert "ready" in [event.fields.get("name") for event in told]


def test_a_service_is_not_asked_to_move_the_ledger_to_where_it_may_not_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StateError, match=rf"ReadWritePaths={tmp_path}/state, lets it"):
        module._reread(config, Path("/var/lib/reboard"))
    assert module._reread(config, tmp_path / "state").config.block


def test_a_new_config_is_played_with_when_it_is_good_and_only_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    door = tmp_path / "state" / SOCKET_NAME

    async def reload_with(text: str) -> dict[str, object]:
        config.write_text(text)
        await asyncio.sleep(1)
        signal.raise_signal(signal.SIGHUP)
        await asyncio.sleep(1)
        async with await DoorClient.connect(door) as table:
            snapshot: dict[str, object] = await table.request("snapshot")
        return snapshot

    async def main() -> None:
        playing = asyncio.create_task(run(config, as_json=False))
        await asyncio.sleep(2)
        bad = await reload_with(CONFIG.replace("button = 4", "button = 99"))
        assert "config" in str(bad["faults"])
        assert bad["apple"] is None
        blocked = await reload_with(CONFIG.replace('"state"', '"table.toml/state"'))
        assert "the ledger cannot be kept" in str(blocked["faults"])
        good = await reload_with(CONFIG + "[apple]\nlever = 22\n")
        assert good["faults"] == {}
        assert good["apple"] is not None
        signal.raise_signal(signal.SIGTERM)
        await playing

    with closing(Systemd(str(tmp_path / "notify"))) as systemd:
        virtual_time.run(main)
        told = [line for message in systemd.told() for line in message.splitlines()]
    assert [line for line in told if line in ("READY=1", "RELOADING=1", "STOPPING=1")] == [
        "READY=1",
        *["RELOADING=1", "READY=1"] * 3,
        "STOPPING=1",
    ]
    assert (tmp_path / "state" / LAST_GOOD_NAME).read_text() == config.read_text()


def test_a_table_that_failed_before_waits_before_it_touches_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "none")
    begun: list[float] = []

    async def main() -> None:
        for _ in range(3):
            start = asyncio.get_running_loop().time()
            with pytest.raises(PartError):
                await run(config, as_json=False)
            begun.append(asyncio.get_running_loop().time() - start)

    virtual_time.run(main)
    assert begun == pytest.approx([0, 2, 4])
