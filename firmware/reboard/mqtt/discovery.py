"""Home Assistant's discovery of a table: one message with the entities that the accessories declare.

See "Device discovery" in https://www.home-assistant.io/integrations/mqtt.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from reboard.accessories.entity import Entity, Platform, entities_of_state
from reboard.accessories.installed import accessories
from reboard.accessories.table_vocabulary import Table
from reboard.errors import PLUG_IN_ERRORS, Repeats
from reboard.mqtt.broker import BrokerConnection
from reboard.mqtt.broker_errors import FIRST_FAILURE, reason
from reboard.mqtt.topics import TopicLevel, topic
from reboard.strict_json import encoded, plain
from reboard.version import __version__, source_address

log = logging.getLogger(__name__)

STATUS_TOPIC = "homeassistant/status"
"""The topic on which Home Assistant says `HOME_ASSISTANT_ONLINE` when it starts."""

HOME_ASSISTANT_ONLINE = b"online"
KEY = re.compile("[a-z0-9_]{1,32}")

SETTLE_S = 2.0
"""The least time between two discovery messages, in seconds.

Home Assistant loses the later entities of a message that arrives while it still adds the first ones of the last one."""

MOST_ENTITY_BYTES = 64 * 1024
"""The maximum length of the entities of an accessory, as JSON."""


class Discovery:
    """The discovery message of the table *name* with the accessories *fitted*, in a *language*."""

    def __init__(self, name: str, fitted: Iterable[str], language: str) -> None:
        self._name = name
        self._fitted = frozenset(fitted)
        self._language = language
        self._bugs = Repeats()

    def message(self, state: Mapping[str, Any]) -> str:
        """Return the message for the shared *state* of the table, as JSON.

        An entity that is not there, or whose accessory the table does not have, is reduced to its platform, which
        makes Home Assistant remove it. Leaving it out would not.
        """
        components = self._components("table", entities_of_state(Table, self._language), is_fitted=True)
        for name, accessory in accessories().items():
            try:
                entities = list(accessory.entities(state, self._language))
                components |= self._components(name, entities, is_fitted=name in self._fitted)
            except PLUG_IN_ERRORS as error:  # a plug-in must not take the entities of the others with it
                self._bugs.report(log, f"the entities of {name} failed because of a bug", error)
        device = {
            "identifiers": [f"reboard_{self._name}"],
            "name": self._name,
            "manufacturer": "reboard",
            "model": ", ".join(accessory.title for name, accessory in accessories().items() if name in self._fitted),
            "sw_version": __version__,
        }
        message = {
            "device": device,
            "origin": {"name": "reboard", "sw_version": __version__, "support_url": source_address()},
            "availability_topic": topic(self._name, TopicLevel.AVAILABILITY),
            "qos": 1,
            "components": components,
        }
        return encoded(message).decode()

    def _components(self, accessory: str, entities: Iterable[Entity], *, is_fitted: bool) -> dict[str, object]:
        components: dict[str, object] = {}
        for entity in entities:
            if not KEY.fullmatch(entity.key) or entity.platform not in get_args(Platform):
                raise ValueError(f"the entity {entity.key!r} has a key or a platform that Home Assistant does not know")
            key = f"{accessory}_{entity.key}"
            is_present = is_fitted and entity.is_present
            components[key] = self._settings(key, entity) if is_present else {"platform": entity.platform}
        checked: dict[str, object] = plain(components, "its entities", most_bytes=MOST_ENTITY_BYTES)
        return checked

    def _settings(self, key: str, entity: Entity) -> dict[str, object]:
        source = topic(self._name, TopicLevel.EVENT if entity.platform == "event" else TopicLevel.STATE)
        unique_id = f"reboard_{self._name}_{key}"
        attributes = {"json_attributes_topic": source, "json_attributes_template": entity.attributes}
        return {
            **entity.settings,
            "platform": entity.platform,
            "name": entity.name,
            "unique_id": unique_id,
            # Home Assistant has the first since 2025.10, and the second until 2026.3
            "default_entity_id": f"{entity.platform}.{unique_id}",
            "object_id": unique_id,
            "state_topic": source,
            "value_template": entity.value,
            **(attributes if entity.attributes else {}),
        }


class DiscoveryPublisher:
    """Publishes the messages of *discovery* over one connection. Without *discovery*, it removes the table's device."""

    def __init__(self, connection: BrokerConnection, name: str, discovery: Discovery | None) -> None:
        self._connection = connection
        self._topic = discovery_topic(name)
        self._discovery = discovery
        self._state: Mapping[str, Any] | None = None
        self._published: str | None = None
        self._has_news = asyncio.Event()

    def update(self, state: Mapping[str, Any]) -> None:
        """Publish the message for the shared *state* soon, if it differs from the last one."""
        self._state = state
        self._has_news.set()

    def repeat(self) -> None:
        """Publish the message again soon, because Home Assistant has started."""
        self._published = None
        self._has_news.set()

    async def run(self) -> None:
        """Publish until cancelled. Raises `BrokerError` if the connection is lost."""
        while True:
            await self._has_news.wait()
            self._has_news.clear()
            if self._state is None:
                continue
            message = self._discovery.message(self._state) if self._discovery else ""
            if message == self._published:
                continue
            code = await self._connection.publish(self._topic, message.encode(), retain=True)
            self._published = message
            if code >= FIRST_FAILURE and self._discovery:
                remedy = "let the table write it, as `reboard mqtt acl` prints, or set discovery = false in [mqtt]"
                log.warning("the broker does not accept %s (%s): %s", self._topic, reason(code), remedy)
            await asyncio.sleep(SETTLE_S)


def discovery_topic(name: str) -> str:
    """Return the topic of the discovery message of the table *name*."""
    return f"homeassistant/device/reboard_{name}/config"
