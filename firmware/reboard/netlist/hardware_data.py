"""The data of parts and of the Raspberry Pi, from ``parts.toml``, ``displays/``, ``readers/`` and ``pi.toml``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, Literal

from reboard.config.kinds import Section, Several, flag
from reboard.config.reading import KeyPath, Lines, Reader, Reading, called, did_you_mean, parse_toml, shown
from reboard.errors import PLUG_IN_ERRORS, ConfigError
from reboard.netlist.parts_file import MILLIAMPERES, OHMS, VOLTS, Amount, circuit_file, each, volts_or_power, words

PACKAGE = "reboard.netlist"
KIND_FOLDERS = ("displays", "readers")
"""The folders with the parts of the kinds of a device."""


@cache
def _read(package: str, name: str) -> tuple[Path, dict[str, Any], Lines]:
    with resources.as_file(resources.files(package).joinpath(f"{name}.toml")) as file:
        return file, *parse_toml(file.read_bytes(), file)


def read_data(package: str, name: str) -> dict[str, Any]:
    """Return the content of ``<name>.toml`` in a *package*. All callers share the result, so do not change it.

    Raises `ConfigError` if the file is not TOML.
    """
    return _read(package, name)[1]


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

    takes_v: Annotated[tuple[float, float] | None, Several(VOLTS, 2, 2)] = None
    takes_ma: Annotated[float, MILLIAMPERES] = 0
    most_ma: Annotated[float, MILLIAMPERES] = 0
    gives_v: Annotated[float | None, VOLTS] = None
    gives_ma: Annotated[float | None, MILLIAMPERES] = None
    drives_v: Annotated[float | Literal["power"] | None, volts_or_power] = None
    drives_from_v: Annotated[float | None, VOLTS] = None
    listens_v: Annotated[float | None, VOLTS] = None
    pulls_up_ohm: Annotated[float | None, OHMS] = None
    stands_ma: Annotated[float | None, MILLIAMPERES] = None
    needs_v: Annotated[float | None, VOLTS] = None
    ground: Annotated[bool, flag] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Something to buy: its function, its *value*, what to look for, and alternatives.

    *price_eur* is an estimate, made in the month *priced*. *mpn* is the manufacturer's part number; a product without
    one is generic. *data_sheet* is the title of its data sheet, and *checked* what was compared with that data sheet,
    empty if nothing was.
    """

    function: Annotated[str, words]
    value: Annotated[str, words]
    look_for: Annotated[str, words]
    instead: Annotated[str, words]
    price_eur: Annotated[float, Amount(0, 10_000, "euros")]
    priced: Annotated[str, words] = "2026-11"
    manufacturer: Annotated[str, words] = ""
    mpn: Annotated[str, words] = ""
    data_sheet: Annotated[str, words] = ""
    checked: Annotated[str, words] = ""

    @property
    def short_value(self) -> str:
        """The first words of the value: ``470 µF``, ``IRLZ44N``."""
        return self.value.partition(",")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartKind(Product):
    """A kind of part: what to buy, and its *terminals*.

    In the *mpn* of a resistor, ``{ohm}`` is the place of its resistance. *job* is the function of the Pi that it uses,
    such as ``SPI``, if the kernel reserves the pins for it. *designator* is the letter of its reference
    designators, such as ``R``. A part that is *on_usb* has a USB plug, shares the ground of the Pi, and draws up to
    *most_ma* from USB. *pinout* is the rows of its pins in their order, *seen_from* the side from which they are in it,
    and *pinout_from* the data sheet that has it, if it was checked.
    """

    name: str
    symbol: Annotated[str, words]
    designator: Annotated[str, words]
    terminals: Annotated[Mapping[str, Terminal], each(Section(Terminal))]
    on_usb: Annotated[bool, flag] = False
    job: Annotated[str, words] = ""
    most_ma: Annotated[float, MILLIAMPERES] = 0
    pinout: Annotated[Sequence[Sequence[str]], Several(Several(words, 1, 40), 1, 4)] = ()
    seen_from: Annotated[str, words] = ""
    pinout_from: Annotated[str, words] = ""


def _data(name: str) -> dict[str, Any]:
    return read_data(PACKAGE, name)


