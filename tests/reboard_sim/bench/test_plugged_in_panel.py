"""An accessory that brings no panel of its own, on the bench in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from reboard_sim.bench.servers import TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.plugged_in import installed, scoring_buzzer
from tests.reboard.devices.test_small_devices import LAB, Lab
from tests.reboard_sim.bench.conftest import served

pytestmark = pytest.mark.realtime


@pytest.fixture
def buzzer(tmp_path: Path) -> Iterator[Path]:
    with scoring_buzzer(tmp_path) as package:
        yield package


def draw(package: Path) -> None:
    shapes = "".join(f'<circle id="{name}" cx="{x}" cy="9" r="4"/>' for name, x in (("left", 9), ("lamp", 20)))
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">{shapes}</svg>'
    (package / "reboard_buzzer" / "panel" / "picture.svg").write_text(svg)


@pytest.mark.parametrize("picture", [False, True], ids=["controls", "picture"])
def test_the_bench_shows_the_buzzer_and_takes_clicks(
    picture: bool, buzzer: Path, browser: Browser, tmp_path: Path
) -> None:
    if picture:
        draw(buzzer)
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


def test_the_lamp_in_the_picture_lights_up_on_the_table_page(buzzer: Path, browser: Browser, tmp_path: Path) -> None:
    draw(buzzer)
    scene, socket = Scene.load(buzzer / "table.toml", tmp_path), tmp_path / "socket"
    with (
        closing(TableThread(scene, seed=1, socket=socket)) as table,
        served(table) as url,
        closing(TablePage(socket, port=0)) as table_page,
    ):
        page = browser.new_page()
        page.goto(table_page.link.url)
        lamp = page.get_by_role("region", name="Scoring buzzer").locator("svg .lamp")
        expect(lamp).to_have_class("part lamp")
        httpx.post(f"{url}api/bench/do", json={"lines": ["press buzzer.left"]})
        expect(lamp).to_have_class("part lamp on")
        page.close()


def test_a_knob_is_turned_and_a_buzzer_shows_its_tone(browser: Browser, tmp_path: Path) -> None:
    (config := tmp_path / "table.toml").write_text(LAB)
    with (
        installed(Lab()),
        closing(TableThread(Scene.load(config, tmp_path), seed=1)) as table,
        served(table) as url,
    ):
        page = browser.new_page()
        page.goto(url)
        knob, buzzer = page.get_by_role("group", name="knob"), page.locator('[data-device="lab.buzzer"] output')
        expect(buzzer).to_have_text("silent")
        knob.get_by_role("button", name="clockwise", exact=True).click()
        expect(knob.locator("output")).to_have_text("1")
        expect(page.locator('[data-device="lab.servo"] output')).to_have_text("on, degrees 15")
        expect(buzzer).to_contain_text("440")
        expect(buzzer).to_have_text("silent")
        knob.get_by_role("button", name="counter-clockwise").click()
        expect(knob.locator("output")).to_have_text("0")
        page.close()
