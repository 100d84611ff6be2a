"""What there is to buy: ``hardware/parts.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from reboard.wiring.shipped import shipped


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a terminal does to its wire. With nothing said it is a mere contact.

    *takes_v*: it is fed with so many volts, and takes *takes_ma* at work, *most_ma* at the most. *gives_v*: it feeds.
    *gives_ma* is the most that it feeds with; ``None``: as much as USB and the Pi's supply have.
    *drives_v*: how high its signal goes; ``"power"``: as high as what feeds it. *drives_from_v*: boards differ, and
    this is the least high of those that our guides have behind a divider. *listens_v*: how much an input stands.
    *pulls_up_ohm*: a resistor to what feeds it. *stands_ma*: the most that may flow through it. *wants_v*: how high it
    has to be, to be fully on.
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
    wants_v: float | None = None
    ground: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of part: what it is for, what to look for in a shop, and its *terminals*.

    *on_usb*: it is plugged into USB, whose ground is the Pi's, and takes *most_ma* there.
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


@cache
def kinds() -> Mapping[str, Kind]:
    """Every kind of part, by its name."""
    return {name: _kind(name, dict(said)) for name, said in shipped("parts").items()}


def _kind(name: str, said: dict[str, Any]) -> Kind:
    terminals = {label: _terminal(dict(facts)) for label, facts in said.pop("terminals").items()}
    return Kind(name=name, terminals=terminals, **said)


def _terminal(facts: dict[str, Any]) -> Terminal:
    if "takes_v" in facts:
        low, high = facts.pop("takes_v")
        facts["takes_v"] = (low, high)
    return Terminal(**facts)
