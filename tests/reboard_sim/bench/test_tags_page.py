"""The tags that a kind of reader brings, on the bench in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from reboard_sim.bench.table_thread import TableThread
from reboard_sim.devices.readers.rdm6300 import VirtualRdm6300
from reboard_sim.script.bench_file import read_bench_file
from reboard_sim.script.script_bench import SCRIPT, ScriptThread
from reboard_sim.script.script_table import ScriptScene
from tests.reboard_sim.bench.conftest import served
from tests.waiting import eventually

pytestmark = pytest.mark.realtime


@pytest.fixture(autouse=True)
def _tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VirtualRdm6300, "tags", {"dragon": "62E3086CED"})


@pytest.fixture
def slot(tmp_path: Path, browser: Browser) -> Iterator[Page]:
    (program := tmp_path / "game.py").write_text("input()")
    (bench_file := tmp_path / "bench.toml").write_text(
        '[slot]\nkind = "card_slot"\nreader = "rdm6300"\nport = "/dev/ttyUSB0"\n'
    )
    scene = ScriptScene(program, {}, {}, state=tmp_path, placed=read_bench_file(bench_file))
    with closing(ScriptThread(scene, seed=1, show=lambda *_: None)) as table, served(table, runtime=SCRIPT) as url:
        page = browser.new_page()
        page.goto(url)
        yield page
        page.close()


def test_the_rack_of_the_bank_has_them_too(page: Page, table: TableThread) -> None:
    page.locator("#rack").get_by_role("button", name="dragon").press("ArrowLeft")
    eventually(lambda: table.hardware()["slots"]["left"] == "62E3086CED", "the tag is in", page)
    expect(page.locator("#slot-left")).to_have_accessible_name("Left slot (+, receives): dragon; click to take it out")
    page.locator("#slot-left").click()
    eventually(lambda: table.hardware()["slots"]["left"] is None, "the tag is out", page)


def test_a_slot_of_a_program_has_them_too(slot: Page) -> None:
    tag = slot.get_by_role("group", name="slot").get_by_role("button", name="dragon")
    tag.click()
    expect(tag).to_have_attribute("aria-pressed", "true")
    tag.click()
    expect(tag).to_have_attribute("aria-pressed", "false")
