"""The protocol of the control socket: one JSON object a line (``docs/control-socket.md``)."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reboard.accessories.accessory import Accessory, Argument, optional, text, whole
from reboard.board import LARGEST_VOLUME
from reboard.errors import ControlSocketError
from reboard.events import REMEMBERED

SOCKET_NAME = "table.sock"
LONGEST_LINE_BYTES = 64 * 1024
LONGEST_ID = 200

Request = dict[str, Any]
"""A request of a client: ``id``, ``do`` and the arguments."""


BY = optional(text(60))
"""The sender of a change, as the table's log and events name it."""


class Requests:
    """The requests of a table with these *accessories*, each with its arguments."""

    def __init__(self, accessories: Iterable[Accessory[Any]]) -> None:
        own = [request for accessory in accessories for request in accessory.requests.items()]
        self.reading: Mapping[str, Mapping[str, Argument]] = {
            "snapshot": {},
            "events": {"recent": optional(whole(REMEMBERED))},
            **{do: request.arguments for do, request in own if not request.changes},
        }
        """The requests that change nothing."""
        self.changing: Mapping[str, Mapping[str, Argument]] = {
            "volume": {"level": whole(LARGEST_VOLUME)},
            **{do: request.arguments for do, request in own if request.changes},
        }
        """The requests that change the table, without ``by``."""
        self.all = {**self.reading, **{do: {**arguments, "by": BY} for do, arguments in self.changing.items()}}

    def check(self, request: Request) -> None:
        """Raises `ControlSocketError` unless *request* is one of these, with its arguments."""
        do = request.get("do")
        if not isinstance(do, str) or do not in self.all:
            raise ControlSocketError(f'"do" must be one of {", ".join(self.all)}')
        arguments = self.all[do]
        for name, argument in arguments.items():
            left_out = argument.may_be_left_out and name not in request
            if not left_out and not argument.allows(request.get(name)):
                raise ControlSocketError(f'{do}: "{name}" must be {argument.words}')
        if strange := request.keys() - arguments.keys() - {"id", "do"}:
            raise ControlSocketError(f"{do} takes no argument {min(strange)[:LONGEST_ID]!r}")


def socket_path(state_directory: Path) -> Path:
    """Return the path of the control socket.

    It is in ``$REBOARD_SOCKET_DIR`` (``/run/reboard`` for the services), or else in the state directory.
    """
    return Path(os.environ.get("REBOARD_SOCKET_DIR") or state_directory) / SOCKET_NAME


def encoded(message: Mapping[str, object]) -> bytes:
    """Return *message* as one line."""
    return json.dumps(message, allow_nan=False).encode() + b"\n"


def answered(key: object, answer: str) -> bytes:
    """Return the *answer* to request *key*, which is JSON already, as one line."""
    return f'{{"id": {json.dumps(key)}, "ok": {answer}}}\n'.encode()


def parsed(line: bytes) -> Request:
    """Return the request on *line*. Only its ``id`` is checked. Raises `ControlSocketError`."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise ControlSocketError("this line is not JSON") from None
    if not isinstance(request, dict) or not _is_id(request.get("id")):
        raise ControlSocketError(
            f'a request is an object with an "id", a number or a text of at most {LONGEST_ID} characters: '
            '{"id": 1, "do": "snapshot"}'
        )
    return request


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_ID
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
