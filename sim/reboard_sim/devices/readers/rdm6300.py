"""A virtual RDM6300, which repeats the frame of a card while the card is in the slot."""

from __future__ import annotations

from reboard.devices.readers.em4100 import RDM6300_END
from reboard_sim.devices.readers.virtual_reader import VirtualEm4100Reader, frame_of

PERIOD_S = 0.065
"""The time between two frames while a card is in the slot, in seconds."""

MOST_MISSED = 3
"""The maximum number of frames in a row that a flickering reader omits. It is silent for up to 0.26 s."""


class VirtualRdm6300(VirtualEm4100Reader):
    """An RDM6300 on a serial line."""

    period_s = PERIOD_S
    frame_end = RDM6300_END
    _missed = 0

    def put(self, card: str) -> None:
        frame_of(card, RDM6300_END)  # rejects a card that this reader cannot read
        self.card = card.upper()
        self._missed = MOST_MISSED
        self._poll()

    def _send_again(self, card: str) -> bool:
        misses = self._flicker and self._missed < MOST_MISSED and self._rng.random() < 0.5
        self._missed = self._missed + 1 if misses else 0
        if not misses:
            self._line.send(frame_of(card, RDM6300_END))
        return True
