"""The protocol of the control socket: one JSON object per line, as in ``docs/control-socket.md``."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reboard.errors import ControlSocketError
from reboard.strict_json import encoded

SOCKET_NAME = "table.sock"
LONGEST_LINE_BYTES = 64 * 1024
LONGEST_ID = 200

RawRequest = dict[str, Any]
"""A client's request: ``id``, ``do`` and the arguments."""


def socket_path(state_directory: Path) -> Path:
    """Return the path of the control socket.

    The socket is in ``$REBOARD_SOCKET_DIR`` (``/run/reboard`` for the services), or else in the state directory.
    """
    return Path(os.environ.get("REBOARD_SOCKET_DIR") or state_directory) / SOCKET_NAME


def as_line(message: Mapping[str, object]) -> bytes:
    """Return *message* as one line of JSON."""
    return encoded(message) + b"\n"


def answered(key: object, answer: str) -> bytes:
    """Return the line that answers the request with the id *key*. *answer* is already JSON."""
    return b'{"id":%s,"ok":%s}\n' % (encoded(key), answer.encode())


def parsed(line: bytes) -> RawRequest:
    """Return the request in *line*. Raises `ControlSocketError` unless it is a JSON object with a valid ``id``."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise ControlSocketError("this line is not JSON: send one JSON object per line") from None
    if not isinstance(request, dict) or not _is_id(request.get("id")):
        raise ControlSocketError(
            f'a request must be an object whose "id" is a number or a text of at most {LONGEST_ID} characters, '
            'for example {"id": 1, "do": "snapshot"}'
        )
    return request


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_ID
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
