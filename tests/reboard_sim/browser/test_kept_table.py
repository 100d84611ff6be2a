"""A browser keeps a table, and restores it at the next visit."""

from __future__ import annotations

import io
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reboard.errors import ReboardError
from reboard_sim.bench.bench_acts import Setup
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.browser import kept_table
from reboard_sim.browser.kept_table import KeptTable, KeptTableError
from reboard_sim.scene import Scene
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime


def played(tmp_path: Path) -> TableThread:
    """A table with another edition and another reader, at which card 1 got 5 coins."""
    (state := tmp_path / "first").mkdir()
    table = TableThread(Scene.load(None, state), seed=1, pace="fast")
    setup = Setup(edition="super-mario", readers={"right": "pn532"})
    lines = ["insert left 1", "type 5", "key M", "expect balance 1 35"]
    table.set_scene(setup, 7, lines).result(PATIENCE_S)
    table.do(["config bank.pot true"]).result(PATIENCE_S)
    return table


def exported(table: TableThread, name: str) -> list[str]:
    file = io.BytesIO()
    table.export(name, file)
    return file.getvalue().decode().splitlines()


def state_of(table: TableThread) -> dict[str, Any]:
    scene, now = table.scene(), table.table()
    return {"setup": [scene[name] for name in kept_table.SETUP], "cards": [card["shown"] for card in now["cards"]]}


def test_a_kept_table_has_its_setup_and_its_balances_again(tmp_path: Path) -> None:
    with closing(played(tmp_path)) as table:
        kept, before = KeptTable.of(table), state_of(table)
    (state := tmp_path / "next").mkdir()
    with closing(kept.restored(state)) as table:
        assert table.table()["pot"], "the switch of the setup is still on"
        assert state_of(table) == before == {"setup": ["super-mario", "own", None, "pn532", 7], "cards": ["35"]}
        assert KeptTable.of(table).setup == kept.setup
        play, ledger = exported(table, "session.play"), exported(table, "ledger.csv")
    assert "# The table began with an earlier ledger, whose transfers are not in this play: card 1 had 35." in play
    assert [row.split(",")[:6] for row in ledger] == [
        ["id", "game", "from", "to", "amount", "reason"],
        ["1", "1", "0", "1", "30", "start"],
        ["2", "1", "0", "1", "5", "received"],
    ]


@pytest.mark.parametrize(
    ("setup", "names"),
    [
        ("{", ()),
        ("7", ()),
        (json.dumps({"edition": "no such edition"}), ("ledger.db",)),
        (json.dumps({"wiring": "config"}), ()),
        (json.dumps({"wiring": {"name": "table.toml", "text": "[block"}}), ()),
        ("{}", ("../ledger.db",)),
        ("{}", ("ledger.db-shm",)),
    ],
)
def test_a_damaged_table_is_not_restored(setup: str, names: tuple[str, ...], tmp_path: Path) -> None:
    (state := tmp_path / "state").mkdir()
    with pytest.raises(ReboardError):
        KeptTable(setup, dict.fromkeys(names, b"")).restored(state)
    assert list(tmp_path.iterdir()) == [state]
    assert list(state.iterdir()) == []


def test_a_ledger_that_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(played(tmp_path)) as table:
        monkeypatch.setattr(kept_table, "MOST_BYTES", 1000)
        with pytest.raises(KeptTableError, match="The ledger has more than 0 MB"):
            KeptTable.of(table)
