from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from reboard.commands import run as module
from reboard.commands.run import run
from reboard.config.reading import LAST_GOOD_NAME
from reboard.control.client import ControlClient
from reboard.control.protocol import SOCKET_NAME
from reboard.events import EmittedEvent, Events
from tests.fake_systemd import Systemd

CONFIG = """
[speaker]
library = "silent"
[state]
directory = "state"
[block]
button = 4
"""


async def test_without_a_state_directory_only_the_bank_has_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG.replace('"state"', '"state/of/the/table"') + "[apple]\nlever = 22\nmotor = 12\n[bank]\n")
    (tmp_path / "state").write_text("a file")
    events_seen: list[EmittedEvent] = []

    @contextmanager
    def noting(events: Events) -> Iterator[None]:
        events.listen(events_seen.append)
        yield

    monkeypatch.setattr(module, "event_lines", noting)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    asyncio.get_running_loop().call_later(10, signal.raise_signal, signal.SIGTERM)
    await run(config, as_json=True)
    faults = [event.fields for event in events_seen if event.name == "fault"]
    assert [fault["part"] for fault in faults] == ["ledger"]
    assert "state/of/the" in str(faults[0]["cause"])
    assert "ready" in [event.fields.get("name") for event in events_seen]


async def test_only_a_good_config_is_used_at_start_and_reload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    control_socket = tmp_path / "state" / SOCKET_NAME

    async def reload_with(text: str) -> dict[str, object]:
        config.write_text(text)
        await asyncio.sleep(1)
        signal.raise_signal(signal.SIGHUP)
        await asyncio.sleep(1)
        async with await ControlClient.connect(control_socket) as table:
            snapshot: dict[str, object] = await table.request("snapshot")
        return snapshot

    with closing(Systemd(str(tmp_path / "notify"))) as systemd:
        (tmp_path / "state").mkdir()
        (tmp_path / "state" / LAST_GOOD_NAME).write_text(CONFIG)
        config.write_text(CONFIG + "oops")
        playing = asyncio.create_task(run(config, as_json=False))
        await asyncio.sleep(2)
        async with await ControlClient.connect(control_socket) as table:
            assert "config" in (await table.request("snapshot"))["faults"], "it plays with the last good one"
        bad = await reload_with(CONFIG.replace("button = 4", "button = 99"))
        assert "config" in str(bad["faults"])
        assert bad["apple"] is None
        blocked = await reload_with(CONFIG.replace('"state"', '"table.toml/state"'))
        assert "state" in str(blocked["faults"])
        good = await reload_with(CONFIG + "[apple]\nlever = 22\n")
        assert good["faults"] == {}
        assert good["apple"] is not None
        signal.raise_signal(signal.SIGTERM)
        await playing
        events_seen = [line for message in systemd.told() for line in message.splitlines()]
    assert [line for line in events_seen if line in ("READY=1", "RELOADING=1", "STOPPING=1")] == [
        "READY=1",
        *["RELOADING=1", "READY=1"] * 3,
        "STOPPING=1",
    ]
    assert (tmp_path / "state" / LAST_GOOD_NAME).read_text() == config.read_text()


LOADED = """
import sys
import reboard.commands.run
from reboard.accessories.installed import accessories
accessories()
print(*sys.modules)
made = {each for name, module in sys.modules.items() if name.startswith("reboard") for each in vars(module).values()
        if isinstance(each, type) and "__dataclass_params__" in vars(each) and each.__dataclass_params__.init}
print(*sorted(each.__qualname__ for each in made))
from importlib.util import find_spec
assert all(map(find_spec, ["ssl", "asyncio.sslproto"])), "a plug-in may look for them"
import ssl
"""


@pytest.mark.realtime
def test_a_table_starts_without_openssl_and_without_generated_dataclasses() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=60)
    modules, generated = done.stdout.split("\n")[:2]
    assert "reboard.table" in modules.split()
    assert not {"_ssl", "hashlib", "_hashlib"} & {*modules.split()}
    assert generated == ""


CONNECTED = """
import sys
import reboard.commands.run
print("_ssl" in sys.modules)

import asyncio, ssl
async def connect():
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    await asyncio.open_connection("127.0.0.1", port, ssl=ssl.create_default_context())
try:
    asyncio.run(connect())
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.realtime
def test_a_plug_in_can_connect_with_tls() -> None:
    done = subprocess.run([sys.executable, "-c", CONNECTED], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["False", "ConnectionResetError"]
