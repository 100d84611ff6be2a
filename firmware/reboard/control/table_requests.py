"""Requests that the table page and the bridge pass on to the table for users in the network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reboard.accessories.installed import all_requests, check_request
from reboard.control.client import ControlClient
from reboard.errors import ControlSocketError
from reboard.vocabulary.declared import PHONE

MOST_BYTES = 4096
"""The maximum length of a request."""


class NotSentError(ControlSocketError):
    """The error raised if a request has not reached the table."""


class TableRequests:
    """The requests to the table at the control *socket*, of which at most *most_at_once* wait at the same time."""

    def __init__(self, socket: Path, *, most_at_once: int) -> None:
        self._socket = socket
        self._most_at_once = most_at_once
        self._waiting = 0

    async def carry_out(self, body: Mapping[str, Any], *, by: str | None) -> object:
        """Send the request *body* to the table, and return its answer. Raises `NotSentError`, or as `ControlClient`.

        *by* is the sender. A request that changes nothing has none.
        """
        if self._waiting >= self._most_at_once:
            raise NotSentError("the table is still busy with earlier requests: try again")
        self._waiting += 1
        try:
            try:
                table = await ControlClient.connect(self._socket)
            except ControlSocketError as error:
                raise NotSentError(str(error)) from error
            async with table:
                args = {name: value for name, value in body.items() if name != "do"}
                sender = {"by": by} if by and all_requests()[body["do"]].changes else {}
                return await table.request(body["do"], **args, **sender)
        finally:
            self._waiting -= 1


def check_passed_on(body: Mapping[str, Any], way: str) -> None:
    """Check that *body*, which came in some *way* such as ``"over MQTT"``, is a request that can be passed on.

    Raises `ControlSocketError` otherwise.
    """
    if reserved := body.keys() & {"id", "by", PHONE}:
        raise ControlSocketError(f"{min(reserved)!r} cannot be set {way}: leave it out")
    check_request(body)
