"""The interface of simulated accessories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from reboard_sim.forms import Form, SimulatedFault
from reboard_sim.seen_table import PlayedTable, SeenTable

Write = Callable[[BinaryIO], None]
"""A function that writes captured content to a binary file. The table can continue meanwhile."""

Export = tuple[str, Callable[[Any, float], Write]]
"""A media type, and a function that captures the content for a download from a table at a time."""


@dataclass(frozen=True)
class SimulatedAccessory:
    """An accessory for plays and the bench. The default is for an accessory that has only devices of common kinds.

    Without ``panel.html``, the accessory is generic: the bench shows its picture (``panel/picture.svg``, see
    `Accessory.panel`), and a control for each device that the picture does not have. Plays have the forms and faults
    of its device kinds, such as ``press buzzer.left``.

    *static* is the folder with ``panel.html``, ``panel.js``, style sheets, ``help.html`` (its part of the bench's help)
    and ``demo.play`` (a short play without permanent effects). *things* maps each thing that ``expect THING on``
    can check to a function that returns whether it is on. *values* has the function that reads each word in capitals
    in the *forms*, besides the general ones, and *choices* the argument for each choice such as ``left|right``.
    *checks_now* returns the ``expect`` lines that currently hold. *prepare* gets the section of the config and its
    TOML table, and returns the section to use. *hardware* returns additional fields for the bench. *copied* replaces
    some of them for a real table, from its snapshot. *exports* are its downloads, keyed by file name. *database* is the
    name of its SQLite file in the state directory. *lacks* gets the snapshot and the faults of a table, and returns why
    no play can run there, or ``""``.
    """

    static: Path | None = None
    page_order: int = 100
    """The sort key of the accessory on the page. The lowest key is at the left."""
    forms: Sequence[Form] = ()
    faults: Sequence[SimulatedFault] = ()
    things: Mapping[str, Callable[[PlayedTable], bool]] = field(default_factory=dict)
    values: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    checks_now: Callable[[PlayedTable], Iterable[str]] = lambda _: ()
    prepare: Callable[[Any, Mapping[str, Any]], Any] = lambda section, _: section
    hardware: Callable[[SeenTable], Mapping[str, object]] = lambda _: {}
    copied: Callable[[Mapping[str, Any]], Mapping[str, object]] = lambda _: {}
    exports: Mapping[str, Export] = field(default_factory=dict)
    database: str = ""
    lacks: Callable[[Mapping[str, Any], Mapping[str, str]], str] = lambda _snapshot, _faults: ""

    def files(self, pattern: str) -> list[Path]:
        """Return the files of `static` that match *pattern*, in alphabetical order."""
        return sorted(self.static.glob(pattern)) if self.static else []

    @property
    def is_generic(self) -> bool:
        """Whether the bench and plays use the controls, forms and faults of the device kinds."""
        return not self.files("panel.html")


def is_running(table: PlayedTable, accessory: str) -> bool:
    """Return whether *accessory*, a key of the snapshot such as ``apple`` or ``deal``, is ``running``."""
    state: dict[str, Any] = table.snapshot().get(accessory) or {}
    return bool(state.get("running"))
