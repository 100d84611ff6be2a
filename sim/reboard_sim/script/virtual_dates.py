"""``datetime.datetime`` and ``datetime.date`` for a program, whose present is that of the virtual Pi."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, tzinfo
from typing import Any

from reboard_sim.script.scheduler import here


class _StandIn(type):
    """The class of `VirtualDatetime` and `VirtualDate`, which create instances of the class that they replace."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.__mro__[1]) if _is_stand_in(cls) else super().__instancecheck__(instance)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls.__mro__[1](*args, **kwargs) if _is_stand_in(cls) else super().__call__(*args, **kwargs)


def _is_stand_in(each: type) -> bool:
    return each in (VirtualDatetime, VirtualDate)  # and not a class that a program derives from them


def made_again(kind: str, *state: Any) -> Any:
    """Return the date or time that a pickle has: pickles know a class only by its place, where the stand-in is."""
    return {"date": date, "datetime": datetime}[kind](*state)


def _pickled(made: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return made_again, (type(made).__name__, *made.__reduce_ex__(2)[1])


PICKLED: Mapping[type, Any] = {date: _pickled, datetime: _pickled}
"""The functions for pickles of real dates and times, by class."""


class VirtualDatetime(datetime, metaclass=_StandIn):
    """A stand-in for ``datetime.datetime``."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:
        thread = here()
        return datetime.fromtimestamp(thread.scheduler.process.wall_time(), tz) if thread else datetime.now(tz)

    @classmethod
    def today(cls) -> Any:
        return cls.now()

    @classmethod
    def utcnow(cls) -> Any:
        return cls.now(UTC).replace(tzinfo=None)


class VirtualDate(date, metaclass=_StandIn):
    """A stand-in for ``datetime.date``."""

    @classmethod
    def today(cls) -> Any:
        return VirtualDatetime.now().date()
