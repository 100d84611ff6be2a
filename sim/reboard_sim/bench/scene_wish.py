"""What somebody wants on the bench: a wiring, an edition, readers, and a seed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reboard.errors import ConfigError
from reboard_sim.scene import Scene

OURS, GIVEN = "own", "config"
"""Wirings by name: our own, and that of the file that the bench was begun with."""

LONGEST_SCENE_S = 6 * 3600.0
"""How long the lines that lead to a scene may take, at the table."""

NONE = "none"
"""The reader of a slot that is left out."""

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
"""How each kind of reader is plugged in at each side, as ``hardware/table.toml`` has it."""


@dataclass(frozen=True)
class SceneWish:
    """A scene by what it is made from. What is not said is as the wiring has it.

    *wiring* is a name, and with a *text*, the name of the ``table.toml`` that has it. *readers* are by their side.
    """

    edition: str = ""
    wiring: str = OURS
    text: str | None = None
    readers: Mapping[str, str] = field(default_factory=dict)

    def scene(self, given: Path | None, state: Path) -> Scene:
        """The wiring, its state kept in *state*; *given* is the file that the bench was begun with.

        Raises `ConfigError` when that, or the rest of the wish, cannot be had.
        """
        if self.text is not None:
            scene = Scene.of_text(self.text, Path(self.wiring), state)
        elif self.wiring == OURS:
            scene = Scene.load(None, state)
        elif self.wiring == GIVEN and given:
            scene = Scene.load(given, state)
        else:
            raise ConfigError(f"there is no wiring {self.wiring!r} here: the bench was begun without it")
        wished = scene
        for setting, value in self._settings(scene):
            wished = wished.changed(setting, value)
        if self.readers and scene.config().bank is None:
            raise ConfigError(f"{scene.path.name} has no banker unit, so no slots to choose readers for")
        return scene

    def begins(self, scene: Scene, seed: int) -> list[str]:
        """The lines that make the table of *scene* this one, and switch it on."""
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
        """It, as it is asked for over HTTP."""
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
