"""The bridge: it follows a table at its control socket, and publishes it at an MQTT broker."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

from reboard.accessories.installed import all_events
from reboard.aiotools import Backoff, first_of, set_within
from reboard.config.mqtt import MqttConfig
from reboard.control.client import ControlClient
from reboard.errors import ControlSocketError, ReboardError
from reboard.mqtt.broker import BrokerConnection, ReceivedMessage, Will, connected
from reboard.mqtt.broker_errors import FIRST_FAILURE, BrokerError, Cause, reason
from reboard.mqtt.discovery import HOME_ASSISTANT_ONLINE, STATUS_TOPIC, Discovery, DiscoveryPublisher
from reboard.mqtt.outbox import PAGE, Cursor, Flight, Outbox
from reboard.mqtt.requests import Requests, ignored_log, request_topic
from reboard.mqtt.shared_state import shared_event, shared_state
from reboard.mqtt.topics import OFFLINE, ONLINE, Have, MessageError, TopicLevel, topic
from reboard.service.systemd import notify
from reboard.strict_json import encoded

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
STEADY_S = 10.0
"""The time that a connection must last for the next pause to be short again, in seconds."""
MOST_LOSSES = 2
"""The number of short connections, lost without a reason, after which two bridges may disconnect each other.

mosquitto 2.0.11 does not give the reason."""
TABLE_PAUSE_S = 2.0
"""The longest pause before the next try to connect to the table, in seconds."""
ANSWER_S = 10.0
STATE_GAP_S = 0.1
"""The shortest time between two states, in seconds."""
SETTLED_S = 0.02
"""The time from a change to the request for the state, in seconds.

A request at once would come between a press of the block and its sound, and again after what one payment changes."""
HEAD_S = 5.0
"""The time between two heads, in seconds. The bridge also looks for changes then that no event reports."""
CURSOR_S = 2.0
"""The shortest time between two writes of the cursor's file, in seconds. Each write wears the memory card."""
MOST_EVENTS = 100
"""The maximum number of events that the broker has not acknowledged yet. Further events are dropped."""
AT_ONCE = 100
MOST_ANSWERING = 16
"""The maximum number of requests from the broker that are not answered yet. Further requests get no answer."""
TRANSFER = "transfer"
"""The event that reports a new row of the ledger."""
LEDGER = "ledger"
"""The key of the ledger's name in the state, and so in the events: the numbers of their games are that ledger's."""


