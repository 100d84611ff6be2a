"""The bench in a web worker, without a browser."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from reboard_sim.browser import bench
from reboard_sim.browser.bench import Bench
from tests.waiting import eventually

pytestmark = pytest.mark.realtime


def do(made: Bench, *lines: str) -> None:
    done = made._table.do([*lines])

    def is_done() -> bool:
        made.pump()
        return done.done()

    eventually(is_done, f"{lines} are done")
    done.result()


def test_a_table_is_kept_again_only_when_its_files_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "STATE", tmp_path)
    notices: list[str] = []
    made = Bench(1, None, lambda: None, lambda: None, notices.append)
    with closing(made._table):
        do(made, "insert left 1")
        assert made.kept()
        do(made, "press block", "wait 0.1")
        assert made._has_news
        assert made.kept() is None
        do(made, "key GO")
        assert made.kept()
    assert notices == []
