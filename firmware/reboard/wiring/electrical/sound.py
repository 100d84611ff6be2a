"""The speaker: can it be plugged in where the config says?"""

from __future__ import annotations

from collections.abc import Iterator

from reboard.config import TableConfig
from reboard.finding import Finding, fine, wrong
from reboard.wiring.pi import models


def jack(config: TableConfig) -> Iterator[Finding]:
    """Has this Pi the socket for headphones that the speaker is said to be on?"""
    if config.speaker is None or config.speaker.is_silent or config.wiring.speaker != "jack":
        return
    model = models()[config.wiring.pi]
    if model.has_jack:
        yield fine("sound.jack", f"The {model.name} has the socket for headphones that the speaker is on.")
        return
    those_with_one = " or ".join(f'`pi = "{name}"`' for name, other in models().items() if other.has_jack)
    yield wrong(
        "sound.jack",
        f"The {model.name} has no socket for headphones, and the speaker is on one.",
        'Take a speaker on USB (`speaker = "usb"`) or an I²S amplifier (`speaker = "max98357a"`); '
        f"or, if your Pi has that socket, write which one it is: {those_with_one}.",
    )
