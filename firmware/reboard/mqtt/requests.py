"""Requests that reach a table over the broker: which are allowed, and their answers.

MQTT does not say who has published a message. The last level of the topic does, because the broker's access list lets
each user write only to the topic that ends in the user's own name.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reboard.accessories.installed import all_requests
from reboard.control.table_requests import MOST_BYTES, NotSentError, TableRequests, check_passed_on
from reboard.errors import ControlSocketError, ReboardError, Rejection
from reboard.mqtt.acl import LONGEST_USER
from reboard.mqtt.broker import BrokerConnection, ReceivedMessage
from reboard.mqtt.topics import LARGEST_PAYLOAD_BYTES, MessageError, TopicLevel, decoded, topic
from reboard.strict_json import encoded

GAP_S = 60.0
"""The shortest time between two lines about one kind of problem, in seconds."""

MOST_AT_ONCE = 4
"""The maximum number of requests that wait for the table at the same time, as on the table page."""

REMEMBERED = 256
"""The number of latest answers that are kept for a request that comes again, as on the control socket."""

LONGEST_CORRELATION_BYTES = 128

Answer = Mapping[str, object]
"""The answer as on the control socket: ``ok``, or ``error`` with a sentence, and ``why`` if it is a rejection."""

ignored_log = logging.getLogger(__name__)
"""The log of received messages that were ignored: anybody in the network can send any number of them."""


class Seldom(logging.Filter):
    """Lets a line pass only if no line of its kind has passed for `GAP_S`."""

    def __init__(self) -> None:
        super().__init__()
        self._logged_at: dict[object, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if now - self._logged_at.get(record.msg, -GAP_S) < GAP_S:
            return False
        self._logged_at[record.msg] = now
        return True


ignored_log.addFilter(Seldom())


def allowed_requests() -> list[str]:
    """Return the names of the requests that the broker's users can send: those of the table page's host."""
    return [do for do, kind in all_requests().items() if kind.changes and not (kind.waits or kind.secret)]


def request_topic(table: str, user: str = "+") -> str:
    """Return the topic for requests of *user* to a table, by default the filter for all users."""
    return f"{topic(table, TopicLevel.REQUEST)}/{user}"


def response_topic(table: str, user: str) -> str:
    """Return the topic for answers to *user*. An answer can also go to a topic below it, and nowhere else.

    Otherwise a request could make the table write over its own state.
    """
    return f"{topic(table, TopicLevel.RESPONSE)}/{user}"


def may_answer_on(topic: str, table: str, user: str) -> bool:
    """Return whether the table may answer a request of *user* on *topic*."""
    own = response_topic(table, user)
    return topic == own or (topic.startswith(f"{own}/") and not set("+#") & set(topic))


class Requests:
    """The requests of the broker's users to the table *name* at the control *socket*."""

    def __init__(self, name: str, socket: Path) -> None:
        self._name = name
        self._table = TableRequests(socket, most_at_once=MOST_AT_ONCE)
        self._latest: OrderedDict[tuple[str, bytes], tuple[bytes, asyncio.Task[Answer]]] = OrderedDict()

    async def serve(self, message: ReceivedMessage, connection: BrokerConnection) -> None:
        """Carry out the request in *message*, and publish its answer. Raises `BrokerError` if the connection is lost.

        A retained request is ignored: it would be carried out again after each connection.
        """
        user = message.topic.removeprefix(request_topic(self._name, ""))
        respond_on = message.response_topic
        if message.is_retained:
            ignored_log.warning("ignored a retained request of %s: publish requests without the retain flag", user)
            return
        if respond_on is not None and not may_answer_on(respond_on, self._name, user):
            own = response_topic(self._name, user)
            ignored_log.warning("ignored a request of %s: its response topic %s must be %s", user, respond_on, own)
            return
        answer = encoded(await self.answer(user, message.payload, message.correlation))
        if len(answer) > LARGEST_PAYLOAD_BYTES:
            answer = encoded(_error("the request was carried out, but its answer is too long"))
        if respond_on is not None:
            await connection.publish(respond_on, answer, correlation=message.correlation)

    async def answer(self, user: str, payload: bytes, correlation: bytes | None) -> Answer:
        """Carry out the request in *payload* for *user*, and return its answer.

        The same *correlation* data and payload again get the same answer, and the request is not carried out again.
        """
        if not (0 < len(user) <= LONGEST_USER and user.isprintable()):
            return _error(f"the topic must end in your name, of 1 to {LONGEST_USER} printable characters")
        if correlation is None:
            return await self._carry_out(user, payload, None)
        if len(correlation) > LONGEST_CORRELATION_BYTES:
            return _error(f"the correlation data must have at most {LONGEST_CORRELATION_BYTES} bytes")
        key = (user, correlation)
        if key not in self._latest:
            self._latest[key] = payload, asyncio.create_task(self._carry_out(user, payload, key))
            while len(self._latest) > REMEMBERED:
                self._latest.popitem(last=False)
        earlier, answer = self._latest[key]
        if earlier != payload:
            return _error("this correlation data belongs to another request: choose new data for each request")
        return await asyncio.shield(answer)

    async def _carry_out(self, user: str, payload: bytes, key: tuple[str, bytes] | None) -> Answer:
        """Send the request to the table. Forget *key* if the table has not received it, so that it can come again."""
        body = None
        try:
            body = _body(payload)
            return {"ok": await self._table.carry_out(body, by=f"{user} over MQTT")}
        except Rejection as rejection:
            return _error(rejection, why=rejection.why)
        except ReboardError as error:
            if key and (body is None or isinstance(error, NotSentError)):
                self._latest.pop(key, None)
            return _error(error)


def _body(payload: bytes) -> dict[str, Any]:
    """Return the request in *payload*. Raises `ControlSocketError` if it is not one of the `allowed_requests`."""
    if len(payload) > MOST_BYTES:
        raise ControlSocketError(f"a request must have at most {MOST_BYTES} bytes")
    try:
        body = decoded(payload)
    except MessageError as error:
        raise ControlSocketError(f'send a request such as {{"do": "volume", "level": 2}}: {error}') from None
    check_passed_on(body, "over MQTT")
    if body.get("do") not in allowed_requests():
        raise ControlSocketError(f'"do" must be one of {", ".join(allowed_requests())}')
    return body


def _error(sentence: object, **more: str) -> Answer:
    return {"error": str(sentence), **more}
