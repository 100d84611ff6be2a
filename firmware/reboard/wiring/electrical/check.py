"""The whole electrical check of a config."""

from __future__ import annotations

from collections.abc import Iterator

from reboard.config import TableConfig
from reboard.finding import Finding
from reboard.wiring.electrical import currents, display, feeding, lamp, levels, motor, pins, readers, sound, supply
from reboard.wiring.soldering import circuit_of


def electrical_findings(config: TableConfig) -> Iterator[Finding]:
    """Everything about *config*, wired as its ``[wiring]`` says, that a maker should know before switching on."""
    circuit, wiring = circuit_of(config), config.wiring
    yield from pins.used_twice(circuit)
    yield from pins.other_jobs(circuit)
    yield from pins.high_at_start(circuit)
    yield from levels.too_high(circuit)
    yield from levels.too_low(circuit)
    yield from feeding.fed_wrongly(circuit)
    yield from readers.measured(circuit)
    yield from readers.not_on_a_line(config)
    yield from readers.on_unknown_pins(config)
    yield from display.on_another_bus(config)
    yield from currents.too_much_for_a_pin(circuit, wiring)
    yield from lamp.bright_lamp(circuit, wiring)
    yield from lamp.dark_lamp(circuit, wiring)
    yield from feeding.adapters(circuit)
    yield from supply.whole(circuit, wiring)
    yield from motor.gate(circuit)
    yield from motor.carried(circuit)
    yield from motor.diode(circuit)
    yield from motor.capacitors(circuit)
    yield from motor.common_ground(circuit)
    yield from sound.jack(config)
