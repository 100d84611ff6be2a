"""What can be built: orders, checklists, drawings, cables, boards and the tables of the guides have these names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from reboard.netlist.circuit import Circuit
from reboard.table_config import TableConfig, load_config
from reboard.wiring.table_netlist import circuit_of

HARDWARE = Path(__file__).parents[1]
GUIDES = HARDWARE / "guides"
ORIGINAL_CARDS = HARDWARE / "original-cards.toml"
"""The config of all three, with the original cards."""


class Build(NamedTuple):
    """Something that can be built: its title, its guide's *config*, the *time* it takes, and the builds *of* it.

    *turns* is whether it has a motor.
    """

    title: str
    config: str
    time: str
    of: Sequence[str] = ()
    turns: bool = False

    @property
    def warning(self) -> str:
        """What its guide and its checklist say first."""
        age = "From 5 years, with an adult in the room; not" if self.turns else "Not"
        return f"Home-made, and not tested to EN 71. {age} for children under 3: small parts."

    def table(self) -> TableConfig:
        """Return the content of its config."""
        return load_config(GUIDES / self.config)

    def circuit(self) -> Circuit:
        """Return its parts, and how they are wired."""
        return circuit_of(self.table())


BUILDS: Mapping[str, Build] = {
    "block": Build("Question block", "question-block.toml", "an evening"),
    "unit": Build("Banker unit, with card readers", "banker-unit.toml", "a day"),
    "unit-original-cards": Build("Banker unit, for the original cards", "banker-unit-original-cards.toml", "a weekend"),
    "unit-rc522": Build("Banker unit, the cheap build", "banker-unit-rc522.toml", "an afternoon"),
    "apple": Build("Worm apple", "worm-apple.toml", "a day", turns=True),
    "die": Build("Speed die", "speed-die.toml", "an evening"),
    "all": Build("All three on one Pi", "all-three.toml", "three days", of=("block", "unit", "apple"), turns=True),
}
