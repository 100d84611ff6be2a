"""The data of parts and of the Raspberry Pi, from ``parts.toml``, ``displays/``, ``readers/`` and ``pi.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from typing import Any, Literal

PACKAGE = "reboard.netlist"
KIND_FOLDERS = ("displays", "readers")
"""The folders with the parts of the kinds of a device."""


@cache
def read_data(package: str, name: str) -> dict[str, Any]:
    """Return the content of ``<name>.toml`` in a *package*. All callers share the result, so do not change it."""
    return tomllib.loads(resources.files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Terminal:
    """The electrical data of a terminal. A terminal without data only connects parts.

    - *takes_v*: the lowest and the highest supply voltage
    - *takes_ma*, *most_ma*: the usual and the largest supply current
    - *gives_v*: the voltage with which the terminal supplies other parts
    - *gives_ma*: the largest current that the terminal supplies; ``None`` if no limit is checked
    - *drives_v*: the highest voltage of the output signal; ``"power"`` is the supply voltage of the part
    - *drives_from_v*: the lowest signal voltage of those variants of the part that need a voltage divider
    - *listens_v*: the maximum voltage of an input
    - *pulls_up_ohm*: the pull-up resistor to the supply of the part
    - *stands_ma*: the maximum current through the terminal
    - *needs_v*: the input voltage at which a transistor is fully on
    - *ground*: whether the terminal is the ground of the part
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Something to buy: its function, its *value*, what to look for, and alternatives.

    *price_eur* is an estimate, made in the month *priced*. *mpn* is the manufacturer's part number; a product without
    one is generic. *data_sheet* is the title of its data sheet, and *checked* what was compared with that data sheet,
    empty if nothing was.
    """

    function: str
    value: str
    look_for: str
    instead: str
    price_eur: float
    priced: str = "2026-11"
    manufacturer: str = ""
    mpn: str = ""
    data_sheet: str = ""
    checked: str = ""

    @property
    def short_value(self) -> str:
        """The first words of the value: ``470 µF``, ``IRLZ44N``."""
        return self.value.partition(",")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartKind(Product):
    """A kind of part: what to buy, and its *terminals*.

    In the *mpn* of a resistor, ``{ohm}`` is the place of its resistance. *designator* is the letter of its reference
    designators, such as ``R``. A part that is *on_usb* has a USB plug, shares the ground of the Pi, and draws up to
    *most_ma* from USB. *pinout* is the rows of its pins in their order, *seen_from* the side from which they are in it,
    and *pinout_from* the data sheet that has it, if it was checked.
    """

    name: str
    symbol: str
    designator: str
    terminals: Mapping[str, Terminal]
    on_usb: bool = False
    most_ma: float = 0
    pinout: Sequence[Sequence[str]] = ()
    seen_from: str = ""
    pinout_from: str = ""


def _data(name: str) -> dict[str, Any]:
    return read_data(PACKAGE, name)


@cache
def circuits_in(folder: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the circuit files of the kinds in *folder*, such as ``readers``, keyed by kind.

    The file of a plug-in's kind is beside the module that its entry point names.
    """
    files = resources.files(f"{PACKAGE}.{folder}").iterdir()
    ours = sorted(file.name[:-5] for file in files if file.name.endswith(".toml"))
    packages = dict.fromkeys(ours, f"{PACKAGE}.{folder}")
    for entry in entry_points(group=f"reboard.{folder}"):
        package, file = entry.module.rpartition(".")[0], f"{entry.name}.toml"
        if package and resources.files(package).joinpath(file).is_file():
            packages.setdefault(entry.name, package)
    return {name: read_data(package, name) for name, package in packages.items()}


def with_kind(circuit: Mapping[str, Any], folder: str, kind: str | None) -> Mapping[str, Any]:
    """Return a *circuit* file with the parts and wires of one of the kinds in *folder*, if it has a file."""
    more = circuits_in(folder).get(kind or "", {})
    parts, wires = [*more.get("part", ()), *circuit.get("part", ())], [*circuit["wire"], *more.get("wire", ())]
    return {**circuit, "part": parts, "wire": wires}


@cache
def kinds() -> Mapping[str, PartKind]:
    """Return all kinds of parts, keyed by name."""
    parts = dict(_data("parts"))
    for folder in KIND_FOLDERS:
        for circuit in circuits_in(folder).values():
            parts |= circuit.get("parts", {})
    return {name: _kind(name, dict(facts)) for name, facts in parts.items()}


def _kind(name: str, facts: dict[str, Any]) -> PartKind:
    terminals = {label: _terminal(dict(each)) for label, each in facts.pop("terminals").items()}
    return PartKind(name=name, terminals=terminals, **facts)


