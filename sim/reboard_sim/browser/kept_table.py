"""The table that a browser keeps from one visit to the next: its setup, and the files of its state directory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from reboard.errors import ReboardError
from reboard.languages import ENGLISH, Texts
from reboard_sim.bench.act_requests import setup_in
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.pumped_loop import PumpedLoop

MOST_BYTES = 16 << 20
"""The maximum size of the files that are kept, in bytes. A ledger of 10,000 transfers has 2 MB."""

OF_ONE_RUN = ("-shm", ".lock")
"""The ends of the names of files that the next run of the table does not need."""

SETUP = ("edition", "wiring", "left", "right", "seed")


class KeptTableError(ReboardError):
    """An error for a table that cannot be kept, or that cannot be restored."""


@dataclass(frozen=True)
class KeptTable:
    """A table that is kept: its *setup* as JSON, in the form of a request, and the content of its *files* by name.

    The lines of the setup are those of the switches that the user has changed.
    """

    setup: str
    files: Mapping[str, bytes]

    @classmethod
    def of(cls, table: TableThread) -> KeptTable:
        """Return the current table of *table*, as a power cut would leave it now. Raises `KeptTableError`."""
        scene = table.scene()
        files = {
            file.name: file.read_bytes()
            for file in sorted(table.state_directory.iterdir())
            if not file.name.endswith(OF_ONE_RUN)
        }
        if sum(map(len, files.values())) > MOST_BYTES:
            raise KeptTableError(f"The ledger has more than {MOST_BYTES >> 20} MB.")
        changed = [each for each in table.switches(Texts(ENGLISH)) if each["is_changed"]]
        lines = [value["line"] for each in changed for value in each["values"] if value["value"] == each["value"]]
        return cls(json.dumps({**{name: scene[name] for name in SETUP}, "lines": lines}), files)

    def restored(self, state: Path, pumped: PumpedLoop | None = None) -> TableThread:
        """Return a table like the kept one, with its files in the directory *state*. Raises `ReboardError`.

        *pumped* runs its loop (``None``: a thread does).
        """
        try:
            setup, seed, lines = setup_in(dict(json.loads(self.setup)))
        except (ValueError, TypeError):
            raise KeptTableError("The setup of the kept table is damaged.") from None
        for name in self.files:
            if Path(name).name != name or name.endswith(OF_ONE_RUN):
                raise KeptTableError(f"The kept table has a file with the name {name!r}.")
        scene = setup.scene(None, state)  # before the files: a new table takes the directory if this one cannot be made
        for name, content in self.files.items():
            (state / name).write_bytes(content)
        return TableThread(scene, seed=seed, setup=replace(setup, switches=tuple(lines)), pumped=pumped)
