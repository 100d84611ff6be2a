"""``datetime.datetime`` for a program, whose threads get the calendar time of the virtual Pi."""

from __future__ import annotations

import copyreg
import datetime
from collections.abc import Mapping
from typing import Any, Self, cast

from gpiozero import internal_devices

from reboard_sim.script.scheduler import here

_real = datetime.datetime

PROTOCOL = 4
"""The first protocol of pickle with the ``fold`` of a datetime."""


class _Kind(type):
    # what another part of this process has made is a datetime, too
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _real) if cls is VirtualDatetime else super().__instancecheck__(value)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, _real) if cls is VirtualDatetime else super().__subclasscheck__(kind)


class VirtualDatetime(_real, metaclass=_Kind):
    """A ``datetime.datetime`` that reads the clock of the program whose thread asks.

    What it makes is a real one, which ``sqlite3`` knows, too.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        made: Any = _real(*args, **kwargs) if cls is VirtualDatetime else super().__new__(cls, *args, **kwargs)
        return cast(Self, made)

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Self:
        """Return the time of the virtual Pi, or that of this machine outside of programs."""
        return cls.fromtimestamp(thread.scheduler.process.wall_time(), tz) if (thread := here()) else super().now(tz)

    @classmethod
    def utcnow(cls) -> Self:
        """Return the time in UTC, without a time zone."""
        return cls.now(datetime.UTC).replace(tzinfo=None)


VirtualDatetime.__name__ = VirtualDatetime.__qualname__ = VirtualDatetime.__module__ = "datetime"

# pickle looks for the class by its name, where the other one may be
copyreg.pickle(_real, lambda made: (datetime.datetime, cast(Any, made.__reduce_ex__(PROTOCOL)[1])))

PLACES: Mapping[tuple[Any, str], Any] = {(where, "datetime"): VirtualDatetime for where in (datetime, internal_devices)}
"""Where a program finds the class: by an import, and through gpiozero's ``TimeOfDay``."""