def _terminal(facts: dict[str, Any]) -> Terminal:
    if "takes_v" in facts:
        low, high = facts.pop("takes_v")
        facts["takes_v"] = (low, high)
    return Terminal(**facts)


GROUND, POWER_3V3, POWER_5V = "ground", "3.3V", "5V"
RAILS: Mapping[str, float] = {GROUND: 0.0, POWER_3V3: 3.3, POWER_5V: 5.0}
"""The voltages of the rails on the header, keyed by net."""


@dataclass(frozen=True, slots=True)
class PinLimits:
    """The electrical data and limits of the GPIO pins."""

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
        """The highest voltage that the electrical rules allow at a GPIO pin."""
        return self.let_through(self.stands_v)

    def let_through(self, stands_v: float) -> float:
        """Return the highest voltage that the electrical rules allow at an input with the limit *stands_v*.

        It is the limit plus the tolerance of supplies and meters.
        """
        return stands_v + self.tolerance_v


@dataclass(frozen=True, slots=True)
class Job:
    """A function of the Pi that uses the pins *gpios*, such as SPI.

    *is_on* is whether `reboard setup boot` or the OS switches the function on. The command *free* switches it off. If a
    circuit has a part of a kind in *taken_for*, the kernel reserves all of these pins. Findings then give the reason
    *why_taken*, and otherwise the reason *why*.
    """

    name: str
    gpios: tuple[int, ...]
    is_on: bool
    why: str
    free: str = ""
    taken_for: tuple[str, ...] = ()
    why_taken: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the Raspberry Pi: its typical and its largest current, its sockets, and its recommended power supply.

    *plug* is its supply socket, made for *plug_ma*. *usb_ma* is what its USB sockets give, 0 without a limit of their
    own, and *usb_weak_ma* with a smaller supply than the recommended one. *has_jack* is whether the model has a
    headphone jack. *largest_a* is the current of the largest supply of which it can take everything. *has_poe* is
    whether a PoE hat fits, and *has_debug_plug* whether ``serial0`` is a plug of its own instead of the header.
    *has_more_uarts* is whether overlays can put further serial ports on the header. *is_in_guides* is whether the
    guides and the parts list name it.
    """

    name: str
    takes_ma: float
    peak_ma: float
    plug: str
    plug_ma: float
    usb_ma: float
    usb_weak_ma: float
    usb_sockets: int
    has_jack: bool
    supply_a: float
    largest_a: float
    price_eur: float
    note: str
    has_poe: bool = False
    has_debug_plug: bool = False
    has_more_uarts: bool = False
    is_in_guides: bool = True


@cache
def header() -> tuple[str, ...]:
    """Return the net of each of the 40 header pins, from pin 1, such as ``3.3V``, ``ground`` or ``GPIO17``."""
    return tuple(_data("pi")["header"])


@cache
def pin_limits() -> PinLimits:
    """Return the limits of the GPIO pins from ``pi.toml``."""
    limits = dict(_data("pi")["pin"])
    return PinLimits(pulled_up_at_start=tuple(limits.pop("pulled_up_at_start")), **limits)


@cache
def jobs() -> tuple[Job, ...]:
    """Return the functions of the Pi that use GPIO pins."""
    lists = ("gpios", "taken_for")
    return tuple(Job(**job | {key: tuple(job.get(key, ())) for key in lists}) for job in _data("pi")["job"])


@cache
def models() -> Mapping[str, Model]:
    """Return all models, keyed by their value of ``wiring.pi``."""
    return {name: Model(**model) for name, model in _data("pi")["model"].items()}


def poe_supply_a() -> float:
    """Return the current of a PoE hat, in amperes."""
    return float(_data("pi")["poe"]["supply_a"])


def hub_ma() -> float:
    """Return the largest current of a USB hub without its devices, in mA."""
    return float(_data("pi")["hub"]["takes_ma"])


def gpio(number: int) -> str:
    """Return the net of the GPIO pin with the BCM *number*: ``GPIO17``."""
    return f"GPIO{number}"


def gpio_number(net: str) -> int | None:
    """Return the BCM number of the GPIO pin of *net*, or ``None`` if *net* is not a GPIO net."""
    digits = net.removeprefix("GPIO")
    return int(digits) if digits != net and digits.isdecimal() else None


def header_pin(net: str, *, near: int = 1, without: Collection[int] = ()) -> int:
    """Return the number of a pin on the header, 1 to 40, for a GPIO net or a rail.

    If a rail has several pins, return the pin nearest to *near*. Avoid the pins in *without* if possible.
    """
    numbers = [number for number, label in enumerate(header(), start=1) if label == net]
    free = [number for number in numbers if number not in without]
    return min(free or numbers, key=lambda number: (abs(number - near), number))
