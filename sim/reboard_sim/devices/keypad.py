"""A virtual 4×4 matrix keypad without diodes. Each key connects its row line to its column line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from random import Random
from typing import Any

from reboard.config.kinds import Section
from reboard.devices.device import FittedDevice
from reboard.devices.keypad import KEYPAD, LEGEND, KeypadConfig
from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.contact import BOUNCE_S, VirtualContact, hold, release
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.forms import Form, User


class VirtualKeypad(VirtualDevice):
    """A 4×4 matrix keypad with a `VirtualContact` for each key in `LEGEND`. *rows* and *columns* are GPIO numbers."""

    def __init__(
        self,
        rows: Sequence[int],
        columns: Sequence[int],
        pins: VirtualPins,
        *,
        rng: Random | None = None,
        bounce_s: float = BOUNCE_S,
    ) -> None:
        rng = rng or Random(0)
        self._rows = [pins.line(row) for row in rows]
        self._columns = [pins.line(column) for column in columns]
        self.keys = {
            key: VirtualContact(pins.line(row), pins.line(column), rng=rng, bounce_s=bounce_s)
            for row, keys in zip(rows, LEGEND, strict=True)
            for column, key in zip(columns, keys, strict=True)
        }

    def press(self, key: str) -> None:
        """Press *key* and hold it. Raises ``LookupError`` for a key that the keypad does not have."""
        self._contact(key).press()

    def release(self, key: str) -> None:
        """Release *key*. Raises ``LookupError`` for a key that the keypad does not have."""
        self._contact(key).release()

    def follow(self, kind: str, *_: Any) -> None:
        # as the driver's scan: a column that is low while one row is driven is a key of both
        driven = [row for row, line in enumerate(self._rows) if line.is_output]
        if all(column.level for column in self._columns) and len(driven) == len(self._rows):
            for contact in self.keys.values():
                contact.show(False)
        elif len(driven) == 1:
            for key, column in zip(LEGEND[driven[0]], self._columns, strict=True):
                self.keys[key].show(not column.level)

    def acts(self) -> Mapping[str, Callable[..., None]]:
        return {"press": self.press, "release": self.release}

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {"bounce": self._bounce_heavily}

    def state(self) -> object:
        return self.held

    @property
    def held(self) -> Collection[str]:
        return [key for key, contact in self.keys.items() if contact.is_closed]

    def close(self) -> None:
        for contact in self.keys.values():
            contact.close()

    def _bounce_heavily(self, on: bool) -> None:
        for contact in self.keys.values():
            contact.bounce_heavily(on)

    def _contact(self, key: str) -> VirtualContact:
        try:
            return self.keys[key]
        except KeyError:
            raise LookupError(f"There is no key {key!r}. The keys are {' '.join(self.keys)}.") from None


TAP_S = 0.08
"""The time for which a user holds a tapped key down, and the wait after its release, in seconds."""


async def tap(user: User, device: str, key: str) -> None:
    """Press *key* of *device*, and release it."""
    await hold(user, device, key)
    await user.let_pass(TAP_S)
    await release(user, device, key)
    await user.let_pass(TAP_S)


FORMS = (
    Form("tap_key_of", "tap DEVICE KEY", "tap a key of a keypad", tap),
    Form("hold_key_of", "hold DEVICE KEY", "press a key of a keypad, and hold it", hold),
    Form("release_key_of", "release DEVICE KEY", "release a key of a keypad", release),
)


SETTINGS = KEYPAD, Section(KeypadConfig)


def wired(device: FittedDevice[KeypadConfig, Any], board: VirtualBoard) -> VirtualKeypad:
    """Return a keypad on the pins of *device*."""
    assert device.config is not None
    return VirtualKeypad(device.config.rows, device.config.columns, board.pins, rng=board.rng)
