"""The settings of an input pin, as gpiozero reads and changes them."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from gpiozero import Factory, PinFixedPull, PinInvalidBounce, PinInvalidEdges, PinInvalidPull
from gpiozero.pins.local import LocalPiPin


class InputSettings(LocalPiPin):  # type: ignore[misc]  # gpiozero has no type information
    """A pin that keeps its function, and the pull, bounce time and edges of an input. It begins as an input."""

    known_edges: ClassVar[Collection[str]] = ("both", "rising", "falling")

    def __init__(self, factory: Factory, info: object) -> None:
        super().__init__(factory, info)
        self._function, self._edges = "input", "both"
        self._pull = self._fixed_pull
        self._bounce_s: float | None = None

    @property
    def _fixed_pull(self) -> str:
        return self.info.pull or "floating"

    def _pull_changed(self) -> None:
        """React to another pull."""

    def _edges_changed(self) -> None:
        """React to other edges, or to another bounce time. By default, do nothing."""

    def _get_function(self) -> str:
        return self._function

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if self._function != "input":
            raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        if self.info.pull not in (value, ""):
            raise PinFixedPull(f"{self!r} has a physical pull-{self.info.pull} resistor")
        if value not in ("up", "down", "floating"):
            raise PinInvalidPull(f'invalid pull "{value}" for pin {self!r}')
        self._pull = value
        self._pull_changed()

    def _get_bounce(self) -> float | None:
        return self._bounce_s

    def _set_bounce(self, value: float | None) -> None:
        try:
            if value is not None and not float(value) >= 0:
                raise ValueError
        except (TypeError, ValueError):
            raise PinInvalidBounce("bounce must be a number that is 0 or greater, or None") from None
        self._bounce_s = value
        self._edges_changed()

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in self.known_edges:
            raise PinInvalidEdges(f'invalid edges "{value}" for pin {self!r}')
        self._edges = value
        self._edges_changed()
