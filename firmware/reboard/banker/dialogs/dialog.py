"""What a dialog is: it has the display and the keys until it is done."""

from __future__ import annotations

from typing import Protocol

PATIENCE_S = 20.0
"""How long most dialogs wait for somebody to go on."""


class Dialog(Protocol):
    """Two lines, and what each key does. Cards come and go beside it, and are in the desk's seats."""

    @property
    def patience_s(self) -> float:
        """After so long without a touch it is closed."""

    def lines(self) -> tuple[str, str]:
        """What the display shows; a notice takes the second line."""

    async def key(self, key: str) -> Dialog | None:
        """A key was pressed. Returns the dialog that goes on: this, another, or ``None``. Raises `Refusal`."""
