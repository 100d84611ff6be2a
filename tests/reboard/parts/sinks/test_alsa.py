"""The library's own ways to fail, without a card."""

from __future__ import annotations

from typing import Any

import pytest

from reboard.errors import PartError

alsaaudio = pytest.importorskip("alsaaudio", reason="pyalsaaudio is not installed", exc_type=ImportError)


class VanishingCard:
    """A card that is pulled out as soon as it was opened."""

    closed = 0

    def __init__(self, **_: object) -> None:
        pass

    def info(self) -> dict[str, Any]:
        raise alsaaudio.ALSAAudioError("No such device [default]")

    def close(self) -> None:
        type(self).closed += 1
        raise alsaaudio.ALSAAudioError("No such device [default]")


def test_a_card_that_goes_between_opening_and_asking_is_given_back_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from reboard.parts.sinks.alsa import Alsa

    monkeypatch.setattr(alsaaudio, "PCM", VanishingCard)
    with pytest.raises(PartError, match=r"no sound comes from ALSA device default \(No such device"):
        Alsa(None).open()
    assert VanishingCard.closed == 1
