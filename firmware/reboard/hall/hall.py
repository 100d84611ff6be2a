"""`Hall`, which receives the tables' messages from the broker, stores them, and publishes what has changed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection
from contextlib import suppress

from reboard.aiotools import Backoff, first_of, set_within
from reboard.config.mqtt import BrokerAddress
from reboard.errors import ReboardError
from reboard.hall.receiver import LEVELS, MOST_TABLES, Receiver
from reboard.hall.store import Batch, Store, StoreError
from reboard.mqtt.broker import BrokerConnection, ReceivedMessage, connected
from reboard.mqtt.broker_errors import FORBIDDEN
from reboard.mqtt.topics import topic
from reboard.web.responses import EventStreams, server_sent

log = logging.getLogger(__name__)

SESSION_S = 7 * 24 * 3600
"""How long the broker keeps the messages for a hall that is away, in seconds."""
MOST_AT_ONCE = 500
"""The maximum number of messages that are stored in one transaction."""
ASK_GAP_S = 0.5
PUBLISH_GAP_S = 0.02
"""The shortest time between two messages to the pages, in seconds."""
PUBLISH_GAP_PER_PAGE_S = 0.0005
"""The additional time for each open page, in seconds: 500 pages get four messages a second."""
LOOK_S = 1.0
"""The longest time between two looks for stale tables, in seconds."""
STORE_STATES_S = 30.0
"""The time between two transactions with the tables' states, in seconds. The broker has the latest ones, too."""
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 15.0
STEADY_S = 10.0
"""The time that a connection must last for the next pause to be short again, in seconds."""
FULL = (
    f"there are already {MOST_TABLES:,} tables, so new ones are left out. If names were made up, give the broker the "
    "access list that `reboard mqtt acl` prints, and the hall a new file (--store)"
)


class Hall:
    """The hall for the broker at *address*. It publishes on *streams*, with these kinds of events:

    - ``connection``: ``connected`` (whether the hall receives the tables), and ``why`` if something is wrong
    - ``table``: a list of tables that have changed
    """

    def __init__(self, store: Store, address: BrokerAddress, streams: EventStreams) -> None:
        self.store = store
        self._now = asyncio.get_running_loop().time
        self.receiver = self._new_receiver()
        self._address = address
        self._streams = streams
        self._news = asyncio.Event()
        self._states_at = 0.0
        self._is_connected = False
        self._why: str | None = "the hall is starting and has not connected to the broker yet"

    def _new_receiver(self) -> Receiver:
        return Receiver(self.store, now=self._now, wall_time=time.time)

    def first_events(self) -> list[bytes]:
        """Return the messages for a new browser: the connection, and all tables."""
        return [self._connection(), server_sent(self.tables(), "table")]

    def tables(self) -> list[dict[str, object]]:
        return [table.as_json() for table in self.receiver.tables.values() if table.is_known]

    async def run(self) -> None:
        """Receive until cancelled. After a failure, open the store or connect to the broker again, with a backoff."""
        beside = [asyncio.create_task(self._publish()), asyncio.create_task(self._watch_removed())]
        backoff = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        is_usable = True
        try:
            while True:
                began = self._now()
                try:
                    if not is_usable:
                        self._open_again()
                    await self._connect()
                except Exception as error:
                    is_usable = not isinstance(error, StoreError)
                    self.report(error, is_connected=False)
                if self._now() - began > STEADY_S:
                    backoff.reset()
                await asyncio.sleep(backoff.next())
        finally:
            for task in beside:
                task.cancel()
            with suppress(StoreError):
                self.store.write(Batch(states=self.receiver.states()))

    def _open_again(self) -> None:
        """Open the store again, for example after it was deleted. What it lacks, the tables send again."""
        self.store.close()
        self.store = Store(self.store.file)
        self.receiver = self._new_receiver()
        self._streams.publish(server_sent(self.tables(), "table"))

    async def _connect(self) -> None:
        async with connected(self._address, self.store.client_id, session_s=SESSION_S) as broker:
            # what waits in the session comes at once; the broker may also have forgotten the subscriptions
            await broker.subscribe(*(topic("+", level) for level in LEVELS))
            log.info("the hall is connected to the broker at %s", self._address)
            self.receiver.connected()
            self.report(None, is_connected=True)
            await first_of(self._receive(broker), self._ask(broker))

    async def _receive(self, broker: BrokerConnection) -> None:
        while True:
            messages = await broker.receive(MOST_AT_ONCE)
            await self.take(messages)
            for message in messages:
                broker.acknowledge(message)

    async def take(self, messages: Collection[ReceivedMessage]) -> None:
        """Store the content of *messages*. After the return, they can be acknowledged. Raises `StoreError`."""
        batch = self.receiver.sort((message.topic, message.payload, message.is_retained) for message in messages)
        if self.receiver.is_full:
            self.report(FULL, is_connected=True)
        if self._now() >= self._states_at:
            self._states_at = self._now() + STORE_STATES_S
            batch.states = self.receiver.states()
        if batch:
            writing = asyncio.create_task(asyncio.to_thread(self.store.write, batch))
            try:
                await asyncio.shield(writing)
            finally:
                await asyncio.wait({writing})  # a transaction cannot be interrupted
                if not writing.exception():
                    self.receiver.stored(writing.result())
        self._news.set()

    async def _ask(self, broker: BrokerConnection) -> None:
        while True:
            for name, payload in self.receiver.due():
                broker.publish(name, payload).add_done_callback(self._asked)
            await asyncio.sleep(ASK_GAP_S)

    def _asked(self, answer: asyncio.Future[int]) -> None:
        if not answer.cancelled() and not answer.exception() and answer.result() == FORBIDDEN:
            sentence = (
                f"the broker at {self._address} forbids the hall to answer the tables, so they never send lost "
                "transfers again: give the hall's user the rights that `reboard mqtt acl` prints"
            )
            self.report(sentence, is_connected=True)

    async def _publish(self) -> None:
        while True:
            await set_within(self._news, LOOK_S)
            self._news.clear()
            try:
                if changed := self.receiver.changed():
                    self._streams.publish(server_sent([table.as_json() for table in changed], "table"))
            except Exception as error:
                self.report(error, is_connected=self._is_connected)
            await asyncio.sleep(PUBLISH_GAP_S + PUBLISH_GAP_PER_PAGE_S * self._streams.count)

    async def _watch_removed(self) -> None:
        """Forget the tables that `reboard hall --remove` removes from the store."""
        while True:
            await asyncio.sleep(LOOK_S)
            with suppress(StoreError):  # the next transaction reports it
                self.receiver.remove(await asyncio.to_thread(self.store.removed))

    def report(self, why: object, *, is_connected: bool) -> None:
        """Report to log and pages whether the hall receives the tables, and *why* something is wrong, if it is."""
        bug = why if isinstance(why, Exception) and not isinstance(why, ReboardError) else None
        sentence = None if why is None else str(why)
        if bug:
            sentence = f"there is a bug in the hall, whose log has the details: {bug!r}"
        if (sentence, is_connected) == (self._why, self._is_connected):
            return
        if sentence:
            log.warning("%s", sentence, exc_info=bug)
        self._why, self._is_connected = sentence, is_connected
        self._streams.publish(self._connection())

    def _connection(self) -> bytes:
        return server_sent({"connected": self._is_connected, "why": self._why}, "connection")
