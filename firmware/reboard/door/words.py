"""The words of the table's door, for both of its sides: one JSON object a line, as told in ``docs/door.md``."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reboard.edition import MOST_PLAYERS
from reboard.errors import DoorError
from reboard.events import REMEMBERED
from reboard.volume import LOUDEST

SOCKET_NAME = "table.sock"
LONGEST_LINE_BYTES = 64 * 1024
LONGEST_ID = 200

Request = dict[str, Any]
"""What a client asks: ``id``, ``do`` and the arguments of what is to be done."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What an argument must be, in words and as a test."""

    words: str
    allows: Callable[[object], bool]
    may_be_left_out: bool = False


def _whole(most: int, *, least: int = 0) -> Argument:
    def allows(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return Argument(f"a whole number from {least} to {most}", allows)


def _text(most: int, *, least: int = 1) -> Argument:
    def allows(value: object) -> bool:
        return isinstance(value, str) and least <= len(value) <= most and value.isprintable()

    return Argument(f"a text of {least} to {most} printable characters", allows)


def _or_nothing(argument: Argument) -> Argument:
    return replace(argument, may_be_left_out=True)


def _is_worths(value: object) -> bool:
    return isinstance(value, dict) and all(card in CARDS and WORTH.allows(worth) for card, worth in value.items())


ROW = _whole(2**63 - 1, least=1)
"""The ledger's number of a game or a transfer."""

CARDS = tuple(str(number) for number in range(1, MOST_PLAYERS + 1))
WORTH = _whole(10**15)
"""What deeds and houses can be worth: no balance is more."""

WORTHS = Argument(f'an object of cards, "1" to "{CARDS[-1]}", each with {WORTH.words}', _is_worths)

READS: dict[str, Mapping[str, Argument]] = {
    "snapshot": {},
    "events": {"recent": _or_nothing(_whole(REMEMBERED))},
    "history": {},
}
"""What can be asked for without changing anything, with its arguments."""

CHANGES: dict[str, Mapping[str, Argument]] = {
    "volume": {"level": _whole(LOUDEST)},
    "quiet": {"on": Argument("true or false", lambda value: isinstance(value, bool))},
    "new_game": {"game": _or_nothing(ROW), "edition": _or_nothing(_text(200))},
    "end_game": {"game": ROW, "worths": _or_nothing(WORTHS)},
    "undo": {"transfer": ROW},
    "name": {"card": _whole(MOST_PLAYERS, least=1), "name": _text(60, least=0)},
}
"""What changes the table, with its arguments."""

BY = _or_nothing(_text(60))
"""Who asks for a change, as it is told at the table and in its log."""

REQUESTS: Mapping[str, Mapping[str, Argument]] = {
    **READS,
    **{do: {**arguments, "by": BY} for do, arguments in CHANGES.items()},
}
"""Everything that can be asked for, with all its arguments."""


def door_path(state_directory: Path) -> Path:
    """Where the table's door is: in the services' ``$REBOARD_DOOR`` (``/run/reboard``), else with the state."""
    return Path(os.environ.get("REBOARD_DOOR") or state_directory) / SOCKET_NAME


def encoded(message: Mapping[str, object]) -> bytes:
    """*message* as one line."""
    return json.dumps(message, allow_nan=False).encode() + b"\n"


def answered(key: object, answer: str) -> bytes:
    """The *answer* to request *key*, which is JSON already, as one line."""
    return f'{{"id": {json.dumps(key)}, "ok": {answer}}}\n'.encode()


def parsed(line: bytes) -> Request:
    """The request on *line*, with a good ``id`` and nothing else checked. Raises `DoorError`."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise DoorError("this line is no JSON") from None
    if not isinstance(request, dict) or not _is_id(request.get("id")):
        raise DoorError(
            f'a request is an object with an "id", a number or a text of at most {LONGEST_ID} characters: '
            '{"id": 1, "do": "snapshot"}'
        )
    return request


def check(request: Request) -> None:
    """Raises `DoorError` unless *request* is one of `REQUESTS`, with its arguments."""
    do = request.get("do")
    if not isinstance(do, str) or do not in REQUESTS:
        raise DoorError(f'"do" must be one of {", ".join(REQUESTS)}')
    arguments = REQUESTS[do]
    for name, argument in arguments.items():
        left_out = argument.may_be_left_out and name not in request
        if not left_out and not argument.allows(request.get(name)):
            raise DoorError(f'{do}: "{name}" must be {argument.words}')
    if strange := request.keys() - arguments.keys() - {"id", "do"}:
        raise DoorError(f"{do} takes no argument {min(strange)[:LONGEST_ID]!r}")


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_ID
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
