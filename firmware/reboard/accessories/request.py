"""Requests on the control socket, and their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from reboard.board import LARGEST_VOLUME
from reboard.events import REMEMBERED


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a request. *words* describes the allowed values, and *allows* checks a value."""

    words: str
    allows: Callable[[object], bool]
    may_be_left_out: bool = False


def whole(most: int, *, least: int = 0) -> Argument:
    """Return an argument for whole numbers from *least* to *most*."""

    def allows(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return Argument(f"a whole number from {least} to {most}", allows)


def text(most: int, *, least: int = 1) -> Argument:
    """Return an argument for strings of *least* to *most* printable characters."""

    def allows(value: object) -> bool:
        return isinstance(value, str) and least <= len(value) <= most and value.isprintable()

    return Argument(f"a string of {least} to {most} printable characters", allows)


TRUE_OR_FALSE = Argument("true or false", lambda value: isinstance(value, bool))


def optional(argument: Argument) -> Argument:
    """Return a copy of *argument* that can be left out of a request."""
    return replace(argument, may_be_left_out=True)


@dataclass(frozen=True, slots=True)
class Json:
    """An answer that is already encoded as JSON, so that a long answer can be encoded on another thread."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Where requests of players wait: a list in the snapshot with the key *listed*.

    Each entry has the argument *id* of its request. The request *reject*, with this argument, ends the wait.
    """

    listed: str
    id: str
    reject: str


@dataclass(frozen=True, slots=True)
class Request:
    """A request on the control socket. *changes* is whether the request changes the table.

    *is_for_players* is whether the table page can send the request without the host's PIN if ``[page]`` has
    ``pay = true``. Such a request has no effect on the game until it is confirmed on the accessory or by the host.
    With *waits*, the page lets one request of an address wait at a time, and the host can block an address.
    """

    arguments: Mapping[str, Argument]
    changes: bool = True
    is_for_players: bool = False
    waits: Waiting | None = None


COMMON_REQUESTS: Mapping[str, Request] = {
    "snapshot": Request({}, changes=False),
    "events": Request({"recent": optional(whole(REMEMBERED))}, changes=False),
    "watch_signals": Request({}, changes=False),
    "readers": Request({}, changes=False),
    "volume": Request({"level": whole(LARGEST_VOLUME)}),
}
"""The requests that every table serves, keyed by name. An accessory can add others."""

BY = optional(text(60))
"""The argument ``by`` of every request that changes the table: the sender, for the log and the events."""
