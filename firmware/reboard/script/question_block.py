"""The question block, for a script."""

from __future__ import annotations

from collections.abc import Mapping

from reboard.script.callbacks import Fields, When
from reboard.script.scripted import ScriptedAccessory
from reboard.volume import USUAL_VOLUME


class QuestionBlock(ScriptedAccessory):
    """The question block on BCM pins *button* and, if there is one, *lamp*.

    *odds* are weights as in ``table.toml`` (``{"coins": [1, 1, 1], "laugh": 1}``); *volume* is 0 to 4.

    - ``when_pressed``: the button was pressed
    - ``when_outcome``: with ``outcome`` (``coins``, ``power_up``, ``laugh``, ``game_over``) and ``coins`` (0 to 6)
    """

    PART = "block"
    SHOWN = ("last", "quiet")

    when_pressed = When("block.pressed")
    when_outcome = When("block.outcome")

    def __init__(
        self,
        button: int,
        lamp: int | None = None,
        *,
        odds: Mapping[str, object] | None = None,
        bag: bool = False,
        quiet: bool = False,
        volume: int = USUAL_VOLUME,
    ) -> None:
        block = {"button": button, "lamp": lamp, "odds": odds, "bag": bag, "quiet": quiet}
        super().__init__({"block": block, "speaker": {"volume": volume}})

    @property
    def last(self) -> Fields | None:
        """The last outcome, ``None`` before the first."""
        last: Fields | None = self._state()["last"]
        return last

    def wait_for_outcome(self, timeout: float | None = None) -> Fields | None:
        """Wait for the next outcome, *timeout* seconds at the most (``None``: for ever); ``None`` when none came.

        Raises `PartError` when it has been closed, or is closed meanwhile.
        """
        return self._wait_for("block.outcome", timeout)
