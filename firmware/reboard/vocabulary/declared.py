"""The base classes of what an accessory says and takes: its events and requests."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from reboard.record import Record, wire_name

__all__ = ["PHONE", "Event", "Request", "State", "Waits"]


PHONE = "phone"
"""The field of requests that only the table page sets: the phone of a player, as a hash."""


def _check_names(declared: type[Record], *reserved: str) -> None:
    """Raise ``TypeError`` for a field whose name every message, or the base class, already has."""
    for name in declared._fields.keys() & inspect.get_annotations(declared):
        if wire_name(name) in reserved or hasattr(declared.__mro__[1], name):
            raise TypeError(f"the field {name!r} of {declared.__name__} means something else: rename it")


class Event(Record):
    """The base class of events: ``class Rung(Event, name="bell.rung")``. ``game.emit(Rung())`` publishes one.

    Passing events are frequent, so the table does not keep them. Shared events leave the table over MQTT.
    """

    event: ClassVar[str] = ""
    """The name of the event."""

    is_passing: ClassVar[bool] = False
    is_shared: ClassVar[bool] = False

    def __init_subclass__(cls, *, name: str, is_passing: bool = False, is_shared: bool = False) -> None:
        super().__init_subclass__()
        _check_names(cls, "t", "event", "recent")
        cls.event, cls.is_passing, cls.is_shared = name, is_passing, is_shared


if TYPE_CHECKING:
    from typing import TypedDict as State
else:

    class State:
        """The base class of parts of the state: a ``TypedDict``, which takes apart its annotations only if it is asked.

        25 of ``TypedDict`` itself would take 2 ms of each start of a table. A plug-in can use that, too.
        """


class Waits:
    """Where requests of players wait: a list in the snapshot with the key *listed*.

    Each entry has the field *id* of its request. The request *reject*, with this field, ends the wait.
    """

    def __init__(self, listed: str, id: str, reject: str) -> None:
        self.listed = listed
        self.id = id
        self.reject = reject


R = TypeVar("R", bound="Request")


class Request(Record):
    """The base class of requests: ``class Ring(Request, do="ring")``. *changes* is whether it changes the table.

    *label* is its English name for pages, by default the words of *do*.
    *answer* is the ``TypedDict`` of its answer. Only other accessories can send one that *is_internal*.
    *is_for_players* is whether the table page can send the request without the host's PIN. If it has a field `PHONE`,
    the page sets it to the hash of the browser's token. *secret* is the name of a field that must not be guessed: the
    page limits rejected requests with it, as for PINs. With *waits*, the request can wait until it is confirmed, and
    the host can block the phone meanwhile. The log has the arguments of a request unless it *is_private*.
    """

    do: ClassVar[str] = ""
    """The name of the request."""

    label: ClassVar[str] = ""
    changes: ClassVar[bool] = True
    answer: ClassVar[type | None] = None
    is_internal: ClassVar[bool] = False
    is_for_players: ClassVar[bool] = False
    secret: ClassVar[str] = ""
    waits: ClassVar[Waits | None] = None
    is_private: ClassVar[bool] = False
    has_phone: ClassVar[bool] = False
    """Whether the request has a field `PHONE`."""

    def __init_subclass__(
        cls,
        *,
        do: str,
        label: str = "",
        changes: bool = True,
        answer: type | None = None,
        is_internal: bool = False,
        is_for_players: bool = False,
        secret: str = "",
        waits: Waits | None = None,
        is_private: bool = False,
    ) -> None:
        super().__init_subclass__()
        _check_names(cls, "id", "do", "by")
        cls.do, cls.label = do, label or do.replace("_", " ")
        cls.changes, cls.answer, cls.is_internal = changes, answer, is_internal
        cls.is_for_players, cls.secret, cls.waits, cls.is_private = is_for_players, secret, waits, is_private
        cls.has_phone = PHONE in cls._json_names.values()

    @classmethod
    def of(cls: type[R], args: Mapping[str, Any]) -> R:
        """Return the request with *args* from JSON, which have been checked."""
        names = {in_json: name for name, in_json in cls._json_names.items()}
        return cls(**{names[name]: value for name, value in args.items()})
