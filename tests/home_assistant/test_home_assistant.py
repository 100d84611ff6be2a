"""A table in the real Home Assistant: what it shows of a game, the shown automation, and a command back."""

from __future__ import annotations

import asyncio
import re
import textwrap
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from reboard.config.mqtt import MqttConfig
from reboard.mqtt.acl import access_list
from reboard.mqtt.bridge import Bridge
from reboard.mqtt.broker import connected
from reboard.mqtt.discovery import Discovery, discovery_topic
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import OUR_WIRING, Scene
from tests.home_assistant.home import HASS, Home
from tests.home_assistant.pictures import take_pictures
from tests.mosquitto import MakeMosquitto, Mosquitto

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(not HASS.exists(), reason="Home Assistant is not installed: make test-home-assistant does it"),
]

DOCUMENT = (Path(__file__).parents[2] / "docs" / "home-assistant.md").read_text(encoding="utf-8")
AUTOMATION, GAME_OVER, COMMAND = re.findall(r"^```yaml\n(.*?)^```", DOCUMENT, re.DOTALL | re.MULTILINE)

USERS = {"table-1": "a", "homeassistant": "b"}
ACL = access_list(["table-1"], home_assistants=["homeassistant"], organisers=["homeassistant"])

# a light, how often it was switched, and a button for the command
CONFIGURATION = f"""
input_boolean: {{lamp: }}
input_button: {{new_game: }}
counter: {{switched: , ended: }}
light:
  - platform: template
    lights:
      living_room:
        value_template: "{{{{ is_state('input_boolean.lamp', 'on') }}}}"
        turn_on: {{action: input_boolean.turn_on, target: {{entity_id: input_boolean.lamp}}}}
        turn_off: {{action: input_boolean.turn_off, target: {{entity_id: input_boolean.lamp}}}}
automation:
  -
{textwrap.indent(AUTOMATION, "    ")}
  - alias: Count
    mode: queued
    max: 100
    triggers: [{{trigger: state, entity_id: light.living_room, from: ["on", "off"], to: ["on", "off"]}}]
    actions: [{{action: counter.increment, target: {{entity_id: counter.switched}}}}]
  - alias: The end
    triggers:
      -
{textwrap.indent(GAME_OVER, "        ")}
    actions: [{{action: counter.increment, target: {{entity_id: counter.ended}}}}]
  - alias: The button
    triggers: [{{trigger: state, entity_id: input_button.new_game}}]
    actions:
      -
{textwrap.indent(COMMAND, "        ")}
"""

TABLE = "reboard_table_1"
BALANCE = f"sensor.{TABLE}_bank_card_{{}}"
LEADER = f"sensor.{TABLE}_bank_leader"
GAME = f"sensor.{TABLE}_bank_game"
TRANSFER = f"sensor.{TABLE}_bank_last_transfer"
DEAL = f"binary_sensor.{TABLE}_bank_deal"
OUTCOME = f"event.{TABLE}_block_outcome"
WORMS = f"binary_sensor.{TABLE}_apple_worms"
FAULTS = f"binary_sensor.{TABLE}_table_faults"


class Evening:
    """A virtual table with its bridge, beside a real broker and a real Home Assistant."""

    def __init__(self, folder: Path, broker: Mosquitto) -> None:
        # every press brings the same
        odds = "{ coins = [0], laugh = 0, power_up = 0, game_over = 1 }"
        self._scene = Scene.load(OUR_WIRING, folder / "state").changed("block.odds", odds)
        self._folder = folder
        self._socket = folder / "table.sock"
        self._broker = broker
        self._bridge: asyncio.Task[None] | None = None
        self.home = Home(folder / "home-assistant", CONFIGURATION)

    @asynccontextmanager
    async def begun(self) -> AsyncIterator[Evening]:
        async with self.home.running():
            self._table = await asyncio.to_thread(TableThread, self._scene, seed=1, socket=self._socket)
            try:
                yield self
            finally:
                await self.disconnect()
                await asyncio.to_thread(self._table.close)

    async def act(self, *lines: str) -> None:
        assert await asyncio.wrap_future(self._table.do([*lines]))

    def connect(self) -> None:
        address = self._broker.address("table-1")
        config = MqttConfig(
            address.host,
            address.port,
            user=address.user,
            password_file=address.password_file,
            table="table-1",
            requests=True,
        )
        discovery = Discovery("table-1", self._scene.config().sections, "en")
        bridge = Bridge(self._socket, config, self._folder / "cursor", discovery)
        self._bridge = asyncio.create_task(bridge.run())

    async def disconnect(self) -> None:
        if self._bridge:
            self._bridge.cancel()
            await asyncio.wait({self._bridge})

    async def forget_discovery(self) -> None:
        async with connected(self._broker.address("homeassistant"), "test") as client:
            await client.publish(discovery_topic("table-1"), b"", retain=True)


