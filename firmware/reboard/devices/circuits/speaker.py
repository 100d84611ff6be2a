"""The circuit of the speaker: an amplifier, USB, HDMI or the headphone jack.

``sound.impedance``: a speaker below 4 Ω on the amplifier. Source: MAX98357A.
``sound.jack``: a speaker on the jack of a Zero 2 W or 5, which have none. Source: Raspberry Pi product briefs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import USB_DRAWING, CircuitDrawing, Device, DeviceCircuit
from reboard.devices.speaker import SpeakerWiring
from reboard.finding import Finding, fine, wrong
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import Model, models
from reboard.netlist.netlist_builder import Fact

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

LEAST_OHM = 4.0
"""The lowest impedance for which the data sheet of the MAX98357A has figures, in ohms."""

TERMINALS = ("VIN", "BCLK", "LRC", "DIN", "GND")


class SpeakerCircuit(DeviceCircuit):
    """The circuit of the speaker."""

    def facts(self, device: Device, wiring: SpeakerWiring) -> dict[str, Fact]:
        assert device.config is not None
        return {"wiring.speaker": wiring.connection, "is_heard": not device.config.is_silent}

    def rules(self, circuit: Circuit, device: Device, wiring: SpeakerWiring, model: Model) -> Iterator[Finding]:
        if device.config is None or device.config.is_silent:
            return
        if wiring.connection == "max98357a":
            yield _impedance(wiring.ohm)
        if wiring.connection != "jack":
            return
        if model.has_jack:
            yield fine("sound.jack", f"The {model.name} has the headphone jack that the speaker needs.")
            return
        others = " or ".join(f'`pi = "{name}"`' for name, other in models().items() if other.has_jack)
        yield wrong(
            "sound.jack",
            f"The {model.name} has no headphone jack for the speaker.",
            'Use a USB speaker (`speaker = "usb"`) or an I²S amplifier (`speaker = "max98357a"`). If your Pi has a '
            f"headphone jack, write its model: {others}. These settings belong in [wiring].",
        )

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        return USB_DRAWING if "usb-speaker" in kinds else CircuitDrawing(_amplifier, (9.0, 5.8))


def _impedance(ohm: float) -> Finding:
    what = f"The speaker has {ohm:g} Ω. The amplifier drives {LEAST_OHM:g} Ω or more"
    if ohm >= LEAST_OHM:
        return fine("sound.impedance", f"{what}.")
    do = f"Use a speaker of {LEAST_OHM:g} or 8 Ω, or two in series, and write `speaker_ohm` into [wiring]."
    return wrong("sound.impedance", f"{what}: it gets hot and switches itself off.", do)


def _amplifier(pen: Pen) -> None:
    pen.module("amplifier", (pen.LEFT, 4.6), 3.4, TERMINALS, ["speaker +", "speaker -"])
    right = (pen.LEFT + 3.4, 4.6)
    plus, minus = pen.row(right, 0), pen.row(right, 1)
    at = pen.symbol("speaker", (plus[0] + 0.8, plus[1]), "in1", beside="above")
    pen.wire([plus, at["in1"]], ("amplifier", "speaker +"), ("speaker", "+"))
    pen.wire(
        [minus, (minus[0] + 0.4, minus[1]), (minus[0] + 0.4, at["in2"][1]), at["in2"]],
        ("amplifier", "speaker -"),
        ("speaker", "-"),
    )


CIRCUIT = SpeakerCircuit()
