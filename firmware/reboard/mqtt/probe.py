"""A test of the broker's settings: whether it accepts the login, and what its access list lets the table publish."""

from __future__ import annotations

from collections.abc import Mapping

from reboard.config.mqtt import MqttConfig
from reboard.mqtt.broker import connected
from reboard.mqtt.topics import Kind, topic

PROBED = (Kind.TRANSFER, Kind.HEAD, Kind.EVENT)
"""The kinds of messages whose publishing is tried. An empty one of these means nothing to a receiver."""


async def probe(config: MqttConfig) -> Mapping[Kind, int]:
    """Connect to the broker, publish an empty message of each kind, and return the broker's reason codes.

    The bridge can be connected at the same time. Raises `BrokerError` if the connection fails.
    """
    async with connected(config.address, f"reboard-check-{config.table_name}") as broker:
        return {kind: await broker.publish(topic(config.table_name, kind), b"") for kind in PROBED}
