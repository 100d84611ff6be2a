"""A membrane keypad: each key joins its row's wire to its column's. Without diodes, as bought."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from reboard.parts.keypad import LEGEND
from reboard_sim.pins import VirtualPins
from reboard_sim.switch import Switch


class VirtualKeypad:
    """Sixteen keys, named as in `LEGEND`, each a bouncing `Switch`; *rows* and *columns* are BCM pins."""

    def __init__(
        self,
        rows: Sequence[int],
        columns: Sequence[int],
        pins: VirtualPins,
        *,
        rng: Random | None = None,
        bounce_s: float = 0.002,
    ) -> None:
        rng = rng or Random(0)
        self.keys = {
            key: Switch(pins.line(row), pins.line(column), rng=rng, bounce_s=bounce_s)
            for row, keys in zip(rows, LEGEND, strict=True)
            for column, key in zip(columns, keys, strict=True)
        }

    def press(self, key: str) -> None:
        """Press *key* and keep it down. Raises ``LookupError`` for a key that the keypad has not."""
        self._switch(key).close()

    def release(self, key: str) -> None:
        """Let go of *key*. Raises ``LookupError`` for a key that the keypad has not."""
        self._switch(key).open()

    @property
    def held(self) -> list[str]:
        """The keys that are held down now."""
        return [key for key, switch in self.keys.items() if switch.is_closed]

    def _switch(self, key: str) -> Switch:
        try:
            return self.keys[key]
        except KeyError:
            raise LookupError(f"there is no key {key!r}; the keys are {' '.join(self.keys)}") from None
