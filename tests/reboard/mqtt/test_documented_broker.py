"""The broker that the document describes: its script is run, its settings and access list are kept."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reboard.config.mqtt import BrokerAddress, MqttConfig
from reboard.mqtt.bridge import Bridge
from reboard.mqtt.broker import connected
from reboard.mqtt.broker_errors import DELIVERED, FORBIDDEN, BrokerError
from tests.mosquitto import MOSQUITTO, Mosquitto
from tests.reboard.mqtt.fake_table import open_table

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(MOSQUITTO is None and os.environ.get("REBOARD_MOSQUITTO") != "required", reason="no mosquitto"),
]

TREE = Path(__file__).parents[3]
SECTION = (TREE / "docs" / "mqtt.md").read_text(encoding="utf-8").partition("## The broker")[2]
TABLE, REQUEST = re.findall(r"^```\w*\n(.*?)^```", SECTION, re.DOTALL | re.MULTILINE)[:2]
[COMMAND] = re.findall(r"^    sh (broker.sh .*)$", SECTION, re.MULTILINE)

ADDRESS = "192.168.1.10"


class Documented:
    """The broker with the files that the document's script has made in *folder*."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mosquitto = Mosquitto(folder)
        self.port = self.mosquitto.port
        settings = folder / "mosquitto.conf"
        self.set_up = f"FOLDER={folder} SETTINGS={settings} sh {TREE / 'examples'}/{COMMAND}"
        self.run(self.set_up)
        owner = "user root\n" if os.geteuid() == 0 else ""
        settings.write_text(settings.read_text().replace("8883", str(self.port)) + owner)

    def run(self, commands: str) -> str:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        shell = ["sh", "-euc", self._here(commands).replace("8883", str(self.port))]
        done = subprocess.run(shell, cwd=self.folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def config(self) -> MqttConfig:
        section = tomllib.loads(TABLE)["mqtt"]
        password_file = self.folder / f"{section['user']}.password"
        return MqttConfig(
            section["broker"].replace(ADDRESS, "127.0.0.1"),
            self.port,
            str(self.folder / Path(section["ca"]).name),
            section["user"],
            password_file,
            section["table"],
            requests=True,
        )

    def address(self, user: str) -> BrokerAddress:
        return replace(self.config().address, user=user, password_file=self.folder / f"{user}.password")

    def _here(self, text: str) -> str:
        return text.replace("/etc/mosquitto/reboard", str(self.folder)).replace(ADDRESS, "127.0.0.1")


def test_another_table_changes_neither_certificate_nor_passwords(tmp_path: Path) -> None:
    broker = Documented(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in ("ca.crt", "passwords", "table-1.password")}
    broker.run(f"{broker.set_up} table-3")
    assert before.pop("passwords") in (tmp_path / "passwords").read_bytes()
    assert before == {name: (tmp_path / name).read_bytes() for name in before}
    assert "table-3" in (tmp_path / "acl").read_text()


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Documented]:
    broker = Documented(tmp_path_factory.mktemp("broker"))
    broker.mosquitto.start()
    yield broker
    broker.mosquitto.close()


async def test_each_table_has_its_password_and_its_topics(documented: Documented) -> None:
    async with connected(documented.address("hall"), "hall") as hall:
        await hall.subscribe("reboard/+/transfer")
        async with connected(documented.address("table-1"), "table-1") as table:
            assert await table.publish("reboard/table-1/transfer", b"{}") == DELIVERED
            assert await table.publish("reboard/table-2/transfer", b"{}") == FORBIDDEN
    for wrong in (
        replace(documented.address("table-1"), user="table-2"),
        replace(documented.address("table-1"), ca="system"),
        replace(documented.address("table-1"), user=None, password_file=None),
    ):
        with pytest.raises(BrokerError):
            async with connected(wrong, "wrong"):
                pass


@pytest.mark.skipif(shutil.which("mosquitto_rr") is None, reason="the package mosquitto-clients is not installed")
async def test_the_shown_request_is_answered(documented: Documented, tmp_path: Path) -> None:
    socket = tmp_path / "table.sock"
    async with open_table(socket) as table, connected(documented.address("hall"), "hall") as hall:
        await hall.subscribe("reboard/table-1/availability")
        bridge = asyncio.create_task(Bridge(socket, documented.config(), tmp_path / "cursor").run())
        while (await hall.receive())[0].payload != b"online":
            pass
        answer = await asyncio.to_thread(documented.run, REQUEST)
        bridge.cancel()
        await asyncio.wait({bridge})
    assert answer.strip() == '{"ok":null}'
    assert table.requests == [("volume", {"level": 1, "by": "maria over MQTT"})]
