"""What a virtual table starts from: the wiring of a config, the deck, and a place for what outlives a power cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from reboard.config import TableConfig, parse_config, with_setting, without_setting
from reboard.errors import ConfigError
from reboard.settings.reading import parse_toml, read_toml
from reboard.settings.toml_lines import Place
from reboard_sim.readers.twins import tags_of_the_deck

OUR_WIRING = Path(str(resources.files("reboard_sim").joinpath("table.toml")))
"""The wiring of the drawings: ``hardware/table.toml``."""


@dataclass(frozen=True)
class Scene:
    """The settings of a virtual table, which can be changed one by one.

    *document* is the TOML of *path*. The deck's cards are known to the table unless the document says otherwise.
    """

    path: Path
    document: Mapping[str, Any]
    lines: Place

    @property
    def is_ours(self) -> bool:
        """Whether it began with our own wiring."""
        return self.path == OUR_WIRING

    @classmethod
    def load(cls, path: Path | None, state: Path) -> Scene:
        """The scene of a ``table.toml`` (``None``: our own wiring), its state kept in the directory *state*.

        Raises `ConfigError` for a file that cannot be used.
        """
        document, lines = read_toml(path or OUR_WIRING)
        return cls(path or OUR_WIRING, document, lines)._kept_in(state)

    @classmethod
    def of_text(cls, text: str, name: Path, state: Path) -> Scene:
        """The scene of the *text* of a ``table.toml`` with this *name*. Raises `ConfigError`."""
        document, lines = parse_toml(text.encode("utf-8", "replace"), name)
        return cls(name, document, lines)._kept_in(state)

    def _kept_in(self, state: Path) -> Scene:
        self.config()
        return replace(self, document={**self.document, "state": {"directory": str(state.absolute())}})

    def changed(self, setting: str, value: str | None = None) -> Scene:
        """The scene with one setting changed, as a play says it, or without it when there is no *value*.

        Raises `ConfigError` when that makes no config. It names no file: what is wrong was not said in one. Where the
        state is kept is nobody's to change: whoever follows a link must not play on a ledger of theirs.
        """
        if setting.partition(".")[0] == "state":
            raise ConfigError("a virtual table keeps its state where --state says, and nowhere else")
        document = dict(self.document)
        document = without_setting(document, setting) if value is None else with_setting(document, setting, value)
        parse_config(document, path=self.path, where="")
        return replace(self, document=document)

    def config(self) -> TableConfig:
        """What the firmware is given. Raises `ConfigError`."""
        config = parse_config(self.document, path=self.path, lines=self.lines)
        if config.bank is None or "cards" in self.document["bank"]:
            return config
        return replace(config, bank=replace(config.bank, cards=tuple(tags_of_the_deck(config.bank))))
