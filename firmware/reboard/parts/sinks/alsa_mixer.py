"""The volume controls of ALSA's sound cards, which stand below our own volume."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, NamedTuple

_CARD = re.compile(r"\w+:(?:CARD=)?([^,]+)")


class MixerControl(NamedTuple):
    """One control that turns a card's sound down, from 0 to 100 %."""

    name: str
    percent: int
    is_muted: bool


def card_of(device: str | None) -> str:
    """What ALSA calls the card that plays *device*, to its mixers: ``hw:vc4hdmi`` for ``plughw:CARD=vc4hdmi,DEV=0``."""
    card = _CARD.match(device or "")
    return f"hw:{card[1]}" if card else device or "default"


def mixer(device: str | None) -> list[MixerControl]:
    """The controls of the card behind the ALSA *device*; none where it has none, or pyalsaaudio is not installed."""
    try:
        import alsaaudio
    except ImportError:
        return []
    card = card_of(device)
    controls = []
    with suppress(alsaaudio.ALSAAudioError):
        for name in dict.fromkeys(alsaaudio.mixers(device=card)):
            with suppress(alsaaudio.ALSAAudioError):
                controls += _playing(name, alsaaudio.Mixer(name, device=card))
    return controls


def _playing(name: str, control: Any) -> list[MixerControl]:
    if all("Capture" in able for able in control.volumecap()):
        return []
    can_mute = any("Capture" not in able for able in control.switchcap())
    return [MixerControl(name, max(control.getvolume()), can_mute and all(control.getmute()))]
