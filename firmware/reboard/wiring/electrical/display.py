"""The display: is it on the bus whose pins are known?"""

from __future__ import annotations

from collections.abc import Iterator

from reboard.config import TableConfig
from reboard.finding import Finding, note


def on_another_bus(config: TableConfig) -> Iterator[Finding]:
    """Is there a display that the drawing has not, so that what is fine is so without it?"""
    display = config.bank and config.bank.display
    if display and display.bus != 1:
        yield note(
            "display.unknown",
            f"The display is on I²C bus {display.bus}, and nothing looks at a display that is not on bus 1: not at "
            "what feeds it, nor at its pins, nor at what else is on them.",
            "`dtoverlay -h` and the overlay's name tell the pins of that bus: put nothing else there. On 5 V it pulls "
            "them too high without a level shifter.",
        )
