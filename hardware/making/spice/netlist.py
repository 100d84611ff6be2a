"""A circuit as SPICE text: the circuit's nets join its parts, each a subcircuit from ``hardware/spice/models.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from hardware.making.builds import HARDWARE
from reboard.netlist.circuit import Circuit, Part
from reboard.netlist.hardware_data import GROUND, POWER_3V3, POWER_5V, kinds, pin_limits

FOLDER = HARDWARE / "spice"
"""The models, and what was simulated with them."""

PI, PIN = "raspberry-pi", "gpio-pin"
RAILS = {GROUND: "0", POWER_3V3: "p3v3", POWER_5V: "p5v"}
Conditions = Mapping[str, str]
"""Parameters of parts, keyed by name, and of pins, keyed by net: ``{"GPIO13": "drive=40 v0=3.3"}``."""


@cache
def models() -> Mapping[str, Any]:
    """Return the models, keyed by kind of part."""
    data = tomllib.loads((FOLDER / "models.toml").read_text(encoding="utf-8"))
    return {kind: data[model["as"]] if "as" in model else model for kind, model in data.items()}


def node(net: str) -> str:
    """Return the SPICE node of a net, such as ``apple_motor_motor_plus`` for ``apple.motor: motor +``."""
    return RAILS.get(net) or _node(net)


def _node(name: str) -> str:
    words = re.sub(r"\W+", "_", name.replace("+", " plus").replace("-", " minus")).strip("_").lower()
    if words == "gnd":  # which ngspice takes for node 0, even inside a subcircuit
        return "ground"
    return f"n{words}" if words[0].isdigit() else words


def element(part: Part) -> str:
    """Return the name of the SPICE element of a part, such as ``xr101``."""
    return f"x{part.designator}".lower()


def netlist(circuit: Circuit, conditions: Conditions) -> str:
    """Return *circuit* as SPICE text, with the Pi and the models of its parts.

    Raises ``ValueError`` if *conditions* name something that is not in the circuit.
    """
    parts = [part for part in circuit.parts if part.nets]
    pins = circuit.used_pins()
    if strangers := conditions.keys() - {PI, *pins, *(part.name for part in parts)}:
        raise ValueError(f"not in the circuit: {', '.join(sorted(strangers))}")
    lines = [".global p3v3 p5v", f"xpi p3v3 p5v {_name(PI)} {conditions.get(PI, '')}".rstrip()]
    for net in pins:
        # resistors on the Pi's board itself, then what the condition says
        pulls = [f"up={ohm:g}" for name, ohm in pin_limits().pulls_up_ohm.items() if name == net]
        lines.append(" ".join([f"x{node(net)} {node(net)} {_name(PIN)}", *pulls, *conditions.get(net, "").split()]))
    lines += [_element(part, conditions.get(part.name, "")) for part in parts]
    used = dict.fromkeys([PI, PIN, *(part.kind.name for part in parts)])
    return "\n".join([*lines, *(subcircuit(kind) for kind in used)]) + "\n"


def _name(kind: str) -> str:
    # ngspice takes the - of a name for an operator
    return kind.replace("-", "_")


def _terminals(kind: str) -> list[str]:
    return {PI: ["3V3", "5V"], PIN: ["io"]}.get(kind) or list(kinds()[kind].terminals)


def _element(part: Part, condition: str) -> str:
    # a terminal without a wire gets a node of its own
    nodes = [
        node(part.nets[label]) if label in part.nets else f"open_{part.designator.lower()}_{place}"
        for place, label in enumerate(_terminals(part.kind.name))
    ]
    own = [f"{name}={value:g}" for name, value in _values(part) if name in models()[part.kind.name]["params"]]
    return " ".join([element(part), *nodes, _name(part.kind.name), *own, *condition.split()])


def _values(part: Part) -> Iterator[tuple[str, float]]:
    if part.ohm:
        yield "ohm", part.ohm
    if part.most_ma:
        yield from (("takes_ma", part.takes_ma), ("most_ma", part.most_ma))
    yield from (("gives_v", terminal.gives_v) for terminal in part.kind.terminals.values() if terminal.gives_v)


def subcircuit(kind: str) -> str:
    """Return the model of a kind of part as SPICE text."""
    model = models()[kind]
    nodes = [_node(label) for label in _terminals(kind)]
    params = " ".join(f"{name}={value}" for name, value in model["params"].items())
    head = f".subckt {_name(kind)} {' '.join(nodes)}" + (f" params: {params}" if params else "")
    return f"{head}\n{model['body'].strip()}\n.ends"
