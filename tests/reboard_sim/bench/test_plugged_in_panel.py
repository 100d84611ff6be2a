"""An accessory that brings no panel of its own, on the bench in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from reboard.accessories.accessory import Accessory
from reboard_sim.bench.servers import TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.plugged_in import beside, installed, scoring_buzzer
from tests.reboard.devices.test_small_devices import LAB, Lab
from tests.reboard_sim.bench.conftest import served
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

OpenLab = Callable[[bytes], tuple[Page, Page, list[str]]]


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
        expect(page.locator("#buzzer-says")).to_have_text(re.compile("^Press the left one"))
        expect(page.locator("#act-line")).to_have_attribute("placeholder", "press buzzer.left")
        hint = page.locator("#events").evaluate("list => getComputedStyle(list, '::before').content")
        assert "Press the left one" in hint
        left, lamp = page.locator('[data-device="buzzer.left"]'), page.locator('[data-device="buzzer.lamp"]')

        def is_lit_a_step_later() -> bool:
            table.step().result(PATIENCE_S)
            return bool(table.hardware()["devices"]["buzzer.lamp"])

        table.choose_pace(0).result(PATIENCE_S)  # the lamp is on only for a moment
        (left if picture else left.locator("button")).click()
        eventually(is_lit_a_step_later, "the lamp is on", page)
        expect(lamp if picture else lamp.locator(".bulb")).to_have_class(re.compile(r"\bon\b"))
        table.choose_pace(1).result(PATIENCE_S)
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


def drawn_lab(folder: Path, picture: bytes) -> Accessory[Any]:
    """The laboratory with a picture."""
    (folder / "panel").mkdir()
    (folder / "panel" / "picture.svg").write_bytes(picture)
    return beside(folder, Lab)


@pytest.fixture
def open_lab(browser: Browser, tmp_path: Path) -> Iterator[OpenLab]:
    """Opens the bench and the table page of the laboratory with a picture. The list gets what the pages log."""
    (config := tmp_path / "table.toml").write_text(LAB)
    with ExitStack() as stack:

        def opened(picture: bytes) -> tuple[Page, Page, list[str]]:
            socket, logged, pages = tmp_path / "socket", [], []
            stack.enter_context(installed(drawn_lab(tmp_path, picture)))
            table = stack.enter_context(closing(TableThread(Scene.load(config, tmp_path), seed=1, socket=socket)))
            bench = stack.enter_context(served(table))
            table_page = stack.enter_context(closing(TablePage(socket, port=0)))
            for url in (bench, table_page.link.url):
                page = stack.enter_context(closing(browser.new_page()))
                page.on("console", lambda message: logged.append(message.text))
                page.goto(url)
                pages.append(page)
            return pages[0], pages[1], logged

        yield opened


KNOB = '<path id="knob" d="M10 2v16"/><path id="servo" d="M20 2v16"/><circle id="led" cx="30" cy="9" r="4"/>'
LAB_PICTURE = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20">{KNOB}<path id="bell" d="M50 2v16"/></svg>'


def test_a_picture_moves_and_leaves_a_control_for_what_it_cannot_operate(open_lab: OpenLab) -> None:
    bench, table_page, logged = open_lab(LAB_PICTURE.encode())
    expect(bench.locator("#lab .widget")).to_have_count(3)  # the knob, the ring and the buzzer
    assert ["buzzer" in text and "bell" in text for text in logged if "picture.svg" in text] == [True]
    expect(table_page.locator("svg .servo")).to_have_css("transform", "matrix(1, 0, 0, 1, 0, 0)")
    bench.get_by_role("group", name="knob").get_by_role("button", name="clockwise", exact=True).click()
    expect(bench.locator("svg .encoder")).to_have_css("transform", re.compile(r"^matrix\(0\.95"))  # by 18 degrees
    for page in (bench, table_page):
        expect(page.locator("svg .servo")).to_have_css("transform", re.compile(r"^matrix\(0\.96"))  # by 15 degrees
        expect(page.locator("svg .rgb_led")).to_have_css("fill", "rgb(51, 0, 255)")


@pytest.mark.parametrize(
    "picture",
    [LAB_PICTURE.replace("http", "").encode(), "<svg>é</svg>".encode("latin1")],
    ids=["another namespace", "not UTF-8"],
)
def test_a_picture_that_is_no_drawing_is_left_out(open_lab: OpenLab, picture: bytes) -> None:
    bench, table_page, logged = open_lab(picture)
    expect(bench.locator("#lab .widget:visible")).to_have_count(5)
    expect(table_page.get_by_role("region", name="Laboratory")).to_be_visible()
    for page in (bench, table_page):
        expect(page.locator("#lab .picture > *, .generic > svg, parsererror")).to_have_count(0)
    assert sum("picture.svg" in text for text in logged) >= 2


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
        expect(page.locator('[data-device="lab.servo"] output')).to_have_text("15°")
        expect(buzzer).to_contain_text("440")
        expect(buzzer).to_have_text("silent")
        knob.get_by_role("button", name="counter-clockwise").click()
        expect(knob.locator("output")).to_have_text("0")
        page.close()
