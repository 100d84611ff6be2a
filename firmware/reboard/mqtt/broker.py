"""One connection to an MQTT 5 broker, from paho's network thread to the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt import properties as property_types
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from reboard.config.mqtt import BrokerAddress
from reboard.mqtt.broker_errors import FIRST_FAILURE, BrokerError, Cause, ended, reason, rejected, unreachable
from reboard.mqtt.broker_login import password, tls
from reboard.mqtt.topics import LARGEST_PAYLOAD_BYTES

log = logging.getLogger(__name__)

ANSWER_S = 10.0
"""The maximum time for the connection and for the broker's answer, in seconds."""
KEEPALIVE_S = 15
"""The time without a message after which the client tests the connection, in seconds.

A broker that hangs is noticed after one to two of these times."""
END_S = 2.0
"""The time that paho's thread has to end, in seconds. A broker that reads nothing can keep it longer."""
MOST_UNREAD = 500
"""The maximum number of received messages that wait to be read. Then the network thread waits, too."""
MOST_UNACKNOWLEDGED = 200
"""The maximum number of received messages that are not acknowledged yet."""
MOST_IN_FLIGHT = 20
"""The maximum number of sent messages that the broker has not acknowledged yet: mosquitto's own limit."""
LARGEST_PACKET_BYTES = LARGEST_PAYLOAD_BYTES + 4096


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """A received message. Acknowledge it with `BrokerConnection.acknowledge`."""

    topic: str
    payload: bytes
    qos: int
    mid: int
    is_retained: bool
    response_topic: str | None
    correlation: bytes | None


@dataclass(frozen=True, slots=True)
class Will:
    """The message that the broker publishes, retained, when the connection is lost."""

    topic: str
    payload: bytes


def _text(buffer: bytes, _: int) -> tuple[str, int]:
    """Read a text of a message's properties. paho's own function fails at U+FEFF, which MQTT allows."""
    length = int.from_bytes(buffer[:2])
    return buffer[2 : 2 + length].decode(errors="replace"), 2 + length


property_types.readUTF = _text


class _Client(paho.Client):
    """paho's client, which reports the end of its thread. After an unexpected exception, paho does not."""

    ended: Callable[[], None]

    def loop_forever(self, timeout: float = 1.0, retry_first_connection: bool = False) -> MQTTErrorCode:
        try:
            return super().loop_forever(timeout, retry_first_connection)
        finally:
            self.ended()


@asynccontextmanager
async def connected(
    address: BrokerAddress, client_id: str, *, will: Will | None = None, session_s: int = 0
) -> AsyncIterator[BrokerConnection]:
    """Connect to the broker at *address*, and disconnect at the end.

    The broker keeps the session for *session_s* seconds after the end. With 0, it forgets the session, and forgets the
    previous session at the beginning. Raises `BrokerError` if connecting fails.
    """
    connection = BrokerConnection(address, client_id)
    await connection.open(will, session_s)
    try:
        yield connection
    finally:
        await connection.close()


