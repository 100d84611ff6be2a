"""The interface between the HTTP application of the bench and its virtual table."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.errors import ConfigError, ReboardError
from reboard.languages import Texts
from reboard_sim.bench.pace import Pace
from reboard_sim.plays.play_language import PlayError
from reboard_sim.scene import Scene

OURS, GIVEN = "own", "config"
"""The names of two wirings: the one from the drawings, and the one in the ``table.toml`` given with ``-c``."""

LONGEST_SCENE_S = 6 * 3600.0
"""The maximum virtual time for the lines of a setup, in seconds."""

DEMO = "demo "
"""The prefix of the queue names of demos. The name of the accessory follows."""

NONE = "none"
"""The kind of reader that means a slot without a reader."""


@dataclass(frozen=True)
class Setup:
    """A setup of the virtual table, as requested by a user.

    *wiring* is `OURS`, `GIVEN`, or the name of a ``table.toml`` with the content *text*. *readers* maps sides to
    kinds of reader. An empty *edition* keeps the edition of the config. A side that is missing from *readers* keeps its
    reader. *switches* are play lines of settings that the user has changed at the table.
    """

    edition: str = ""
    wiring: str = OURS
    text: str | None = None
    readers: Mapping[str, str] = field(default_factory=dict)
    switches: Sequence[str] = ()

    def scene(self, given: Path | None, state: Path) -> Scene:
        """Return the scene of the wiring, with the state directory *state* but without the new edition and readers.

        *given* is the ``table.toml`` given with ``-c``, if any. Raises `ConfigError` for an invalid wiring, edition or
        reader.
        """
        if self.text is not None:
            scene = Scene.of_text(self.text, Path(self.wiring), state)
        elif self.wiring == OURS:
            scene = Scene.load(None, state)
        elif self.wiring == GIVEN and given:
            scene = Scene.load(given, state)
        else:
            raise ConfigError(
                f"There is no wiring {self.wiring!r}. Choose {OURS!r}, or start the bench with -c table.toml. "
                "If you opened a link, it may be incomplete: copy the whole link."
            )
        self.changed(scene)
        if self.readers and scene.config().section("bank") is None:
            raise ConfigError(
                f"{scene.path.name} has no [bank], so it has no slots for readers. Add [bank], or keep its readers."
            )
        return scene

    def changed(self, scene: Scene) -> Scene:
        """Return the wiring *scene* with the edition and the readers of this setup. Raises `ConfigError`."""
        for setting, value in self._settings(scene):
            scene = scene.changed(setting, value)
        return scene

    def first_lines(self, scene: Scene, seed: int) -> list[str]:
        """Return the play lines that change the table of *scene* to this setup, set *seed* and switch the power on."""
        lines = []
        for setting, value in self._settings(scene):
            if setting == "edition":
                lines.append(f"edition {shlex.quote(scene.changed(setting, value).config().edition)}")
            elif value is None:
                lines.append(f"without {setting}")
            else:
                lines.append(f"config {setting} {shlex.quote(value)}")
        return [*lines, *self.switches, f"seed {seed}", "power on"]

    def as_json(self) -> dict[str, Any]:
        """Return the setup as a JSON object, in the form of a request."""
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
            yield f"bank.{side}", None if kind == NONE else READER_KINDS[kind].example(side)


class TooManyWaitingError(ReboardError, RuntimeError):
    """An error for a request that arrives while too many requests are waiting."""


class ReplacedError(ReboardError, RuntimeError):
    """An error for a request whose table was replaced by another setup."""

    def __init__(self) -> None:
        super().__init__("Another setup has replaced this table. Try again at the new table.")


class AtNewTableError(PlayError):
    """An error for a line of a setup that the new table cannot carry out. The new table is kept."""


def _ignore(*_: object) -> None:
    pass


@dataclass(frozen=True)
class Listener:
    """The functions that a table calls in its own thread.

    *event* gets every event. While the pace is 1, *sound* gets the time and the samples of every block, but no block of
    a real table. The time is in seconds since the table was created. *refusal* gets the text of each error of lines for
    which the result of `BenchTable.do` was false. *work* is called when the table may have changed, unless a request of
    this interface has changed it.
    """

    event: Callable[[dict[str, Any]], None] = _ignore
    sound: Callable[[float, bytes], None] = _ignore
    refusal: Callable[[str], None] = _ignore
    work: Callable[[], None] = _ignore


class BenchTable(Protocol):
    """The interface of a table that a user controls or sees on the bench. Any thread can call each method."""

    @property
    def read_only(self) -> str:
        """The reason why the bench cannot control the table, or ``""`` if it can.

        With a reason, `check_scene` and the futures of `do`, `choose_pace`, `step` and `set_scene` raise a
        `ReboardError`.
        """

    def table(self) -> dict[str, Any]:
        """Return the snapshot of the firmware, the power state, and the state of the pins."""

    def hardware(self) -> dict[str, Any]:
        """Return the state of the devices, the faults, the clock and the recording, as a JSON object."""

    def do(self, lines: list[str], queue: str = "") -> Future[bool]:
        """Begin to carry out play *lines*, after the earlier lines in the same *queue* (``""``: no queue).

        The result is true when the lines are done. If the table is paused, the result is false, and the table carries
        out the lines when it continues. The future fails with `PlayError`, `TooManyWaitingError` or `ReplacedError`. If
        the future is cancelled, the table releases everything that the lines hold.
        """

    def finish(self, queue: str) -> Future[None]:
        """Do the rest of the demo in *queue* without its waits. The future completes when it is done."""

    def choose_pace(self, pace: Pace) -> Future[None]:
        """Begin to run the clock at *pace*. The future completes when the pace is set."""

    def step(self) -> Future[None]:
        """Run without delay to the next event or level change, for at most 60 virtual seconds, then pause."""

    def scene(self) -> dict[str, Any]:
        """Return the setup of the table and the choices for another setup, as a JSON object."""

    def switches(self, say: Texts) -> list[dict[str, Any]]:
        """Return the settings that can be changed at this table, as `reboard_sim.bench.switches` describes them."""

    def join_code(self) -> str:
        """Return the code with which a phone joins, or ``""`` if none can join."""

    def set_scene(self, setup: Setup, seed: int, lines: list[str]) -> Future[None]:
        """Begin to replace the table with a new one that has an empty ledger. Carry out *lines* there without delay.

        The future fails with a `ReboardError` for an invalid setup, and the old table is kept. `AtNewTableError` means
        that the new table is kept. `ReplacedError` means that another setup has replaced the new table.
        """

    def check_scene(self, setup: Setup, lines: list[str]) -> None:
        """Check a setup as `set_scene` does, but keep the table. Raises a `ReboardError` for an invalid setup."""

    @property
    def listeners(self) -> list[Listener]:
        """The listeners, which any thread can add or remove."""

    def open_inside_view(self) -> Callable[[], dict[str, Any] | None]:
        """Return a function that returns the signals since its previous call, or ``None`` if the table is unchanged.

        The first call returns the signals of the last minute that are kept. Calls must not overlap.
        """

    def ledger(self) -> dict[str, Any]:
        """Return the latest rows of the ledger's file: ``columns``, ``rows``, and the ``problem`` or ``None``."""

    def export(self, name: str, file: BinaryIO, /) -> None:
        """Write the export *name* of `reboard_sim.session.exports` to *file*. The table continues meanwhile.

        Raises `ReboardError` if this table does not have the export.
        """

    def wiring(self) -> bytes:
        """Return the wiring drawing as SVG. Raises `ReboardError` if it cannot be drawn."""

    def vocabulary(self) -> Sequence[dict[str, str]]:
        """Return the ``usage`` and ``meaning`` of every form of the play language."""