class Bridge:
    """The bridge between the table at the control *socket* and the broker of *config*, until `run` is cancelled.

    *cursor_file* keeps which transfers the broker has. The broker can be away for any time: the ledger keeps the
    transfers, and states and events are not kept. Without *discovery*, Home Assistant does not show the table.
    *language* is the table's.
    """

    def __init__(
        self,
        socket: Path,
        config: MqttConfig,
        cursor_file: Path,
        discovery: Discovery | None = None,
        language: str = "en",
    ) -> None:
        self._socket = socket
        self._config = config
        self._cursor_file = cursor_file
        self._discovery = discovery
        self._language = language
        self._writing = threading.Lock()
        self._saved = Cursor.load(cursor_file)
        self.outbox = Outbox(self._saved, time.monotonic)
        self.table = config.table_name
        self._requests = Requests(self.table, socket)
        self._answering: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._changed = asyncio.Event()
        self._events_on_the_way = 0
        self._ledger: dict[str, object] = {}
        self._problems: dict[str, str] = {}
        self._status = ""

    async def run(self) -> None:
        """Connect to the broker, and again after each loss, with a backoff from 1 s to 60 s."""
        pauses = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        will = Will(self._topic(TopicLevel.AVAILABILITY), OFFLINE)
        losses = 0
        while True:
            began = time.monotonic()
            steady: asyncio.TimerHandle | None = None
            try:
                async with connected(self._config.address, f"reboard-{self.table}", will=will) as broker:
                    wait_s = STEADY_S if losses >= MOST_LOSSES else 0.0
                    steady = asyncio.get_running_loop().call_later(wait_s, self._report, "broker", "")
                    log.info("the bridge is connected to the broker at %s as %s", self._config.address, self.table)
                    announcer = DiscoveryPublisher(broker, self.table, self._discovery)
                    await first_of(
                        broker.lost(),
                        self._receive(broker, announcer),
                        self._follow_tables(broker, announcer),
                        announcer.run(),
                    )
            except BrokerError as error:
                is_short = time.monotonic() - began < STEADY_S
                losses = losses + 1 if steady and is_short and error.cause is Cause.UNREACHABLE else 0
                again_and_again = (
                    f"the connection to the broker at {self._config.address} was lost again and again: does another "
                    f"table or a second bridge use the name {self.table}? Each table needs its own name and one bridge"
                )
                self._report("broker", str(error) if losses < MOST_LOSSES else again_and_again)
            finally:
                if steady:
                    steady.cancel()
                self.outbox.disconnected()
                await self._save_cursor()
            if time.monotonic() - began > STEADY_S:
                pauses.reset()
            await asyncio.sleep(pauses.next())

    async def _receive(self, broker: BrokerConnection, announcer: DiscoveryPublisher) -> None:
        requests = [request_topic(self.table)] if self._config.requests else []
        await broker.subscribe(self._topic(TopicLevel.HAVE), STATUS_TOPIC, *requests, keeps_retain=True)
        while True:
            for message in await broker.receive(AT_ONCE):
                try:
                    self._take(message, broker, announcer)
                except MessageError as error:
                    ignored_log.warning("a message at %s was ignored: %s", message.topic, error)
                broker.acknowledge(message)

    def _take(self, message: ReceivedMessage, broker: BrokerConnection, announcer: DiscoveryPublisher) -> None:
        if message.topic == self._topic(TopicLevel.HAVE):
            self.outbox.receiver_has(Have.parse(message.payload))
            self._wake.set()
        elif message.topic == STATUS_TOPIC:
            if message.payload == HOME_ASSISTANT_ONLINE:
                announcer.repeat()
        elif self._config.requests and len(self._answering) < MOST_ANSWERING:
            answering = asyncio.create_task(self._requests.serve(message, broker))
            self._answering.add(answering)
            answering.add_done_callback(self._answered)

    def _answered(self, answering: asyncio.Task[None]) -> None:
        self._answering.discard(answering)
        if not answering.cancelled() and (error := answering.exception()):
            ignored_log.warning("a request was not answered: %s", error)

    async def _follow_tables(self, broker: BrokerConnection, announcer: DiscoveryPublisher) -> None:
        """Follow the table, and again after it was switched off and on."""
        pauses = Backoff(STATE_GAP_S, TABLE_PAUSE_S)
        try:
            while True:
                try:
                    async with await ControlClient.connect(self._socket, timeout_s=ANSWER_S) as table:
                        events = await table.events()
                        self._report("table", "")
                        self._ledger = {}
                        pauses.reset()
                        await self._publish(broker, TopicLevel.AVAILABILITY, ONLINE, retain=True)
                        await first_of(
                            self._publish_events(events, broker),
                            self._publish_states(table, broker, announcer),
                            self._deliver(table, broker),
                            self._keep_cursor(),
                        )
                except BrokerError:
                    raise
                except ReboardError as error:
                    self._report("table", str(error))
                await self._publish(broker, TopicLevel.AVAILABILITY, OFFLINE, retain=True)
                await asyncio.sleep(pauses.next())
        finally:
            # leaves before the connection ends, which then needs no will
            broker.publish(self._topic(TopicLevel.AVAILABILITY), OFFLINE, retain=True)

    async def _publish_events(self, events: AsyncIterator[dict[str, Any]], broker: BrokerConnection) -> None:
        passing = {name for name, kind in all_events().items() if kind.is_passing}
        async for event in events:
            if event["event"] in passing:
                continue
            self._changed.set()
            if event["event"] == TRANSFER:
                self.outbox.look_again()
                self._wake.set()
            shared = shared_event(event, at=time.time(), names=self._config.share_names)
            if shared and self._events_on_the_way < MOST_EVENTS:
                self._events_on_the_way += 1
                sent = broker.publish(self._topic(TopicLevel.EVENT), encoded(shared | self._ledger))
                sent.add_done_callback(self._event_sent)

    def _event_sent(self, sent: asyncio.Future[int]) -> None:
        self._events_on_the_way -= 1
        if not sent.cancelled() and not sent.exception():
            self._check(TopicLevel.EVENT, sent.result())

    async def _publish_states(
        self, table: ControlClient, broker: BrokerConnection, announcer: DiscoveryPublisher
    ) -> None:
        published: dict[str, object] | None = None
        while True:
            self._changed.clear()
            snapshot = await table.request("snapshot")
            state = shared_state(snapshot, names=self._config.share_names, language=self._language)
            self._ledger = {key: value for key, value in state.items() if key == LEDGER}
            announcer.update(state)
            if state != published and await self._publish(broker, TopicLevel.STATE, encoded(state), retain=True):
                published = state
            await asyncio.sleep(STATE_GAP_S - SETTLED_S)
            await set_within(self._changed, HEAD_S)
            await asyncio.sleep(SETTLED_S)

    async def _publish(
        self, broker: BrokerConnection, kind: TopicLevel, payload: bytes, *, retain: bool = False
    ) -> bool:
        """Publish a message, and return whether the broker took it. Raises `BrokerError` if the connection is lost."""
        code = await broker.publish(self._topic(kind), payload, retain=retain)
        self._check(kind, code)
        return code < FIRST_FAILURE

    def _check(self, kind: TopicLevel, code: int) -> None:
        refused = f"the broker refuses the messages of {self._topic(kind)} ({reason(code)}): correct its access list"
        self._report(kind, refused if code >= FIRST_FAILURE else "")

    async def _deliver(self, table: ControlClient, broker: BrokerConnection) -> None:
        """Send the ledger's rows, and the head at least every `HEAD_S` seconds."""
        outbox = self.outbox
        published, due_at = None, 0.0
        outbox.look_again()
        while True:
            self._wake.clear()
            if (after := outbox.wants) is not None:
                try:
                    outbox.fill(after, await table.request("transfers", after=after, most=PAGE))
                    self._report(LEDGER, outbox.ledger_problem)
                except ControlSocketError:
                    raise
                except ReboardError as error:
                    # the table has no banker unit, or its ledger is not open at the moment
                    log.debug("the table has no transfers: %s", error)
                    self._show_status()
                    await asyncio.sleep(HEAD_S)
                    continue
            while flight := outbox.next_flight():
                sent = broker.publish(self._topic(TopicLevel.TRANSFER), flight.message.encoded())
                sent.add_done_callback(partial(self._transfer_sent, flight))
            if outbox.wants is not None:
                continue
            now = time.monotonic()
            if (head := outbox.head) and (head != published or now >= due_at):
                broker.publish(self._topic(TopicLevel.HEAD), head.encoded(), qos=0)
                published, due_at = head, now + HEAD_S
            self._show_status()
            pause_s = HEAD_S if outbox.due_s is None else min(HEAD_S, outbox.due_s)
            if not await set_within(self._wake, pause_s):
                outbox.look_again()

    def _transfer_sent(self, flight: Flight, sent: asyncio.Future[int]) -> None:
        if not sent.cancelled() and not sent.exception():
            self.outbox.acknowledge(flight, sent.result())
            self._report(TopicLevel.TRANSFER, self.outbox.problem)
            self._wake.set()

    async def _keep_cursor(self) -> None:
        while True:
            await asyncio.sleep(CURSOR_S)
            await self._save_cursor()

    async def _save_cursor(self) -> None:
        cursor = self.outbox.cursor
        if cursor == self._saved:
            return
        try:
            await asyncio.to_thread(self._write, cursor)
        except OSError as error:
            remedy = "After a restart, the bridge sends all transfers again. Check the disk and its permissions"
            self._report("cursor", f"{self._cursor_file} cannot be written: {error.strerror or error}. {remedy}")
        else:
            self._saved = cursor
            self._report("cursor", "")

    def _write(self, cursor: Cursor) -> None:
        # a write that was cancelled may still be running
        with self._writing:
            cursor.save(self._cursor_file)

    def _report(self, part: str, problem: str) -> None:
        """Log the problem with *part* if it has changed, and show it as the status of the service."""
        if problem == self._problems.get(part, ""):
            return
        if problem:
            self._problems[part] = problem
            log.warning("%s", problem)
        else:
            del self._problems[part]
        self._show_status()

    def _show_status(self) -> None:
        status = "; ".join(self._problems.values())
        if not status:
            sent, confirmed = self.outbox.cursor.id, self.outbox.confirmed
            status = f"{self.table} is at the broker {self._config.address}"
            status += f", with transfers up to {sent}" if sent else ""
            status += f", stored by a hall up to {confirmed}" if confirmed else ""
        if status != self._status:
            self._status = status
            notify(f"STATUS={status}")

    def _topic(self, kind: TopicLevel) -> str:
        return topic(self.table, kind)
