"""A test of the broker's settings: whether it accepts the login, and what its access list lets the table publish."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from reboard.config.mqtt import MqttConfig
from reboard.mqtt.broker import connected
from reboard.mqtt.broker_errors import unreachable
from reboard.mqtt.topics import TopicLevel, topic

PROBED = (TopicLevel.TRANSFER, TopicLevel.HEAD, TopicLevel.EVENT)
"""The kinds of messages whose publishing is tried. An empty one of these means nothing to a receiver."""
PROBE_S = 6.0
"""The maximum time of a probe, in seconds. With the time that disconnecting can take, the doctor still waits for it."""


async def probe(config: MqttConfig) -> Mapping[TopicLevel, int]:
    """Connect to the broker, publish an empty message of each kind, and return the broker's reason codes.

    The bridge can be connected at the same time. Raises `BrokerError` if the connection fails, or the broker hangs.
    """
    try:
        async with (
            asyncio.timeout(PROBE_S),
            connected(config.address, f"reboard-check-{config.table_name}") as broker,
        ):
            return {kind: await broker.publish(topic(config.table_name, kind), b"") for kind in PROBED}
    except TimeoutError as error:
        raise unreachable(config.address, error) from None
