"""The base classes of what an accessory says and takes: its events and requests."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar, dataclass_transform


def wire_name(field: str) -> str:
    """Return the name of *field* in JSON: ``from`` for ``from_``."""
    return field.removesuffix("_")


@dataclass_transform(frozen_default=True, eq_default=False)
class Declared:
    """A class whose fields are its annotations, in their order. An annotation has the field's limits and its meaning.

    The fields of the first base class come first. For type checkers it is a frozen dataclass. A real one would cost
    half a millisecond of each start.
    """

    field_names: ClassVar[tuple[str, ...]] = ()
    defaults: ClassVar[Mapping[str, Any]] = {}
    reserved: ClassVar[tuple[str, ...]] = ()
    """The names in JSON that no field can have, because every message has them."""

    def __init__(self, *values: Any, **named: Any) -> None:
        fields = self.field_names
        if len(values) == len(fields) and not named:
            self.__dict__.update(zip(fields, values, strict=True))
            return
        given = dict(zip(fields, values, strict=False)) | named
        wrong = sorted(given.keys() - set(fields)) or [
            name for name in fields if name not in {**self.defaults, **given}
        ]
        if wrong or len(values) > len(fields) or set(fields[: len(values)]) & named.keys():
            what = f"takes {', '.join(fields) or 'nothing'}"
            raise TypeError(f"{type(self).__name__} {what}, each once{f': see {wrong[0]!r}' if wrong else ''}")
        self.__dict__.update({**self.defaults, **given})

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = [name for name, of in inspect.get_annotations(cls).items() if "ClassVar[" not in str(of)]
        cls.field_names = (*cls.field_names, *own)
        cls.defaults = {**cls.defaults, **{name: vars(cls)[name] for name in own if name in vars(cls)}}
        for name in own:
            if wire_name(name) in cls.reserved or hasattr(cls.__mro__[1], name):
                raise TypeError(f"the field {name!r} of {cls.__name__} means something else: rename it")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def as_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return {wire_name(name): value for name, value in self.__dict__.items()}


class Event(Declared):
    """The base class of events: ``class Rung(Event, name="bell.rung")``. ``game.emit(Rung())`` publishes one.

    Passing events are frequent, so the table does not keep them. Shared events leave the table over MQTT.
    """

    event: ClassVar[str] = ""
    """The name of the event."""

    is_passing: ClassVar[bool] = False
    is_shared: ClassVar[bool] = False
    reserved = ("t", "event", "recent")

    def __init_subclass__(cls, *, name: str, is_passing: bool = False, is_shared: bool = False) -> None:
        super().__init_subclass__()
        cls.event, cls.is_passing, cls.is_shared = name, is_passing, is_shared


class Waits:
    """Where requests of players wait: a list in the snapshot with the key *listed*.

    Each entry has the field *id* of its request. The request *reject*, with this field, ends the wait.
    """

    def __init__(self, listed: str, id: str, reject: str) -> None:
        self.listed = listed
        self.id = id
        self.reject = reject


R = TypeVar("R", bound="Request")


class Request(Declared):
    """The base class of requests: ``class Ring(Request, do="ring")``. *changes* is whether it changes the table.

    *answer* is the ``TypedDict`` of its answer. Only other accessories can send one that *is_internal*.
    *is_for_players* is whether the table page can send the request without the host's PIN if ``[page]`` has ``pay =
    true``. Such a request has no effect on the game until it is confirmed on the accessory or by the host. With
    *waits*, the page lets one request of an address wait at a time, and the host can block an address.
    """

    do: ClassVar[str] = ""
    """The name of the request."""

    changes: ClassVar[bool] = True
    answer: ClassVar[type | None] = None
    is_internal: ClassVar[bool] = False
    is_for_players: ClassVar[bool] = False
    waits: ClassVar[Waits | None] = None
    reserved = ("id", "do", "by")

    def __init_subclass__(
        cls,
        *,
        do: str,
        changes: bool = True,
        answer: type | None = None,
        is_internal: bool = False,
        is_for_players: bool = False,
        waits: Waits | None = None,
    ) -> None:
        super().__init_subclass__()
        cls.do, cls.changes, cls.answer, cls.is_internal = do, changes, answer, is_internal
        cls.is_for_players, cls.waits = is_for_players, waits

    @classmethod
    def of(cls: type[R], args: Mapping[str, Any]) -> R:
        """Return the request with *args* from JSON, which have been checked."""
        names = {wire_name(name): name for name in cls.field_names}
        return cls(**{names[name]: value for name, value in args.items()})