async def test_a_game_in_home_assistant(tmp_path: Path, make_mosquitto: MakeMosquitto) -> None:
    broker = make_mosquitto(users=USERS, acl=ACL)
    async with Evening(tmp_path, broker).begun() as evening:
        home = evening.home
        await home.onboard()
        await home.add_mqtt(
            broker="127.0.0.1", port=broker.port, username="homeassistant", password=USERS["homeassistant"]
        )
        evening.connect()
        await _play(evening, home)
        await take_pictures(home, "home-assistant")
        await _come_and_go(evening, home)
        assert "template" not in home.log.read_text().lower(), home.log.read_text()


async def _play(evening: Evening, home: Home) -> None:
    await evening.act("insert left 1", "insert right 2", "type 1.5M")
    await home.shows(BALANCE.format(1), "16500000", shown="16.5M", friendly_name="table-1 Card 1")
    await home.shows(BALANCE.format(2), "13500000")
    await home.shows(BALANCE.format(3), None)
    await home.shows(LEADER, "Card 1")
    await home.shows(TRANSFER, "1.5M: Card 2 → Card 1", amount=1_500_000)
    await home.shows(GAME, "1", over=False)
    await home.shows(DEAL, "off")
    await evening.act("key DEAL")
    await home.shows(DEAL, "on")
    await evening.act("key C")
    await home.shows(DEAL, "off")
    await evening.act("pull lever", "release lever")
    await home.shows(WORMS, "on")

    await home.shows(OUTCOME, "unknown")
    await evening.act("press block")
    await home.shows("counter.switched", "6")
    seen = (await home.states())[OUTCOME]
    assert seen["attributes"]["event_type"] == "game_over"
    await home.shows("light.living_room", "off")

    await home.shows(FAULTS, "off")
    await evening.act("fault reader left")
    await home.shows(FAULTS, "on")
    assert "left slot" in (await home.states())[FAULTS]["attributes"]
    await evening.act("mend reader left")
    await home.shows(FAULTS, "off")

    await home.shows("counter.ended", "0")
    await _request(home, '{"do": "end_game", "game": 1}')
    await home.shows(GAME, "1", over=True)
    await home.shows("counter.ended", "1")


async def _come_and_go(evening: Evening, home: Home) -> None:
    # a bridge that is away, and comes back: the light does not blink for an outcome of before
    await evening.disconnect()
    await home.shows(BALANCE.format(1), "unavailable")
    evening.connect()
    await home.shows(BALANCE.format(1), "16500000")

    await home.call("POST", "/api/services/input_button/press", json={"entity_id": "input_button.new_game"})
    await home.shows(GAME, "2", over=False)
    await home.shows(BALANCE.format(2), "15000000")

    # a bankrupt player leaves, and the game is over; C takes it back
    await evening.act("type 1M", "hold GO 1.6", "key 2", "key GO")
    await home.shows(BALANCE.format(2), None)
    await home.shows(BALANCE.format(1), "30000000")
    await home.shows("counter.ended", "2")
    await evening.act("key C", "key GO")
    await home.shows(BALANCE.format(2), "14000000")

    # Home Assistant restarts, and the broker has lost the message: it is published again
    await evening.forget_discovery()
    await home.shows(BALANCE.format(1), None)
    await home.stop()
    await home.start()
    await home.shows(BALANCE.format(1), "16000000")
    await home.shows("counter.switched", "6")


async def _request(home: Home, payload: str) -> None:
    message = {"topic": "reboard/table-1/request/homeassistant", "payload": payload}
    await home.call("POST", "/api/services/mqtt/publish", json=message)
