"""``reboard check``: describe a config, and with ``--electrical`` check whether its wiring can work.

``pins.start``: a lamp or motor on 0 to 8, which are high while the Pi starts. Source: *BCM2835 ARM Peripherals*, table
    6-31.
``currents.pins``: more than 50 mA from all pins. Source: Raspberry Pi documentation, *Power supply*.
``wiring.unused``: a table in ``[wiring]`` that no device uses.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from math import inf
from pathlib import Path

from reboard.accessories.installed import findings_on
from reboard.commands.output import FindingPrinter
from reboard.config.reading import DEFAULT_CONFIG
from reboard.devices.sound_card import speaker_findings
from reboard.doctor.mqtt_broker import plain_password, unusable_files
from reboard.finding import Finding, apart, fine, note, wrong
from reboard.netlist import electrical_rules, supply_rules
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import models, pin_limits
from reboard.table_config import TableConfig, describe, load_config
from reboard.wiring.table_netlist import all_devices, circuit_of


def check(file: Path, *, electrical: bool) -> bool:
    """Print a description of the config in *file*, and the findings. Return ``True`` if there is no fault.

    With *electrical*, also check the wiring. For the config of the services, also print the command that makes them use
    a change. Raises `ConfigError` for an invalid config.
    """
    config = load_config(file)
    print(describe(config))
    printer = FindingPrinter()
    for finding in (*accessory_findings(config), *speaker_findings(config.speaker)):
        printer.show(finding)
    if config.mqtt:
        for finding in (*plain_password(config.mqtt), *unusable_files(config.mqtt)):
            printer.show(finding)
    if not electrical:
        if file == DEFAULT_CONFIG:
            services = "reboard reboard-page reboard-mqtt" if config.mqtt else "reboard reboard-page"
            print(f"\nAfter a change run `sudo systemctl reload-or-restart {services}`.")
        return not printer.wrong
    for finding in electrical_findings(config):
        printer.show(finding)
    printer.sum_up()
    return not printer.wrong


def accessory_findings(config: TableConfig) -> Iterator[Finding]:
    """Yield the findings of each accessory on its section, such as slots that read different cards."""
    for name, section in config.sections.items():
        yield from findings_on(name, config.accessory(name), section)


def electrical_findings(config: TableConfig) -> Iterator[Finding]:
    """Yield the findings on the wiring of *config*, grouped by area."""
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
    findings += _unused_tables(config)
    findings += electrical_rules.open_ends(circuit)
    findings += electrical_rules.too_high(circuit)
    findings += electrical_rules.too_low(circuit)
    findings += electrical_rules.wrong_supplies(circuit)
    findings += _all_pins(circuit, config, is_any_too_much="currents.pin" in names)
    findings += electrical_rules.overloaded_adapters(circuit)
    findings += supply_rules.currents(circuit, model, config.wiring.supply_a, config.wiring.power)
    areas = list(dict.fromkeys(finding.area for finding in (*findings, *devices)))
    yield from sorted([*findings, *devices], key=lambda finding: areas.index(finding.area))


def _unused_tables(config: TableConfig) -> Iterator[Finding]:
    """Yield a finding for each table in ``[wiring]`` that no device of *config* uses."""
    used = {device.wiring for device, _, _ in all_devices(config) if device.config is not None}
    for name, settings in config.document.get("wiring", {}).items():
        if isinstance(settings, dict) and name not in used:
            yield note("wiring.unused", f"No device of this table uses [wiring.{name}].", "Remove it.")


def _all_pins(circuit: Circuit, config: TableConfig, *, is_any_too_much: bool) -> Iterator[Finding]:
    limit_ma = pin_limits().most_of_all_ma
    total = sum(map(circuit.pull_ma, circuit.used_pins()))
    for device, of_kind, wiring in all_devices(config):
        total += of_kind.pin_ma(circuit, device, wiring) if device.config is not None else 0
    if limit_ma < total < inf:
        what = f"All pins together supply {apart(total, limit_ma, 0)} mA, but the limit is {limit_ma} mA."
        yield wrong("currents.pins", what, "Switch the largest loads with transistors.")
    elif not is_any_too_much:
        yield fine("currents.pins", f"All pins together supply {total:.0f} mA. The limit is {limit_ma} mA.")


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard check``."""
    parser.add_argument("--electrical", action="store_true", help="also check whether the wiring can work")


def main(args: Namespace) -> bool:
    """Check the config. Return ``True`` if it has no fault."""
    return check(args.config, electrical=args.electrical)
