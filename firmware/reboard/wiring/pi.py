"""The Raspberry Pi as a maker meets it: ``hardware/pi.toml``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from reboard.wiring.shipped import shipped

GROUND, POWER_3V3, POWER_5V = "ground", "3.3V", "5V"
RAILS: Mapping[str, float] = {GROUND: 0.0, POWER_3V3: 3.3, POWER_5V: 5.0}
"""What the header gives, besides pins, and its volts."""


@dataclass(frozen=True, slots=True)
class PinLimits:
    """What a pin gives and stands, in volts and milliamperes."""

    gives_v: float
    stands_v: float
    tolerance_v: float
    high_from_v: float
    most_ma: float
    most_of_all_ma: float
    pulled_up_at_start: tuple[int, ...]
    pulls_up_ohm: Mapping[str, float]

    @property
    def highest_v(self) -> float:
        """The most that is let through to a pin."""
        return self.let_through(self.stands_v)

    def let_through(self, stands_v: float) -> float:
        """The most that is let through to what *stands_v*: that, and what supplies, resistors and meters are off."""
        return stands_v + self.tolerance_v


@dataclass(frozen=True, slots=True)
class Job:
    """What some *gpios* do besides being pins; *is_on*: the installer switches it on. *free*: how to switch it off.

    *taken_for*: the kind of part for which the kernel takes all of them, whoever else wants one, and *why_taken*.
    """

    name: str
    gpios: tuple[int, ...]
    is_on: bool
    why: str
    free: str = ""
    taken_for: str = ""
    why_taken: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """One Raspberry Pi: what the bare board typically takes, its sockets, and the supply that its maker recommends.

    *has_jack*: a speaker can be plugged in as headphones are. *largest_a*: the largest supply that is made for it.
    """

    name: str
    takes_ma: float
    usb_sockets: int
    has_jack: bool
    supply_a: float
    largest_a: float
    price_eur: float
    note: str


@cache
def header() -> tuple[str, ...]:
    """What is on each of the forty pins, from pin 1 on: ``3.3V``, ``5V``, ``ground`` or ``GPIO17``."""
    return tuple(shipped("pi")["header"])


@cache
def pin_limits() -> PinLimits:
    """What every pin gives and stands."""
    said = dict(shipped("pi")["pin"])
    return PinLimits(pulled_up_at_start=tuple(said.pop("pulled_up_at_start")), **said)


@cache
def jobs() -> tuple[Job, ...]:
    """Every job that pins have besides."""
    return tuple(Job(**said | {"gpios": tuple(said["gpios"])}) for said in shipped("pi")["job"])


@cache
def models() -> Mapping[str, Model]:
    """Every model, by its name in ``wiring.pi``."""
    return {name: Model(**said) for name, said in shipped("pi")["model"].items()}


def hub_ma() -> float:
    """The most that a hub takes for itself, in mA."""
    return float(shipped("pi")["hub"]["takes_ma"])


def gpio(number: int) -> str:
    """The wire of a pin, by its BCM number."""
    return f"GPIO{number}"


def gpio_number(wire: str) -> int | None:
    """The BCM number of the pin whose *wire* it is, or ``None``."""
    digits = wire.removeprefix("GPIO")
    return int(digits) if digits != wire and digits.isdecimal() else None


def header_pin(wire: str, *, near: int = 1, without: Collection[int] = ()) -> int:
    """The number on the header, 1 to 40, of a pin or rail.

    Of a rail's pins it is the one nearest to *near* that is not in *without*, unless all are.
    """
    numbers = [number for number, label in enumerate(header(), start=1) if label == wire]
    free = [number for number in numbers if number not in without]
    return min(free or numbers, key=lambda number: (abs(number - near), number))
