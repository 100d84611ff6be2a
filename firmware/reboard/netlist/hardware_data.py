"""The data of parts and of the Raspberry Pi, from ``parts.toml`` and ``pi.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal


@cache
def read_data(package: str, name: str) -> dict[str, Any]:
    """Return the content of ``<name>.toml`` in a *package*. Do not change it, because all callers share it."""
    return tomllib.loads(resources.files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Terminal:
    """The effect of a terminal on its net. A terminal without data only connects.

    - *takes_v*: the limits of its supply voltage; *takes_ma*, *most_ma*: its usual and its largest current
    - *gives_v*: the voltage with which it supplies others; *gives_ma*: its largest current (``None``: that of the Pi)
    - *drives_v*: the highest voltage of its signal; ``"power"`` is the voltage of its supply
    - *drives_from_v*: the lowest signal voltage of the boards that our guides put behind a divider, if boards differ
    - *listens_v*: the maximum voltage of an input
    - *pulls_up_ohm*: the resistor to its own supply
    - *stands_ma*: the limit of the current through it
    - *needs_v*: the voltage at which it is fully on
    """

    takes_v: tuple[float, float] | None = None
    takes_ma: float = 0
    most_ma: float = 0
    gives_v: float | None = None
    gives_ma: float | None = None
    drives_v: float | Literal["power"] | None = None
    drives_from_v: float | None = None
    listens_v: float | None = None
    pulls_up_ohm: float | None = None
    stands_ma: float | None = None
    needs_v: float | None = None
    ground: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of part: its purpose, its description for a shop, and its *terminals*.

    A part *on_usb* is plugged into USB, shares the Pi's ground, and takes up to *most_ma*.
    """

    name: str
    function: str
    value: str
    look_for: str
    instead: str
    price_eur: float
    symbol: str
    terminals: Mapping[str, Terminal]
    on_usb: bool = False
    most_ma: float = 0


def _data(name: str) -> dict[str, Any]:
    return read_data("reboard.netlist", name)


@cache
def kinds() -> Mapping[str, Kind]:
    """Return every kind of part by name."""
    return {name: _kind(name, dict(said)) for name, said in _data("parts").items()}


def _kind(name: str, said: dict[str, Any]) -> Kind:
    terminals = {label: _terminal(dict(facts)) for label, facts in said.pop("terminals").items()}
    return Kind(name=name, terminals=terminals, **said)


def _terminal(facts: dict[str, Any]) -> Terminal:
    if "takes_v" in facts:
        low, high = facts.pop("takes_v")
        facts["takes_v"] = (low, high)
    return Terminal(**facts)


GROUND, POWER_3V3, POWER_5V = "ground", "3.3V", "5V"
RAILS: Mapping[str, float] = {GROUND: 0.0, POWER_3V3: 3.3, POWER_5V: 5.0}
"""The supplies on the header, and their voltages."""


@dataclass(frozen=True, slots=True)
class PinLimits:
    """The limits of a GPIO pin."""

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
        """The maximum voltage of an input."""
        return self.let_through(self.stands_v)

    def let_through(self, stands_v: float) -> float:
        """Return the highest voltage for an input: its limit plus the tolerance of supplies and meters."""
        return stands_v + self.tolerance_v


@dataclass(frozen=True, slots=True)
class Job:
    """Another job of the pins *gpios*.

    The installer switches on a job that *is_on*. The command *free* switches it off. For a part of the kind *taken_for*
    the kernel uses all of these pins; *why_taken* is the reason.
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
    """A model of the Raspberry Pi: its typical current, its sockets, and the supply that its manufacturer recommends.

    *has_jack* is true if it has a socket for headphones. *largest_a* is the current of the largest supply made for it.
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
    """Return the net of each of the forty pins, from pin 1 on: ``3.3V``, ``5V``, ``ground`` or ``GPIO17``."""
    return tuple(_data("pi")["header"])


@cache
def pin_limits() -> PinLimits:
    """Return the limits of every GPIO pin."""
    said = dict(_data("pi")["pin"])
    return PinLimits(pulled_up_at_start=tuple(said.pop("pulled_up_at_start")), **said)


@cache
def jobs() -> tuple[Job, ...]:
    """Return all other jobs of GPIO pins."""
    return tuple(Job(**said | {"gpios": tuple(said["gpios"])}) for said in _data("pi")["job"])


@cache
def models() -> Mapping[str, Model]:
    """Return every model by its name in ``wiring.pi``."""
    return {name: Model(**said) for name, said in _data("pi")["model"].items()}


def hub_ma() -> float:
    """Return the largest current of a USB hub without its devices, in mA."""
    return float(_data("pi")["hub"]["takes_ma"])


def gpio(number: int) -> str:
    """Return the net of a pin by its BCM number."""
    return f"GPIO{number}"


def gpio_number(net: str) -> int | None:
    """Return the BCM number of the pin with this *net*, or ``None``."""
    digits = net.removeprefix("GPIO")
    return int(digits) if digits != net and digits.isdecimal() else None


def header_pin(net: str, *, near: int = 1, without: Collection[int] = ()) -> int:
    """Return the number of a pin on the header, 1 to 40, for a GPIO net or a rail.

    A rail has several pins. The result is the one nearest to *near*, if possible one that is not in *without*.
    """
    numbers = [number for number, label in enumerate(header(), start=1) if label == net]
    free = [number for number in numbers if number not in without]
    return min(free or numbers, key=lambda number: (abs(number - near), number))
