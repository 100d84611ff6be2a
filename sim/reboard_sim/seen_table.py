"""The interfaces of a table: what the bench shows of a virtual or a real one, and what plays check."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from reboard.table_config import TableConfig
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.recording import EventLog
from reboard_sim.virtual_pi import VirtualPi


class SeenTable(Protocol):
    """The parts of a table that the bench shows. *faults* has the names of the simulated faults that are active."""

    @property
    def pi(self) -> VirtualPi: ...
    @property
    def config(self) -> TableConfig: ...
    @property
    def sound_card(self) -> VirtualSoundCard: ...
    @property
    def log(self) -> EventLog: ...
    @property
    def faults(self) -> Collection[str]: ...
    @property
    def is_on(self) -> bool:
        """Whether a virtual table has power, or a real table is connected."""

    @property
    def switched_on_at(self) -> float:
        """The time of the latest power-up, in seconds of the table's clock."""

    @property
    def made_at(self) -> float:
        """The time at which the table was created, in seconds of its clock. The page shows times relative to it."""

    def snapshot(self) -> Mapping[str, Any]:
        """Return the latest snapshot of the firmware."""


class PlayedTable(SeenTable, Protocol):
    """The parts of a virtual table that the checks of plays use."""

    @property
    def cards_in_game(self) -> Sequence[str]:
        """The cards that have an account in this game, in the order of their numbers."""

    def shown_balance(self, card: str) -> str | None:
        """Return the balance of *card* in the edition's format, or ``None`` if it has no account in this game."""
