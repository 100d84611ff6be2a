"""The protocol of the control socket: one JSON object a line (``docs/control-socket.md``)."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from reboard.accessories.accessory import Argument, accessories, optional, text, whole
from reboard.board import LARGEST_VOLUME
from reboard.errors import ControlSocketError
from reboard.events import REMEMBERED

SOCKET_NAME = "table.sock"
LONGEST_LINE_BYTES = 64 * 1024
LONGEST_ID = 200

Request = dict[str, Any]
"""A request of a client: ``id``, ``do`` and the arguments."""


def read_requests() -> Mapping[str, Mapping[str, Argument]]:
    """Return the requests that change nothing, with their arguments."""
    return {"snapshot": {}, "events": {"recent": optional(whole(REMEMBERED))}, **_of_accessories(changes=False)}


def changing_requests() -> Mapping[str, Mapping[str, Argument]]:
    """Return the requests that change the table, with their arguments."""
    return {"volume": {"level": whole(LARGEST_VOLUME)}, **_of_accessories(changes=True)}


def _of_accessories(*, changes: bool) -> Mapping[str, Mapping[str, Argument]]:
    return {
        name: request.arguments
        for accessory in accessories().values()
        for name, request in accessory.requests.items()
        if request.changes == changes
    }


BY = optional(text(60))
"""The sender of a change, as the table's log and events name it."""


@cache
def all_requests() -> Mapping[str, Mapping[str, Argument]]:
    """Return all requests, with all their arguments."""
    return {**read_requests(), **{do: {**arguments, "by": BY} for do, arguments in changing_requests().items()}}


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


def check(request: Request) -> None:
    """Raises `ControlSocketError` unless *request* is one of `all_requests`, with its arguments."""
    do = request.get("do")
    if not isinstance(do, str) or do not in all_requests():
        raise ControlSocketError(f'"do" must be one of {", ".join(all_requests())}')
    arguments = all_requests()[do]
    for name, argument in arguments.items():
        left_out = argument.may_be_left_out and name not in request
        if not left_out and not argument.allows(request.get(name)):
            raise ControlSocketError(f'{do}: "{name}" must be {argument.words}')
    if strange := request.keys() - arguments.keys() - {"id", "do"}:
        raise ControlSocketError(f"{do} takes no argument {min(strange)[:LONGEST_ID]!r}")


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_ID
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
