"""The worm apple, for a script."""

from __future__ import annotations

from reboard.dance import USUAL_S
from reboard.script.callbacks import When
from reboard.script.scripted import ScriptedAccessory
from reboard.volume import USUAL_VOLUME


class WormApple(ScriptedAccessory):
    """The worm apple on BCM pins *lever* and *motor*; the worms dance for *seconds* (5 to 120).

    - ``when_wound``: the lever is all the way back
    - ``when_started``: it was let go; with ``seconds``
    - ``when_stopped``: the time is up, or the lever was pulled again
    """

    PART = "apple"
    SHOWN = ("running", "wound")

    when_wound = When("apple.wound")
    when_started = When("apple.started")
    when_stopped = When("apple.stopped")

    def __init__(self, lever: int, motor: int, *, seconds: float = USUAL_S, volume: int = USUAL_VOLUME) -> None:
        super().__init__({"apple": {"lever": lever, "motor": motor, "seconds": seconds}, "speaker": {"volume": volume}})

    @property
    def is_running(self) -> bool:
        """Whether the worms dance."""
        return bool(self._state()["running"])

    @property
    def is_wound(self) -> bool:
        """Whether the lever is held back."""
        return bool(self._state()["wound"])

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until the dance ends, *timeout* seconds at the most (``None``: for ever); false when it did not.

        Raises `PartError` when it has been closed, or is closed meanwhile.
        """
        return self._wait_for("apple.stopped", timeout) is not None
