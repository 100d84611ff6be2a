"""The circuit of a lamp: an LED, its resistor, and a transistor if there is one.

``currents.pin``: a pin above 16 mA: a lamp with too small a resistor (LEDs from 2.5 V are calculated with 0.4 V less).
    A motor without a transistor is always wrong. Source: Raspberry Pi documentation, *Power supply*.
``currents.lamp``: a lamp behind a transistor without a resistor, or above 20 mA. Source: LED data sheets; BC337.
``currents.dark``: a lamp with too few volts (LEDs from 2.5 V are calculated with 0.4 V more), or below 1 mA. Source:
    Vishay TLLR5400.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import ceil, inf
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, Device, DeviceCircuit
from reboard.devices.lamp import LampWiring
from reboard.finding import Finding, apart, note, wrong
from reboard.netlist.circuit import Circuit, ohms
from reboard.netlist.electrical_rules import choose_another_pin, on_header
from reboard.netlist.hardware_data import POWER_5V, RAILS, Model, gpio, kinds, pin_limits
from reboard.netlist.netlist_builder import Fact

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

BASE_V = 0.7
"""The base-emitter voltage of a transistor that is on, in volts."""

COLLECTOR_V = 0.2
"""The collector-emitter voltage of a transistor that is on, in volts."""

SPREAD_V = 0.4
"""The tolerance of the forward voltage of white, blue and most green LEDs, in volts: an LED rated at 3.2 V can
drop 2.8 to 3.6 V."""

SPREADS_FROM_V = 2.5
"""The forward voltage, in volts, from which the tolerance is considered. The forward voltage of red and yellow LEDs is
lower: at least 1.3 V drops across their resistor, so the tolerance hardly matters."""

LEAST_SEEN_MA = 1.0
"""The current below which an LED hardly glows, in mA. Manufacturers specify the brightness of low-current LEDs at 2 mA
(Vishay TLLR5400, HLMP-4700). We chose half of that current."""

WHICH_RESISTOR = 'The section "Which resistor" in docs/wiring.md lists the resistors for LEDs.'


def _behind_transistor_v() -> float:
    return RAILS[POWER_5V] - COLLECTOR_V


def _lowest_led_v(wiring: LampWiring) -> float:
    return wiring.led_v - SPREAD_V if wiring.led_v >= SPREADS_FROM_V else wiring.led_v


def _highest_led_v(wiring: LampWiring) -> float:
    return wiring.led_v + SPREAD_V if wiring.led_v >= SPREADS_FROM_V else wiring.led_v


def _led_ma(volts: float, ohm: float) -> float:
    return max(0.0, volts) / ohm * 1000 if ohm else inf


def on_pin_ma(wiring: LampWiring) -> float:
    """Return the largest current of an LED on a pin, in mA."""
    return _led_ma(pin_limits().gives_v - _lowest_led_v(wiring), wiring.resistor_ohm)


def _behind_transistor_ma(wiring: LampWiring) -> float:
    return _led_ma(_behind_transistor_v() - wiring.led_v, wiring.resistor_ohm)


def _stands_ma() -> float:
    return kinds()["led"].terminals["+"].stands_ma or inf


class LampCircuit(DeviceCircuit):
    """The circuit of an LED that a pin drives, directly or through a transistor with 5 V."""

    def facts(self, device: Device, wiring: LampWiring) -> dict[str, Fact]:
        takes_ma = _behind_transistor_ma(wiring)
        return {**super().facts(device, wiring), "supply_ma": None if takes_ma == inf else takes_ma}

    def rules(self, circuit: Circuit, device: Device, wiring: LampWiring, model: Model) -> Iterator[Finding]:
        if device.config is None:
            return
        net = gpio(device.config)
        yield from glows_at_start(device, device.config)
        if wiring.driver == "transistor":
            yield from _behind_transistor(wiring)
        else:
            yield from _on_pin(wiring, net, circuit.pull_ma(net) + on_pin_ma(wiring))

    def pin_ma(self, circuit: Circuit, device: Device, wiring: LampWiring) -> float:
        if wiring.driver == "pin":
            return on_pin_ma(wiring)
        base = circuit.of_device(device.label)["base resistor"]
        return (pin_limits().gives_v - BASE_V) / (base.ohm or 0.0) * 1000

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        if "transistor" in kinds:
            return CircuitDrawing(_draw_behind_transistor, (9.0, 6.0))
        return CircuitDrawing(_draw_on_pin, (9.0, 2.8))


def glows_at_start(device: Device, pin: int) -> Iterator[Finding]:
    """Yield a finding if an LED of *device* is on a *pin* that is high while a Pi starts."""
    if pin in pin_limits().pulled_up_at_start:
        noun = device.title.rpartition("'s ")[2]
        yield note(
            "pins.start",
            f"The {noun} uses {on_header(gpio(pin))}, which is high while a Pi starts: it glows until reboard runs.",
            f"{choose_another_pin([device.label])} GPIO9 and higher are low while a Pi starts.",
        )


def _on_pin(wiring: LampWiring, net: str, takes_ma: float) -> Iterator[Finding]:
    limits, lowest_v = pin_limits(), _lowest_led_v(wiring)
    if takes_ma <= limits.most_ma:
        yield from _dark(wiring, limits.gives_v)
        return
    advice = "Use a larger resistor, and write its resistance as `resistor_ohm` into [wiring.lamp]."
    if takes_ma == inf:
        what = f"The lamp is connected to {on_header(net)} without a resistor: nothing limits its current."
        advice = "Add a resistor, and write its resistance as `resistor_ohm` into [wiring.lamp]."
    else:
        much = f"{apart(takes_ma, limits.most_ma, 0)} mA from {on_header(net)}, whose limit is {limits.most_ma} mA"
        what = f"The lamp draws {much}."
        if lowest_v < wiring.led_v:
            what = f"The lamp can draw {much}: some LEDs rated at {wiring.led_v:g} V drop only {lowest_v:.3g} V."
    yield wrong("currents.pin", what, f"{advice} {WHICH_RESISTOR}")


def _behind_transistor(wiring: LampWiring) -> Iterator[Finding]:
    takes_ma, stands_ma = _behind_transistor_ma(wiring), _stands_ma()
    # in tens of ohms
    least_ohm = ceil(round((_behind_transistor_v() - _lowest_led_v(wiring)) / stands_ma * 100, 6)) * 10
    advice = f"Use a resistor of at least {least_ohm} Ω, and write `resistor_ohm = {least_ohm}` into [wiring.lamp]."
    if takes_ma == inf:
        what = "The lamp is connected to 5 V without a resistor: nothing limits its current."
        yield wrong("currents.lamp", what, advice)
    elif takes_ma > stands_ma:
        what = f"The lamp draws {apart(takes_ma, stands_ma, 0)} mA, but its limit is {stands_ma:g} mA."
        yield wrong("currents.lamp", what, advice)
    yield from _dark(wiring, _behind_transistor_v())


def _dark(wiring: LampWiring, gets_v: float) -> Iterator[Finding]:
    left_v = gets_v - wiring.led_v
    gets_ma = round(_led_ma(left_v, wiring.resistor_ohm), 6)
    if gets_v <= _highest_led_v(wiring):
        what = f"The lamp needs {wiring.led_v:g} V but gets at most {gets_v:g} V: it stays dark."
        if left_v > 0:
            needs_v = f"some LEDs rated at {wiring.led_v:g} V need {_highest_led_v(wiring):.3g} V"
            what = f"The lamp gets at most {gets_v:g} V, but {needs_v}: those stay dark."
        advice = (
            'Use a red or yellow LED (`led_v = 2.0`), or drive the lamp with a transistor (`driver = "transistor"`). '
            "Write the setting into [wiring.lamp]."
        )
        yield note("currents.dark", what, f"{advice} {WHICH_RESISTOR}")
    elif gets_ma < LEAST_SEEN_MA:
        what = f"The lamp gets {gets_ma:.2g} mA through its {ohms(wiring.resistor_ohm)} resistor, so it hardly glows."
        advice = "Use a smaller resistor, and write its resistance as `resistor_ohm` into [wiring.lamp]."
        yield note("currents.dark", what, f"{advice} {WHICH_RESISTOR}")


def _draw_on_pin(pen: Pen) -> None:
    y, x = 1.3, pen.LEFT
    if pen.has("lamp resistor"):
        pen.leads_to(("lamp resistor", "a"), (x, y), "left")
        pen.part("lamp resistor", ("a", "b"), (x, y), (x + 2, y), beside="above")
        pen.wire([(x + 2, y), (x + 3.2, y)], ("lamp resistor", "b"), ("lamp", "+"))
        pen.net(("lamp", "+"), (x + 3.2, y), align="right")
        x += 3.2
    else:
        pen.leads_to(("lamp", "+"), (x, y), "left")
    pen.part("lamp", ("+", "-"), (x, y), (x + 2, y), beside="above")
    pen.leads_to(("lamp", "-"), (x + 2, y), "down")


def _draw_behind_transistor(pen: Pen) -> None:
    y, x = 1.4, pen.LEFT
    pen.leads_to(("base resistor", "a"), (x, y), "left")
    pen.part("base resistor", ("a", "b"), (x, y), (x + 2, y), beside="above")
    legs = pen.symbol("lamp transistor", (x + 2.2, y), "base", beside="right")
    pen.wire([(x + 2, y), (x + 2.2, y)], ("base resistor", "b"), ("lamp transistor", "base"))
    pen.leads_to(("lamp transistor", "emitter"), legs["emitter"], "down")
    x, y = legs["collector"]
    pen.wire([(x, y), (x, y + 0.2)], ("lamp transistor", "collector"), ("lamp", "-"))
    pen.net(("lamp", "-"), (x - 0.15, y), align="right")
    pen.part("lamp", ("+", "-"), (x, y + 1.6), (x, y + 0.2), beside="right")
    if pen.has("lamp resistor"):
        pen.wire([(x, y + 1.6), (x, y + 1.7)], ("lamp", "+"), ("lamp resistor", "b"))
        pen.part("lamp resistor", ("a", "b"), (x, y + 3.1), (x, y + 1.7), beside="right")
        pen.leads_to(("lamp resistor", "a"), (x, y + 3.1), "up")
    else:
        pen.leads_to(("lamp", "+"), (x, y + 1.6), "up")


CIRCUIT = LampCircuit()
