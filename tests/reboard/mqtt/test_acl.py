"""The access list, as a real mosquitto keeps it: who can write and read what."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from reboard.mqtt.acl import access_list
from reboard.mqtt.broker import BrokerConnection, connected
from reboard.mqtt.broker_errors import FORBIDDEN, NO_SUBSCRIBER
from tests.mosquitto import MakeMosquitto, Mosquitto

pytestmark = pytest.mark.realtime

ACL = access_list(["one", "two"], halls=["hall"], home_assistants=["home"], organisers=["maria", "home"])
USERS = dict.fromkeys(["one", "two", "hall", "home", "maria", "guest"], "secret")

WRITES = {
    "one": {
        *(f"reboard/one/{kind}" for kind in ("availability", "state", "transfer", "head", "event", "response/maria")),
        "homeassistant/device/reboard_one/config",
    },
    "hall": {"reboard/one/have"},
    "home": {"homeassistant/status", "homeassistant/device/reboard_one/config", "reboard/one/request/home"},
    "maria": {"reboard/one/request/maria"},
}
TOPICS = sorted(set().union(*WRITES.values()))

LAST = "homeassistant/status"
"""The topic that everyone reads."""

READS = {
    "one": {"reboard/one/have", "reboard/one/request/home", "reboard/one/request/maria"},
    "two": set(),
    "hall": {f"reboard/one/{kind}" for kind in ("availability", "state", "transfer", "head", "event")},
    "home": {f"reboard/one/{kind}" for kind in ("availability", "state", "event")}
    | {"homeassistant/device/reboard_one/config"},
    "maria": {"reboard/one/response/maria"},
}


async def sign_in(broker: Mosquitto, stack: AsyncExitStack) -> dict[str, BrokerConnection]:
    return {user: await stack.enter_async_context(connected(broker.address(user), user)) for user in USERS}


async def test_nobody_writes_for_another(make_mosquitto: MakeMosquitto) -> None:
    async with AsyncExitStack() as stack:
        clients = await sign_in(make_mosquitto(users=USERS, acl=ACL), stack)
        for user, client in clients.items():
            codes = {topic: await client.publish(topic, b"{}") for topic in TOPICS}
            written = {topic for topic, code in codes.items() if code == NO_SUBSCRIBER}
            assert written == WRITES.get(user, set()), user
            assert set(codes.values()) <= {NO_SUBSCRIBER, FORBIDDEN}
        # nor is a hall or an organiser a table
        for user in ("hall", "home", "maria"):
            assert await clients[user].publish(f"reboard/{user}/state", b"{}") == FORBIDDEN


async def test_everyone_reads_what_is_theirs(make_mosquitto: MakeMosquitto) -> None:
    async with AsyncExitStack() as stack:
        clients = await sign_in(make_mosquitto(users=USERS, acl=ACL), stack)
        for client in clients.values():
            await client.subscribe("reboard/#", "homeassistant/#")
        for writer, topics in WRITES.items():
            for topic in topics - {LAST}:
                await clients[writer].publish(topic, b"{}")
        await clients["home"].publish(LAST, b"online")
        for user, wanted in READS.items():
            seen: list[str] = []
            while LAST not in seen:
                seen += [message.topic for message in await clients[user].receive(100)]
            assert set(seen) == wanted | {LAST}, user
