"""The interface between the page of the bench and its table."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from reboard.errors import ConfigError, ReboardError
from reboard_sim.bench.pace import Pace
from reboard_sim.plays.play_language import PlayError
from reboard_sim.scene import Scene

OURS, GIVEN = "own", "config"
"""The names of the wirings: that of the drawings, and that of the file that the bench started with."""

LONGEST_SCENE_S = 6 * 3600.0
"""The maximum time at the table for the lines of a setup."""

NONE = "none"
"""The name of the reader in an empty slot."""

READERS: Mapping[str, Mapping[str, str]] = {
    **{
        kind: {side: f'{{ reader = "{kind}", port = "/dev/reboard-{side}" }}' for side in ("left", "right")}
        for kind in ("rdm6300", "id12", "pn532")
    },
    "keyboard": {
        side: f'{{ reader = "keyboard", device = "/dev/input/reboard-{side}" }}' for side in ("left", "right")
    },
    "bumps": {
        "left": '{ reader = "bumps", pins = [7, 8, 9] }',
        "right": '{ reader = "bumps", pins = [4, 10, 11] }',
    },
}
"""The setting for each kind of reader on each side."""


@dataclass(frozen=True)
class Setup:
    """A setup that a user has requested. Missing fields are as in the wiring.

    *wiring* is the name of a wiring, or of the ``table.toml`` with the *text*. *readers* are by side.
    """

    edition: str = ""
    wiring: str = OURS
    text: str | None = None
    readers: Mapping[str, str] = field(default_factory=dict)

    def scene(self, given: Path | None, state: Path) -> Scene:
        """Return the scene of the wiring, with its state in *state*. *given* is the file that the bench started with.

        Raises `ConfigError` if that scene, or the rest of the setup, is not possible.
        """
        if self.text is not None:
            scene = Scene.of_text(self.text, Path(self.wiring), state)
        elif self.wiring == OURS:
            scene = Scene.load(None, state)
        elif self.wiring == GIVEN and given:
            scene = Scene.load(given, state)
        else:
            raise ConfigError(
                f"There is no wiring {self.wiring!r}. Choose {OURS!r}, or start the bench with -c table.toml."
            )
        changed = scene
        for setting, value in self._settings(scene):
            changed = changed.changed(setting, value)
        if self.readers and scene.config().section("bank") is None:
            raise ConfigError(
                f"{scene.path.name} has no [bank], so it has no slots for readers. Leave the readers out."
            )
        return scene

    def first_lines(self, scene: Scene, seed: int) -> list[str]:
        """Return the lines that change the table of *scene* to this setup, and switch it on."""
        lines = []
        for setting, value in self._settings(scene):
            if setting == "edition":
                lines.append(f"edition {shlex.quote(scene.changed(setting, value).config().edition)}")
            elif value is None:
                lines.append(f"without {setting}")
            else:
                lines.append(f"config {setting} {shlex.quote(value)}")
        return [*lines, f"seed {seed}", "power on"]

    def as_json(self) -> dict[str, Any]:
        """Return the setup as in a request."""
        wiring = self.wiring if self.text is None else {"name": self.wiring, "text": self.text}
        return {
            "edition": self.edition,
            "wiring": wiring,
            "left": self.readers.get("left"),
            "right": self.readers.get("right"),
        }

    def _settings(self, scene: Scene) -> Iterator[tuple[str, str | None]]:
        yield "edition", f'"{self.edition or scene.config().edition}"'
        for side, kind in self.readers.items():
            yield f"bank.{side}", None if kind == NONE else READERS[kind][side]


class TooManyWaitingError(ReboardError, RuntimeError):
    """A request that comes while too many requests are waiting."""


class ReplacedError(ReboardError, RuntimeError):
    """A request whose table has been replaced by another setup meanwhile."""

    def __init__(self) -> None:
        super().__init__("Another setup has replaced this table. Try again at the new one.")


class AtNewTableError(PlayError):
    """A line of a setup that the new table cannot carry out. The new table stays."""


Stop = Callable[[], None]
"""A function that ends a subscription."""


class BenchTable(Protocol):
    """A table that a user controls on the page. Every method is safe to call from any thread."""

    def table(self) -> dict[str, Any]:
        """Return the snapshot of the firmware, and the state of the lines."""

    def hardware(self) -> dict[str, Any]:
        """Return the devices, the faults and the clock, as JSON."""

    def do(self, lines: list[str], queue: str = "") -> Future[bool]:
        """Begin to carry out lines of a play, after the earlier lines in the same *queue*.

        Checks see the events since the end of the earlier lines. The result is false while the table is paused, and the
        lines are carried out when it continues. Fails with `PlayError`, `TooManyWaitingError` or `ReplacedError`. If
        cancelled, it releases everything that the lines hold.
        """

    def choose_pace(self, pace: Pace) -> Future[None]:
        """Run the clock at *pace*."""

    def step(self) -> Future[None]:
        """Run at once to the next event or change of a line, at most 60 s, and pause."""

    def scene(self) -> dict[str, Any]:
        """Return the setup of the table and the choices for another one."""

    def set_scene(self, setup: Setup, seed: int, lines: list[str]) -> Future[None]:
        """Replace the table by another one with an empty ledger, and carry out *lines* at once.

        Fails with a `ReboardError` and keeps the old table. After an `AtNewTableError` the new table stays. After a
        `ReplacedError` another setup has replaced the new table.
        """

    def subscribe_events(self, callback: Callable[[dict[str, Any]], None], /) -> Stop:
        """Call *callback* with every event from now on, in the thread of the table."""

    def subscribe_sound(self, callback: Callable[[float, bytes], None], /) -> Stop:
        """Call *callback* with the time and samples of every audible block at 1×, in the thread of the table."""

    def subscribe_refusals(self, callback: Callable[[str], None], /) -> Stop:
        """Call *callback* with the error of lines for which `do` returned false, in the thread of the table."""

    def open_inside_view(self) -> Callable[[], dict[str, Any] | None]:
        """Return a function for one thread. Each call returns the changes since the call before, or ``None``.

        The first call returns the kept part of the last minute.
        """

    def ledger(self) -> dict[str, Any]:
        """Return the last rows of the ledger's file: ``columns``, ``rows``, and the ``problem`` or ``None``."""

    def export(self, name: str, file: BinaryIO, /) -> None:
        """Write one of `reboard_sim.session.EXPORTS`. The table does not wait for it."""

    def vocabulary(self) -> Sequence[dict[str, str]]:
        """Return every form of the play language: its ``usage`` and its ``meaning``."""
