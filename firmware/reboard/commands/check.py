"""``reboard check``: the meaning of a config; ``--electrical``: whether its wiring can work."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from math import inf
from pathlib import Path

from reboard.accessories.accessory import accessories
from reboard.commands.output import FindingPrinter
from reboard.finding import Finding, all_of, apart, fine, note, wrong
from reboard.netlist import electrical_rules
from reboard.netlist.circuit import Circuit, Part
from reboard.netlist.electrical_rules import most_taken_at
from reboard.netlist.hardware_data import hub_ma, models, pin_limits
from reboard.table_config import TableConfig, Wiring, describe, load_config
from reboard.wiring.table_netlist import all_devices, circuit_of

SUPPLIES_A = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
"""The sizes in which 5 V supplies are sold."""


def check(file: Path, *, electrical: bool) -> bool:
    """Print the meaning of the config in *file*; return whether it has no fault. Raises `ConfigError` for a bad one."""
    config = load_config(file)
    print(describe(config))
    printer = FindingPrinter()
    for name, section in config.sections.items():
        for finding in accessories()[name].findings(section):
            printer.show(finding)
    if not electrical:
        return not printer.wrong
    for finding in electrical_findings(config):
        printer.show(finding)
    printer.sum_up()
    return not printer.wrong


def electrical_findings(config: TableConfig) -> Iterator[Finding]:
    """Yield the findings for a maker before the first power-on, area by area."""
    circuit = circuit_of(config)
    model = models()[config.wiring.pi]
    devices = [
        finding
        for device, of_kind, wiring in all_devices(config)
        for finding in of_kind.rules(circuit, device, wiring, model)
    ]
    names = {finding.name for finding in devices}
    findings = [*electrical_rules.used_twice(circuit), *electrical_rules.other_jobs(circuit)]
    if "pins.start" not in names:
        findings.append(fine("pins.start", "Nothing is switched on while the Pi starts."))
    findings += electrical_rules.too_high(circuit)
    findings += electrical_rules.too_low(circuit)
    findings += electrical_rules.wrong_supplies(circuit)
    findings += _all_pins(circuit, config, is_any_too_much="currents.pin" in names)
    findings += electrical_rules.overloaded_adapters(circuit)
    findings.append(supply(circuit, config.wiring))
    areas = list(dict.fromkeys(finding.area for finding in (*findings, *devices)))
    yield from sorted([*findings, *devices], key=lambda finding: areas.index(finding.area))


def _all_pins(circuit: Circuit, config: TableConfig, *, is_any_too_much: bool) -> Iterator[Finding]:
    limit_ma = pin_limits().most_of_all_ma
    total = sum(map(circuit.pull_ma, circuit.used_pins()))
    for device, of_kind, wiring in all_devices(config):
        total += of_kind.pin_ma(circuit, device, wiring) if device.config is not None else 0
    if limit_ma < total < inf:
        what = f"All pins together give {apart(total, limit_ma, 0)} mA, and may give {limit_ma} mA."
        yield wrong("currents.pins", what, "Switch the largest loads with transistors.")
    elif not is_any_too_much:
        yield fine("currents.pins", f"All pins together give {total:.0f} mA of {limit_ma} mA.")


def supply(circuit: Circuit, wiring: Wiring) -> Finding:
    """Return whether the supply can power the whole table."""
    model = models()[wiring.pi]
    written_a = wiring.supply_a or model.supply_a
    supply_a = min(written_a, model.largest_a)
    on_usb = sum(part.kind.on_usb for part in circuit.parts)
    own_ma = model.takes_ma + (hub_ma() if on_usb > model.usb_sockets else 0)
    takes_a = (own_ma + sum(_takes_ma(circuit, part) for part in circuit.parts)) / 1000
    starting = [part for part in circuit.parts if part.most_ma > part.takes_ma and circuit.is_fed_by_the_pi(part)]
    most_a = takes_a + sum((part.most_ma - part.takes_ma) / 1000 for part in starting)
    names = all_of(list(dict.fromkeys(f"the {part.name}" for part in starting)))
    gives = f"The supply gives {written_a:g} A"
    if written_a > supply_a:
        gives += f", of which {supply_a:g} A count: no supply for a {model.name} gives more"
    takes = f"The {model.name} (typically {model.takes_ma / 1000:.2f} A) and all its parts (at most) take "
    takes += f"{apart(takes_a, supply_a, 2)} A."
    if starting:
        takes += f" When {names} starts or is held fast, that is {most_a - takes_a:.2f} A more: "
        takes += f"{apart(most_a, supply_a, 2)} A in all."
    if most_a <= supply_a:
        return fine("currents.supply", f"{takes} {gives}.")
    what = f"{takes} {gives}{'.' if takes_a > supply_a else ': the Pi would restart.'}"
    own_supply = f"give {names} its own supply (docs/config.md, [wiring])"
    if most_a > model.largest_a:
        advice = own_supply if starting else "use fewer parts, and give the largest loads their own supply"
        return wrong(
            "currents.supply", what, f"No supply for a {model.name} gives more than {model.largest_a:g} A: {advice}."
        )
    size_a = next((size for size in SUPPLIES_A if size >= most_a), model.largest_a)
    larger = f"Take a supply of {size_a:g} A{' or more' if size_a < model.largest_a else ''} (`supply_a = {size_a:g}`)"
    if takes_a > supply_a:
        return wrong("currents.supply", what, f"{larger}.")
    return note("currents.supply", what, f"{larger}, or {own_supply}.")


def _takes_ma(circuit: Circuit, part: Part) -> float:
    own_ma = part.kind.most_ma if part.kind.on_usb else 0
    own_ma += part.takes_ma if circuit.is_fed_by_the_pi(part) else 0
    return own_ma + sum(map(most_taken_at, part.kind.terminals.values()))


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard check``."""
    parser.add_argument("--electrical", action="store_true", help="also check whether the wiring can work")


def main(args: Namespace) -> bool:
    """Check the config; return whether it has no problem."""
    return check(args.config, electrical=args.electrical)
