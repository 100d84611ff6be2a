"""What accessories and device kinds add to plays: forms of lines, and faults."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class VirtualDevices(Protocol):
    """The virtual devices of a table, keyed by label."""

    @property
    def devices(self) -> Mapping[str, object]:
        """The devices that the config has."""

    def __getitem__(self, label: str) -> Any:
        """Return the device with *label*. Raises `reboard.errors.ReboardError` if there is none."""


class User(Protocol):
    """A user at a virtual table, who carries out the acts of an accessory."""

    @property
    def pi(self) -> VirtualDevices:
        """The virtual devices of the table."""

    @property
    def has_copies(self) -> bool:
        """Whether two slots can have copies of the same card."""

    def hold(self, device: str, *what: str, line: str, release: str) -> None:
        """Press *device*, or its key *what*, and hold it.

        *line* is the line of a play for this act. *release* is the line that releases the device.
        """

    def release(self, device: str, *what: str, line: str) -> None:
        """Release *device*, or its key *what*. *line* is the line of a play for this act."""

    def did(self, line: str) -> None:
        """Record that the play line *line* has had its effect."""

    async def let_pass(self, seconds: float) -> None:
        """Wait *seconds* of virtual time during an act."""

    def snapshot(self) -> dict[str, Any]:
        """Return the snapshot of the table."""

    async def request(self, do: str, **args: object) -> object:
        """Send a request to the table, as the table page does, and return the answer.

        Raises `Rejection` if the rules forbid the request, and `RequestError` if the table cannot carry it out.
        """


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of line in a play. In *usage*, capitals stand for values and brackets mark optional words.

    The form of an accessory or a device kind has either *do* or *check*. *do* carries out an act with the values of
    the line. *check* returns whether a check holds, and the value that it found. In the form of a device kind,
    ``DEVICE`` stands for the label of a device of this kind, the argument ``device``.
    """

    name: str
    usage: str
    meaning: str
    do: Callable[..., Coroutine[Any, Any, None]] | None = None
    check: Callable[..., tuple[bool, str]] | None = None

    @property
    def is_check(self) -> bool:
        return self.usage.startswith("expect")


def one_act(name: str) -> Callable[..., Coroutine[Any, Any, None]]:
    """Return the *do* of a form such as ``set DEVICE NUMBER`` for the act that the device has under this *name*."""

    async def do(user: User, device: str, **values: Any) -> None:
        (value,) = values.values()
        user.pi[device].acts()[name](value)
        user.did(f"{name} {device} {shlex.quote(value) if isinstance(value, str) else f'{value:g}'}")

    return do


CONTACTS = "contacts"
"""The part of a fault that all contacts have."""


@dataclass(frozen=True, slots=True)
class SimulatedFault:
    """A fault that a play can begin and end.

    *part* is the label of a device, or a part of the virtual Pi such as ``disk``. *name_there* is the name of the fault
    in that part. *accessory* is the section of the accessory that has the fault, or ``None`` for a general fault.
    """

    name: str
    meaning: str
    part: str
    name_there: str
    accessory: str | None = None