class BrokerConnection:
    """A connection to the broker at *address*, for use on one event loop. `connected` opens and closes it.

    It never connects again by itself: a new connection begins with an empty queue.
    """

    def __init__(self, address: BrokerAddress, client_id: str) -> None:
        self._address = address
        self._loop = asyncio.get_running_loop()
        self._client_id = client_id
        self._client = _Client(
            CallbackAPIVersion.VERSION2,
            client_id=client_id,
            protocol=paho.MQTTv5,
            reconnect_on_failure=False,
            manual_ack=True,
        )
        self._client.ended = lambda: self._later(self._set_disconnected, None)
        self._lost: asyncio.Future[None] = self._loop.create_future()
        self._lost.add_done_callback(lambda lost: lost.cancelled() or lost.exception())
        self._answered: asyncio.Future[None] = self._loop.create_future()
        self._publishing: dict[int, asyncio.Future[Any]] = {}
        self._subscribing: dict[int, asyncio.Future[Any]] = {}
        self._received: deque[ReceivedMessage] = deque()
        self._has_received = asyncio.Event()
        self._room = threading.BoundedSemaphore(MOST_UNREAD)
        self._is_closing = False

    async def open(self, will: Will | None, session_s: int) -> None:
        """Connect and wait for the broker's answer. Raises `BrokerError`."""
        client, address = self._client, self._address
        if address.user is not None:
            client.username_pw_set(address.user, password(address))
        if address.ca is not None:
            client.tls_set_context(tls(address.ca))
        if will:
            client.will_set(will.topic, will.payload, qos=1, retain=True)
        client.max_inflight_messages_set(MOST_IN_FLIGHT)
        client.connect_timeout = ANSWER_S
        # paho calls these on its thread
        client.on_connect = lambda client, data, flags, code, _: self._later(self._set_connected, code.value)
        client.on_disconnect = lambda client, data, flags, code, _: self._later(
            self._set_disconnected, code.value if flags.is_disconnect_packet_from_server else None
        )
        client.on_publish = lambda client, data, mid, code, _: self._later(_settle, self._publishing, mid, code.value)
        client.on_subscribe = lambda client, data, mid, codes, _: self._later(
            _settle, self._subscribing, mid, [code.value for code in codes]
        )
        client.on_message = self._on_message
        properties = _properties(
            PacketTypes.CONNECT,
            SessionExpiryInterval=session_s,
            ReceiveMaximum=MOST_UNACKNOWLEDGED,
            MaximumPacketSize=LARGEST_PACKET_BYTES,
        )
        try:
            await asyncio.to_thread(
                client.connect,
                address.host,
                address.port,
                keepalive=KEEPALIVE_S,
                clean_start=session_s == 0,
                properties=properties,
            )
        except (OSError, ValueError) as error:
            raise unreachable(address, error) from error
        client.loop_start()
        try:
            async with asyncio.timeout(ANSWER_S):
                await asyncio.wait({self._answered, self._lost}, return_when=asyncio.FIRST_COMPLETED)
            await (self._answered if self._answered.done() else self._lost)
        except TimeoutError:
            await self.close()
            raise BrokerError(
                f"the program at {address} accepts connections, but does not answer as an MQTT broker: check the "
                "broker's address and port",
                Cause.UNREACHABLE,
            ) from None
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Disconnect, so that the broker does not publish the will. Can be called more than once."""
        if self._is_closing:
            return
        self._is_closing = True
        self._client.disconnect()
        ending = asyncio.ensure_future(asyncio.to_thread(self._client.loop_stop))
        await asyncio.wait({ending}, timeout=END_S)
        if not ending.done() and (stuck := self._client.socket()):
            with contextlib.suppress(OSError):
                stuck.close()
        await ending
        client = self._client
        # without a cycle of references, the client closes its sockets now
        del client.ended
        client.on_connect = client.on_disconnect = client.on_publish = client.on_subscribe = client.on_message = None
        self._set_lost(BrokerError(f"the connection to the broker at {self._address} was closed"))

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        qos: int = 1,
        retain: bool = False,
        correlation: bytes | None = None,
    ) -> asyncio.Future[int]:
        """Send a message. The future returns the broker's reason code, or raises `BrokerError` if the connection ends.

        With a *qos* of 0, the broker does not answer, and the code is `DELIVERED` when the message is sent.
        """
        answer: asyncio.Future[int] = self._loop.create_future()
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        if self._lost.done():
            answer.set_exception(self._why_lost())
            return answer
        properties = None if correlation is None else _properties(PacketTypes.PUBLISH, CorrelationData=correlation)
        sent = self._client.publish(topic, payload, qos=qos, retain=retain, properties=properties)
        if sent.rc == paho.MQTT_ERR_SUCCESS:
            # the loop takes the answer only after this, whichever thread is faster
            self._publishing[sent.mid] = answer
        else:
            answer.set_exception(BrokerError(f"the broker at {self._address}: {paho.error_string(sent.rc)}"))
        return answer

    async def subscribe(self, *filters: str, keeps_retain: bool = False) -> None:
        """Subscribe to topics. Raises `BrokerError` if the broker refuses one, or the connection is lost.

        With *keeps_retain*, a message that arrives live counts as retained too if it was published so.
        mosquitto grants a subscription that its access list forbids, and then sends nothing.
        """
        options = SubscribeOptions(qos=1, retainAsPublished=keeps_retain)
        code, mid = self._client.subscribe([(name, options) for name in filters])
        if code != paho.MQTT_ERR_SUCCESS or mid is None:
            raise BrokerError(f"the broker at {self._address}: {paho.error_string(code)}")
        answer = self._subscribing[mid] = self._loop.create_future()
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        for name, result in zip(filters, await answer, strict=True):
            if result >= FIRST_FAILURE:
                raise BrokerError(
                    f"the broker at {self._address} does not let user {self._address.user} subscribe to {name} "
                    f"({reason(result)})"
                )

    async def receive(self, most: int = 1) -> list[ReceivedMessage]:
        """Wait for messages, and return up to *most* of them. Raises `BrokerError` if the connection is lost."""
        while not self._received:
            if self._lost.done():
                raise self._why_lost()
            await self._has_received.wait()
            self._has_received.clear()
        messages = [self._received.popleft() for _ in range(min(most, len(self._received)))]
        for _ in messages:
            self._room.release()
        return messages

    def acknowledge(self, message: ReceivedMessage) -> None:
        """Report to the broker that *message* is processed, so that it does not send it again."""
        if message.qos:
            self._client.ack(message.mid, message.qos)

    async def lost(self) -> None:
        """Wait until the connection is lost, and raise `BrokerError`."""
        await asyncio.shield(self._lost)

    def _later(self, callback: Callable[..., None], *args: object) -> None:
        """Call *callback* on the event loop."""
        with contextlib.suppress(RuntimeError):  # the loop was closed
            self._loop.call_soon_threadsafe(callback, *args)

    def _on_message(self, client: paho.Client, _: Any, message: paho.MQTTMessage) -> None:
        while not self._room.acquire(timeout=1):
            if self._is_closing:
                return
        try:
            topic = message.topic
        except UnicodeDecodeError:
            topic = ""
        properties = message.properties
        received = ReceivedMessage(
            topic,
            bytes(message.payload),
            message.qos,
            message.mid,
            message.retain,
            getattr(properties, "ResponseTopic", None),
            getattr(properties, "CorrelationData", None),
        )
        self._later(self._keep, received)

    def _set_connected(self, code: int) -> None:
        if code >= FIRST_FAILURE:
            self._set_lost(rejected(self._address, code))
        elif not self._answered.done():
            self._answered.set_result(None)

    def _set_disconnected(self, code: int | None) -> None:
        self._set_lost(ended(self._address, self._client_id, code, was_connected=self._answered.done()))

    def _keep(self, message: ReceivedMessage) -> None:
        self._received.append(message)
        self._has_received.set()

    def _set_lost(self, error: BrokerError) -> None:
        if self._lost.done():
            return
        self._lost.set_exception(error)
        self._has_received.set()
        waiting: list[asyncio.Future[Any]] = [*self._publishing.values(), *self._subscribing.values()]
        for answer in waiting:
            if not answer.done():
                answer.set_exception(error)

    def _why_lost(self) -> BrokerError:
        error = self._lost.exception()
        assert isinstance(error, BrokerError)
        return error


def _settle(waiting: dict[int, asyncio.Future[Any]], mid: int, result: object) -> None:
    if (answer := waiting.pop(mid, None)) and not answer.done():
        answer.set_result(result)


def _properties(packet: int, **values: object) -> Properties:
    properties = Properties(packet)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(properties, name, value)
    return properties
