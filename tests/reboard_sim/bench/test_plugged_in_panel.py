"""An accessory that brings no panel of its own, on the bench in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.plugged_in import scoring_buzzer
from tests.reboard_sim.bench.conftest import served

pytestmark = pytest.mark.realtime


@pytest.fixture
def buzzer(tmp_path: Path) -> Iterator[Path]:
    with scoring_buzzer(tmp_path) as package:
        yield package


@pytest.mark.parametrize("picture", [False, True], ids=["controls", "picture"])
def test_the_bench_shows_the_buzzer_and_takes_clicks(
    picture: bool, buzzer: Path, browser: Browser, tmp_path: Path
) -> None:
    if picture:
        shapes = "".join(f'<circle id="{name}" cx="{x}" cy="9" r="4"/>' for name, x in (("left", 9), ("lamp", 20)))
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">{shapes}</svg>'
        (buzzer / "reboard_buzzer" / "panel" / "picture.svg").write_text(svg)
    with closing(TableThread(Scene.load(buzzer / "table.toml", tmp_path), seed=1)) as table, served(table) as url:
        page = browser.new_page()
        page.goto(url)
        expect(page.locator("#line")).to_have_text("live")
        expect(page.locator("#buzzer .widget")).to_have_count(1 if picture else 3)
        left, lamp = page.locator('[data-device="buzzer.left"]'), page.locator('[data-device="buzzer.lamp"]')
        (left if picture else left.locator("button")).click()
        expect(lamp if picture else lamp.locator(".bulb")).to_have_class(re.compile(r"\bon\b"))
        expect(page.locator("#buzzer-says")).to_contain_text("left")
        page.close()