@cache
def _packages(folder: str) -> Mapping[str, str]:
    """Return the package with the circuit file of each of the kinds in *folder*."""
    files = resources.files(f"{PACKAGE}.{folder}").iterdir()
    ours = sorted(file.name[:-5] for file in files if file.name.endswith(".toml"))
    packages = dict.fromkeys(ours, f"{PACKAGE}.{folder}")
    for entry in entry_points(group=f"reboard.{folder}"):
        package, file = entry.module.rpartition(".")[0], f"{entry.name}.toml"
        with suppress(*PLUG_IN_ERRORS):  # a package that cannot be imported is reported where its kind is loaded
            if package and resources.files(package).joinpath(file).is_file():
                packages.setdefault(entry.name, package)
    return packages


def circuit_of_kind(folder: str, kind: str) -> Mapping[str, Any] | None:
    """Return the circuit file of one of the kinds in *folder*, such as ``readers``, or ``None`` if it has none.

    The file of a plug-in's kind is beside the module that its entry point names. Raises `ConfigError` if it is wrong.
    """
    package = _packages(folder).get(kind)
    return _checked(package, kind) if package else None


def with_kind(circuit: Mapping[str, Any], folder: str, kind: str | None) -> Mapping[str, Any]:
    """Return a *circuit* file with the parts and wires of one of the kinds in *folder*, see `circuit_of_kind`.

    The circuit of a kind without a file has no parts: a level shifter, say, would be connected to nothing.
    """
    if kind is None:
        return circuit
    more = circuit_of_kind(folder, kind)
    if more is None:
        return {**circuit, "part": ()}
    parts, wires = [*more.get("part", ()), *circuit.get("part", ())], [*circuit["wire"], *more.get("wire", ())]
    return {**circuit, "part": parts, "wire": wires}


@cache
def _checked(package: str, kind: str) -> Mapping[str, Any]:
    known = {**kinds(), **_kinds_in(package, kind, "parts")}
    file, document, lines = _read(package, kind)
    Reading(file, lines).read(circuit_file({name: part.terminals for name, part in known.items()}), document)
    return document


@cache
def kinds() -> Mapping[str, PartKind]:
    """Return all kinds of parts, keyed by name. Raises `ConfigError` for one of ours that is wrong in its file."""
    parts = _kinds_in(PACKAGE, "parts")
    for folder in KIND_FOLDERS:
        for name, package in _packages(folder).items():
            # a table that has the kind of a plug-in checks its file, and no other table must
            with suppress(*() if package.startswith(f"{PACKAGE}.") else [ConfigError]):
                parts = {**parts, **_kinds_in(package, name, "parts"), **parts}
    return parts


@cache
def _keys() -> Mapping[str, Reader[object]]:
    return Section(PartKind, name="").keys


def _kinds_in(package: str, name: str, *path: str) -> dict[str, PartKind]:
    file, document, lines = _read(package, name)

    def read(reading: Reading, _: KeyPath, tables: object, /) -> dict[str, PartKind]:
        if not isinstance(tables, dict):
            raise reading.must_be(path, "a table", tables)
        return {
            kind: Section(PartKind, _keys(), then=_check_pinout, name=kind)(reading, (*path, kind), facts)
            for kind, facts in tables.items()
        }

    return Reading(file, lines).read(read, document.get("parts", {}) if path else document)


def _check_pinout(reading: Reading, path: KeyPath, kind: PartKind) -> None:
    pins = {pin for row in kind.pinout for pin in row}
    for terminal in kind.terminals:
        if pins and terminal not in pins:
            hint = did_you_mean(terminal, pins) or f": its pins are {', '.join(sorted(pins))}"
            reading.wrong((*path, "pinout"), f"{called((*path, 'pinout'))} lacks the terminal {shown(terminal)}{hint}")


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
    circuit has a part that takes this job, the kernel reserves all of these pins. Findings then give the reason
    *why_taken*, and otherwise the reason *why*. Such parts share the pins *shared*.
    """

    name: str
    gpios: tuple[int, ...]
    is_on: bool
    why: str
    free: str = ""
    shared: tuple[int, ...] = ()
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
    lists = ("gpios", "shared")
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
