"""A virtual ID-12LA, which sends the frame of a card once, when the user inserts the card."""

from __future__ import annotations

from reboard.devices.readers.em4100 import ID12_END
from reboard_sim.devices.readers.em4100 import VirtualEm4100Reader

ID12_PERIOD_S = 0.1
"""The time between two polls for a card, in seconds."""

LONGEST_FLICKER_S = 0.5
"""The maximum time between two frames of a card while the reader flickers, in seconds."""


class VirtualId12(VirtualEm4100Reader):
    """An ID-12LA on a serial line.

    It does not send the frame of a card that is in the slot at power-up. A real reader sends this frame before the
    firmware listens.
    """

    period_s = ID12_PERIOD_S
    frame_end = ID12_END
    reports_once = True
    _sent_at = 0.0

    def put(self, card: str) -> None:
        self._send(card)
        self.card = card.upper()
        self._poll()

    def flicker(self, on: bool) -> None:
        super().flicker(on)
        self._poll()

    def _send_again(self, card: str) -> bool:
        if self.flickers:
            is_due = self._loop.time() - self._sent_at > LONGEST_FLICKER_S - ID12_PERIOD_S
            if is_due or self._rng.random() < 0.25:
                self._send(card)
        return self.flickers

    def _send(self, card: str) -> None:
        super()._send(card)
        self._sent_at = self._loop.time()


READER = VirtualId12
