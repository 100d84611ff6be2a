"""The tables of the Pi: its pins, and the services of systemd."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from docs.tables.markdown import code, table
from hardware.making.builds import BUILDS
from reboard.config.pins_and_ports import FIRST_PIN, LAST_PIN
from reboard.netlist.hardware_data import jobs, pin_limits

SYSTEMD = Path(__file__).parents[2] / "systemd"
DEVICES = {
    "gpiochip": "pins",
    "ttyAMA": "serial lines",
    "i2c": "I²C",
    "spi": "SPI",
    "alsa": "sound",
    "input": "USB readers",
}
"""The words for the devices that a service may use, keyed by the name of their driver."""


def pins() -> str:
    """Return the table of the pins by BCM number: what else uses them, and what they have in our own wiring."""
    return table("pins | also belong to | while the Pi starts | our wiring", _pins())


def _pins() -> Iterator[Sequence[str]]:
    users = BUILDS["all"].circuit().users
    for (job, start), alike in groupby(range(FIRST_PIN, LAST_PIN + 1), lambda pin: (_job(pin), _at_start(pin))):
        numbers = list(alike)
        ours: dict[str, list[str]] = {}
        for pin in numbers:
            for user in users.get(f"GPIO{pin}", ()):
                ours.setdefault(user, []).append(str(pin))
        used = (f"{user} {', '.join(each)}" for user, each in ours.items())
        yield ", ".join(map(str, numbers)), job, start, "; ".join(used)


def _job(pin: int) -> str:
    return next((f"{job.name}, {'on' if job.is_on else 'off'}" for job in jobs() if pin in job.gpios), "")


def _at_start(pin: int) -> str:
    return "high" if pin in pin_limits().pulled_up_at_start else "low"


def units() -> str:
    """Return the table of the services: as which user each runs, and what it can reach."""
    return table("unit | what it is | user | devices | network", map(_unit, sorted(SYSTEMD.glob("*.service"))))


def _unit(file: Path) -> Sequence[str]:
    settings: dict[str, list[str]] = {}
    for line in file.read_text("utf-8").splitlines():
        name, is_setting, value = line.partition("=")
        if is_setting:
            settings.setdefault(name, []).append(value)
    [description] = settings["Description"]
    devices = (words for name, words in DEVICES.items() if f"char-{name} rw" in settings.get("DeviceAllow", ()))
    has_network = "AF_INET" in " ".join(settings["RestrictAddressFamilies"]).split()
    return (
        f"`{file.stem}`",
        description.removeprefix("reboard, "),
        code(settings.get("User", ["root"])),
        ", ".join(devices) or "none",
        "yes" if has_network else "none",
    )


TABLES: Mapping[str, Callable[..., str]] = {"pins": pins, "units of systemd": units}
