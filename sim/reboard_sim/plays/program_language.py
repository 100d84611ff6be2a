"""The language of plays at the devices of a program. Their labels are known only when the program has opened them."""

from __future__ import annotations

from functools import cache

from reboard_sim.accessories.installed import fault_named
from reboard_sim.devices.device import device_module, simulated_kinds
from reboard_sim.forms import Form
from reboard_sim.plays.play_language import Parser, forms, readers

AT_ANY_TABLE = ("seed", "wait", "meanwhile", "fault", "mend", "power")
"""The acts of a table that do not need its firmware."""


@cache
def program_parser() -> Parser:
    """Return the parser of plays at the devices of a program. ``DEVICE`` is the label of any device."""
    of_devices = {form.usage: form for kind in sorted(simulated_kinds()) for form in device_module(kind).FORMS}
    shows = "a device shows this: `on`, `off`, a number or a text, such as `expect led on`"
    known = (
        *of_devices.values(),
        *(form for form in forms() if form.name in AT_ANY_TABLE),
        Form("expect_device", "expect [not] DEVICE TEXT", shows),
    )
    return Parser(
        known,
        {"off|on": "power", "on|off": "state", "not": "negated"},
        {**readers(), "DEVICE": str, "FAULT": lambda name: fault_named(name).name},
    )
