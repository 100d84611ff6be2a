"""The bench's sheet "Inside" in a browser: pins, readers' lines, the display's bus, sound, ledger and events."""

from __future__ import annotations

import io
import json
import re
import wave
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from vcd.reader import TokenKind, tokenize

from reboard_sim.bench.table_thread import TableThread
from reboard_sim.deck import DECK
from tests.reboard_sim.bench.conftest import DESKTOP, PATIENCE_S, PHONE, eventually

pytestmark = pytest.mark.realtime

CLOSED = re.compile(r"^(?!.*inside=)")
"""The address of a page whose sheet is closed."""

TABS = ["pins", "serial", "lcd", "sound", "ledger", "events"]
RULER_PX = 24
Open = Callable[[str], Page]


@pytest.fixture
def inside(page: Page, url: str) -> Open:
    """Opens the bench with the sheet at one of its tabs, and what is there in sight."""

    def opened(tab: str) -> Page:
        page.goto(f"{url}?inside={tab}")
        expect(page.locator(f"#panel-{tab}")).to_be_visible()
        expect(page.locator(".lanes li")).not_to_have_count(0)
        page.locator("#inside").evaluate("sheet => sheet.scrollIntoView()")
        return page

    return opened


def do(table: TableThread, *lines: str) -> None:
    table.do(list(lines)).result(PATIENCE_S)


def edges_of(table: TableThread, wire: str) -> list[tuple[float, float]]:
    """What a wire did in the last minute."""
    return [(t, duty) for t, duty in (table.look_inside()() or {})["edges"][wire]]


def analyser(page: Page) -> Locator:
    return page.get_by_role("application", name="Logic analyser")


def window(canvas: Locator) -> tuple[float, float]:
    """From when to when the canvas shows, in seconds at the table, once it has been drawn."""
    begin, end = canvas.evaluate(
        """canvas => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
            done([Number(canvas.dataset.begin), Number(canvas.dataset.end)]);
        })))"""
    )
    return begin, end


def zoom_in(canvas: Locator, span: float) -> None:
    """Zoom by keyboard until no more than *span* seconds are seen."""

    def closer() -> bool:
        canvas.press("+")
        begin, end = window(canvas)
        return end - begin < span

    eventually(closer, "the window is smaller", canvas.page)


def seconds_in(text: str) -> list[float]:
    return [float(re.sub(r"[^\d.]", "", number)) for number in re.findall(r"([\d. \u202f]+) s\b", text)]


def levels(canvas: Locator, lane: int, times: list[float]) -> list[bool]:
    """Whether the line of a *lane* is drawn high at *times*, by the canvas's own pixels."""
    begin, end = window(canvas)
    found: list[bool] = canvas.evaluate(
        """(canvas, {lane, parts, ruler}) => {
            const scale = devicePixelRatio;
            const tall = document.querySelector(".lanes li").getBoundingClientRect().height;
            const pen = canvas.getContext("2d");
            const strong = (x, y) => {
                const pixel = pen.getImageData(Math.round(x * scale), Math.round(y * scale) - 1, 1, 3).data;
                return Math.max(pixel[3], pixel[7], pixel[11]) > 150;
            };
            return parts.map((part) => strong(part * canvas.clientWidth, ruler + lane * tall + 7));
        }""",
        {"lane": lane, "parts": [(t - begin) / (end - begin) for t in times], "ruler": RULER_PX},
    )
    return found


# the sheet


def test_the_sheet_opens_and_closes_and_the_address_tells_where_it_is(page: Page, url: str) -> None:
    button = page.get_by_role("button", name="Inside")
    sheet = page.locator("#inside")
    expect(sheet).to_be_hidden()
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("tab", name="Pins")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile(r"[?&]inside=pins\b"))
    page.get_by_role("tab", name="Ledger").click()
    expect(page).to_have_url(re.compile(r"[?&]inside=ledger\b"))
    page.reload()
    expect(page.get_by_role("tabpanel", name="Ledger")).to_be_visible()
    button.click()
    expect(sheet).to_be_hidden()
    expect(page).to_have_url(CLOSED)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_sheet_is_brought_to_the_top_of_the_view(open_page: Callable[..., Page], size: dict[str, int]) -> None:
    page = open_page(viewport=size)
    page.get_by_role("button", name="Inside").click()
    expect(page.locator(".lanes li")).not_to_have_count(0)
    sheet = page.locator("#inside")
    eventually(lambda: 0 <= sheet.evaluate("sheet => sheet.getBoundingClientRect().top") < 20, "it is at the top", page)


def test_a_closed_sheet_asks_for_nothing_and_is_not_there(page: Page, table: TableThread) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    do(table, "press block", "wait 1")
    expect(page.locator("#events")).to_contain_text("The question block is pressed")
    assert page.locator("#inside *").count() == 0
    assert not any("inside" in address for address in asked)
    button = page.get_by_role("button", name="Inside")
    button.click()
    expect(page.locator(".lanes li").first).to_be_visible()
    button.click()
    expect(page.locator("#inside *")).to_have_count(0)
    # the stream ends: only what is over is an entry
    page.wait_for_function(
        "performance.getEntriesByType('resource').some(one => one.name.endsWith('/api/bench/inside'))"
    )


def test_what_else_the_address_says_is_left_alone(page: Page, url: str) -> None:
    page.goto(f"{url}?scene=other&inside=lcd#here")
    expect(page.locator("#panel-lcd")).to_be_visible()
    page.get_by_role("tab", name="Sound").click()
    expect(page).to_have_url(re.compile(r"\?scene=other&.*\binside=sound\b.*#here$"))
    page.get_by_role("button", name="Inside").click()
    expect(page).to_have_url(re.compile(r"\?scene=other\b(?!.*inside=).*#here$"))


@pytest.mark.parametrize("part", ["furnish.js", "scope.js", "sheet.html"])
def test_a_sheet_that_could_not_be_loaded_says_so_and_opens_at_the_next_click(page: Page, url: str, part: str) -> None:
    button, refusal = page.get_by_role("button", name="Inside"), page.locator("#refusal")
    page.route(f"**/inside/{part}", lambda route: route.fulfill(status=400))
    button.click()
    expect(refusal).to_contain_text("“Inside” could not be loaded")
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#inside")).to_be_hidden()
    expect(page).to_have_url(CLOSED)
    page.unroute(f"**/inside/{part}")
    button.click()
    expect(page.get_by_role("tabpanel", name="Pins")).to_be_visible()
    expect(refusal).to_be_hidden()


def test_tabs_are_chosen_by_arrow_keys(inside: Open) -> None:
    page = inside("pins")
    page.get_by_role("tab", name="Pins").focus()
    for key, name in (("ArrowRight", "Readers"), ("End", "Events"), ("ArrowRight", "Pins"), ("ArrowLeft", "Events")):
        page.keyboard.press(key)
        tab = page.get_by_role("tab", name=name)
        expect(tab).to_be_focused()
        expect(tab).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("tabpanel", name=name)).to_be_visible()
        expect(page.locator("[role=tabpanel]:not([hidden])")).to_have_count(1)


@pytest.mark.parametrize("tab", TABS)
def test_whatever_can_be_worked_has_a_name(inside: Open, tab: str) -> None:
    page = inside(tab)
    for control in page.locator("#inside").locator("button, a, input, canvas, ol, ul").all():
        if control.is_visible():
            expect(control).to_have_accessible_name(re.compile(r"\S"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_of_it_sticks_out_of_the_window(
    open_page: Callable[..., Page], table: TableThread, url: str, size: dict[str, int], scheme: str
) -> None:
    do(table, "insert left 1", "type 1.5M", "wait 1")
    page = open_page(viewport=size, color_scheme=scheme)
    for tab in TABS:
        page.goto(f"{url}?inside={tab}")
        expect(page.locator(f"#panel-{tab}")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"], tab


# pins


def test_every_wire_has_its_lane_with_its_pin(inside: Open, table: TableThread) -> None:
    page = inside("pins")
    wires = (table.look_inside()() or {})["wires"]
    lanes = page.get_by_role("listbox", name="Wires").get_by_role("option")
    expect(lanes).to_have_count(len(wires))
    for place, wire in enumerate(wires):
        expect(lanes.nth(place)).to_contain_text(wire["name"].replace("_", " "))
        expect(lanes.nth(place)).to_contain_text(f"GPIO {wire['pin']}")
    do(table, "hold block")
    expect(lanes.first).to_have_attribute("data-level", "low")
    do(table, "release block")
    expect(lanes.first).to_have_attribute("data-level", "high")


def test_zoomed_in_the_bounce_of_a_press_is_seen_edge_by_edge(inside: Open, table: TableThread) -> None:
    do(table, "wait 0.3", "hold block", "wait 0.5")
    edges = [edge for edge in edges_of(table, "block_button") if edge[0] > 0.2]
    assert len(edges) >= 3, "it bounced"
    page = inside("pins")
    canvas = analyser(page)
    canvas.focus()
    canvas.press("Home")
    expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "false")
    for _ in edges:
        canvas.press("Shift+ArrowLeft")
    zoom_in(canvas, 4 * (edges[-1][0] - edges[0][0]))
    widest = max(pairwise(edges), key=lambda pair: pair[1][0] - pair[0][0])
    middle = (widest[0][0] + widest[1][0]) / 2
    begin, end = window(canvas)
    assert end - begin < 0.02
    assert begin < middle < end
    assert levels(canvas, 0, [middle]) == [bool(widest[0][1])]


def test_the_difference_of_two_cursors_is_that_of_the_edges_that_they_were_set_to(
    inside: Open, table: TableThread
) -> None:
    do(table, "wait 0.3", "press block 0.4", "wait 0.5")
    times = [t for t, _ in edges_of(table, "block_button") if t > 0.2]
    page = inside("pins")
    canvas = analyser(page)
    canvas.focus()
    canvas.press("Home")
    canvas.press("Shift+ArrowLeft")
    canvas.press("b")
    for _ in times:
        canvas.press("Shift+ArrowLeft")
    readout = page.locator("#panel-pins .readout")
    expect(readout).to_contain_text("A to B")
    text = readout.inner_text()
    later, sooner = seconds_in(text)[:2]
    assert later == pytest.approx(times[-1], abs=1e-6)
    assert sooner == pytest.approx(times[0], abs=1e-6)
    value, unit = re.search(r"A to B -?([\d.]+) (s|ms|µs)", text).groups()  # type: ignore[union-attr]
    apart = float(value) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit]
    assert apart == pytest.approx(times[-1] - times[0], rel=1e-5)
    hertz = float(re.search(r"([\d.]+) Hz", text).group(1))  # type: ignore[union-attr]
    assert hertz == pytest.approx(1 / apart, rel=1e-5)
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(readout).to_have_text("")


def test_a_click_near_an_edge_sets_the_cursor_to_it_and_chooses_its_wire(inside: Open, table: TableThread) -> None:
    do(table, "wait 0.3", "pull lever", "wait 0.4")
    page = inside("pins")
    canvas = analyser(page)
    page.get_by_role("button", name="All", exact=True).click()
    edges = edges_of(table, "apple_lever")
    box = canvas.bounding_box()
    assert box is not None
    lane = page.get_by_role("option", name="apple lever").bounding_box()
    assert lane is not None
    begin, end = window(canvas)
    x = (edges[-1][0] - begin) / (end - begin) * box["width"]
    canvas.click(position={"x": x + 3, "y": lane["y"] - box["y"] + lane["height"] / 2})
    expect(page.get_by_role("option", name="apple lever")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#panel-pins .readout")).to_contain_text("A ")
    set_to = seconds_in(page.locator("#panel-pins .readout").inner_text())[0]
    assert min(abs(set_to - t) for t, _ in edges) < 1e-6
    expect(page.locator("#pins-said")).to_contain_text("apple lever, GPIO 22")


def test_keys_go_on_with_the_cursor_that_was_set_last(inside: Open, table: TableThread) -> None:
    do(table, "wait 0.3", "press block 0.4", "wait 0.5")
    times = [t for t, _ in edges_of(table, "block_button") if t > 0.2]
    page = inside("pins")
    canvas = analyser(page)
    canvas.focus()
    canvas.press("Home")
    begin, end = window(canvas)
    box = canvas.bounding_box()
    assert box is not None
    lane = page.locator(".lanes li").first.bounding_box()
    assert lane is not None
    x = box["x"] + (times[0] - begin) / (end - begin) * box["width"]
    page.mouse.click(x, lane["y"] + lane["height"] / 2)
    cursor = page.get_by_role("button", name="Set cursor A")
    expect(cursor).to_have_attribute("aria-pressed", "true")
    readout = page.locator("#panel-pins .readout")
    expect(readout).to_contain_text("A ")
    set_to = seconds_in(readout.inner_text())[0]
    expect(page.locator("#pins-said")).to_contain_text(f"at {readout.inner_text().removeprefix('A ')} is")
    zoom_in(canvas, 0.02)
    begin, end = window(canvas)
    assert begin < set_to < end, "the cursor stays in the picture"
    for _ in times:
        canvas.press("Shift+ArrowRight")
    expect(page.locator("#pins-said")).to_contain_text("No later edge on this wire")
    assert seconds_in(readout.inner_text()) == pytest.approx([times[-1]], abs=1e-6)
    canvas.press("Shift+ArrowLeft")
    expect(page.locator("#pins-said")).not_to_contain_text("edge on this wire")
    canvas.press("Home")
    page.mouse.click(x + 40, lane["y"] + lane["height"] / 2)
    expect(page.get_by_role("button", name="Set cursor B")).to_have_attribute("aria-pressed", "true")
    expect(readout).to_contain_text("A to B")


def test_the_chosen_wire_is_told_in_words(inside: Open, table: TableThread) -> None:
    page = inside("pins")
    said = page.locator("#pins-said")
    expect(said).to_contain_text("block button, GPIO 17, is high")
    do(table, "hold block")
    expect(said).to_contain_text("is low")
    expect(said).to_contain_text("fell at")
    analyser(page).press("ArrowDown")
    expect(said).to_contain_text("block lamp, GPIO 27")
    do(table, "release block", "pull lever", "release lever")
    page.get_by_role("option", name="apple motor").click()
    expect(said).to_contain_text(re.compile(r"pulsed, \d+ %"))


def test_what_is_seen_is_moved_by_drag_wheel_buttons_and_keys(inside: Open, table: TableThread) -> None:
    page = inside("pins")
    canvas = analyser(page)
    do(table, "wait 1")
    live = page.get_by_role("button", name="Live")
    expect(live).to_have_attribute("aria-pressed", "true")
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 300, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 100, steps=5)
    page.mouse.up()
    expect(live).to_have_attribute("aria-pressed", "false")
    before = window(canvas)
    canvas.press("ArrowRight")
    moved = window(canvas)
    assert moved[0] == pytest.approx(before[0] + 0.1 * (before[1] - before[0]), rel=1e-3)

    page.mouse.move(box["x"] + 300, box["y"] + 100)
    page.mouse.wheel(0, -400)
    zoomed = window(canvas)
    assert zoomed[1] - zoomed[0] < 0.7 * (moved[1] - moved[0])
    at = 300 / box["width"]
    a_pixel = (moved[1] - moved[0]) / box["width"]
    under_the_mouse = [begin + at * (end - begin) for begin, end in (moved, zoomed)]
    assert under_the_mouse[1] == pytest.approx(under_the_mouse[0], abs=a_pixel)

    page.get_by_role("button", name="Zoom out").click()
    wider = window(canvas)
    assert wider[1] - wider[0] > zoomed[1] - zoomed[0]
    canvas.press("End")
    expect(live).to_have_attribute("aria-pressed", "true")


def test_a_wheel_that_only_passes_scrolls_the_page(inside: Open) -> None:
    page = inside("pins")
    canvas = analyser(page)
    canvas.hover()
    before, scrolled = window(canvas), page.evaluate("scrollY")
    page.mouse.wheel(0, -150)
    eventually(lambda: page.evaluate("scrollY") < scrolled, "the page has scrolled", page)
    after = window(canvas)
    assert after[1] - after[0] == pytest.approx(before[1] - before[0], rel=1e-6)


def test_two_fingers_zoom(open_page: Callable[..., Page], url: str) -> None:
    phone = open_page(viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    phone.goto(f"{url}?inside=pins")
    canvas = analyser(phone)
    canvas.scroll_into_view_if_needed()
    expect(phone.locator(".lanes li").first).to_be_visible()
    phone.get_by_role("button", name="All", exact=True).click()
    box = canvas.bounding_box()
    assert box is not None
    y = box["y"] + 80
    line = phone.context.new_cdp_session(phone)

    def touch(kind: str, *xs: float) -> None:
        points = [{"x": box["x"] + x, "y": y, "id": place} for place, x in enumerate(xs)]
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    before = window(canvas)
    touch("touchStart", 80)
    touch("touchStart", 80, 120)
    for wider in range(0, 60, 6):
        touch("touchMove", 80 - wider, 120 + wider)
    touch("touchEnd")
    after = window(canvas)
    assert after[1] - after[0] < 0.5 * (before[1] - before[0])


def test_keys_of_the_analyser_are_no_keys_of_the_unit(inside: Open, table: TableThread) -> None:
    do(table, "insert left 1", "wait 0.5")
    page = inside("events")
    page.get_by_label("Only events that contain").fill("")
    page.get_by_label("Only events that contain").press_sequentially("12")
    page.get_by_role("tab", name="Pins").click()
    canvas = analyser(page)
    canvas.focus()
    for key in ("a", "b", "+", "-"):
        canvas.press(key)
    do(table, "wait 0.3")
    assert table.table()["typed"] == ""


# the readers' lines


def test_a_cards_frames_are_told_with_their_bytes_and_repeats_are_counted(inside: Open, table: TableThread) -> None:
    page = inside("serial")
    frames = page.locator("#panel-serial .frames")
    expect(frames).to_have_attribute("data-nothing", re.compile("Put a card in"))
    do(table, "insert left 1", "wait 0.5")
    row = frames.locator("li", has_text=f"card {DECK[0]}, checksum right").first
    expect(row).to_contain_text("left → Pi")
    expect(row.locator("code")).to_have_text(re.compile(r"^02 33 41 30 30 43 34 31 46 30 37 .. .. 03\s*$"))
    expect(row).to_contain_text(re.compile(r"\d+ times, every 6\d(\.\d)? ms"))
    page.get_by_label("every repeat").check()
    expect(frames.locator("li").nth(4)).to_contain_text(f"card {DECK[0]}")


def test_noise_is_marked(inside: Open, table: TableThread) -> None:
    page = inside("serial")
    do(table, "fault noise right", "wait 1.5")
    frames = page.locator("#panel-serial .frames")
    expect(frames.locator("mark").first).to_be_visible()
    expect(frames.locator("li.bad").first).to_contain_text(re.compile("noise|half a frame|checksum wrong"))


def test_a_list_that_is_held_stays_as_it_is(inside: Open, table: TableThread) -> None:
    page = inside("lcd")
    do(table, "insert left 1", "wait 0.5")
    frames = page.locator("#panel-lcd .frames")
    expect(frames.locator("li").first).to_contain_text("write")
    hold = page.locator("#panel-lcd").get_by_role("button", name="Hold")
    hold.click()
    before = frames.inner_text()
    do(table, "type 1", "wait 0.5")
    assert frames.inner_text() == before
    hold.click()
    expect(frames.locator("li").first).to_contain_text("write “1” at line 1, column 16")


# the display's bus


def test_what_is_written_to_the_display_is_told_and_byte_by_byte_on_request(inside: Open, table: TableThread) -> None:
    page = inside("lcd")
    do(table, "insert left 1", "wait 0.5")
    row = page.locator("#panel-lcd .frames li", has_text="write “+1 15M")
    expect(row).to_contain_text("data")
    expect(row).to_contain_text("2B 31 20 31 35 4D")
    page.get_by_label("every byte on the bus").check()
    raw = row.locator(".raw")
    expect(raw).to_be_visible()
    assert len(raw.inner_text().split()) > 6 * 6
    do(table, "fault display", "type 1", "wait 0.5")
    expect(page.locator("#panel-lcd .bad").first).to_contain_text("nobody answers at 0x27")


# the sound


def test_the_waveform_is_drawn_where_the_sound_was_heard(inside: Open, table: TableThread) -> None:
    do(table, "wait 0.5", "insert left 1", "wait 1.5")
    page = inside("sound")
    canvas = page.get_by_role("application", name="Waveform")
    canvas.focus()
    canvas.press("Home")
    canvas.press("Shift+ArrowLeft")
    heard = (table.look_inside()() or {})["sound"]
    loudest = max(heard, key=lambda block: max(block[1]))[0]
    expect(page.locator("#sound-said")).to_contain_text("card began at")
    begin, end = window(canvas)
    strokes = canvas.evaluate(
        """(canvas, parts) => parts.map((part) => {
            const scale = devicePixelRatio;
            const x = Math.round(part * canvas.clientWidth * scale);
            const pixels = canvas.getContext("2d").getImageData(x, 60 * scale, 3, canvas.height - 90 * scale).data;
            let strong = 0;
            for (let n = 3; n < pixels.length; n += 4) strong += pixels[n] > 200;
            return strong;
        })""",
        [(t - begin) / (end - begin) for t in (loudest + 0.005, max(begin, heard[0][0] - 0.3))],
    )
    assert strokes[0] > 5 * max(1, strokes[1]), strokes


# the ledger


def test_that_no_sound_began_before_a_cursor_is_said_of_that_cursor(inside: Open, table: TableThread) -> None:
    page = inside("sound")
    said = page.locator("#sound-said")
    do(table, "wait 2", "insert left 1", "wait 1")
    expect(said).to_contain_text("card began at")
    canvas = page.get_by_role("application", name="Waveform")
    canvas.focus()
    canvas.press("Home")
    canvas.press("b")
    canvas.press("Shift+ArrowLeft")
    expect(said).to_contain_text("0 µs before cursor B")
    begun = window(canvas)
    canvas.click(position={"x": 3, "y": 100})
    expect(said).to_have_text("No sound began before cursor B.")
    assert window(canvas) == begun
    for _ in range(9):
        canvas.press("Shift+ArrowRight")
    expect(said).to_contain_text("No later sound.")


def test_the_ledgers_rows_are_seen_as_they_come(inside: Open, table: TableThread) -> None:
    page = inside("ledger")
    rows = page.locator("#panel-ledger tbody tr")
    do(table, "insert left 1", "type 1.5M", "wait 0.5")
    expect(rows).to_have_count(2)
    expect(rows.first.locator(".amount")).to_have_text("1500000")
    expect(rows.first.locator(".reason")).to_have_text("received")
    expect(page.get_by_role("columnheader")).to_have_text(
        ["id", "game", "from", "to", "amount", "reason", "at", "undoes", "press"]
    )
    do(table, "fault disk full", "wait 0.1")
    expect(page.locator("#ledger-said")).to_contain_text("the disk has no room for another byte")
    expect(rows).to_have_count(2)


# the events


def test_events_are_told_as_json_and_filtered_by_kind_and_by_text(inside: Open, table: TableThread) -> None:
    page = inside("events")
    do(table, "insert left 1", "insert right 2", "press block", "wait 1")
    frames = page.locator("#panel-events .frames li")
    expect(frames.filter(has_text="block.pressed")).to_have_count(1)
    page.locator("#panel-events").get_by_role("button", name="None").click()
    expect(frames).to_have_count(0)
    page.get_by_role("group", name="Kinds of events").get_by_label("card.inserted").check()
    expect(frames).to_have_count(2)
    page.get_by_label("Only events that contain").fill('slot":"RIGHT')
    expect(frames).to_have_count(1)
    assert json.loads(frames.first.locator("code").inner_text()) == {"slot": "right", "number": 2}
    page.locator("#panel-events").get_by_role("button", name="All kinds").click()
    page.get_by_label("Only events that contain").fill("")
    expect(frames.filter(has_text="block.pressed")).to_have_count(1)


# what can be kept


def test_what_is_remembered_is_saved_by_a_click(inside: Open, table: TableThread, tmp_path: Path) -> None:
    do(table, "wait 0.3", "press block", "insert left 1", "wait 0.5")
    page = inside("pins")
    files = {}
    for name in ("pins (VCD)", "sound (WAV)", "events (JSON lines)"):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        files[download.value.suggested_filename] = Path(download.value.path()).read_bytes()
    assert sorted(files) == ["reboard-events.jsonl", "reboard-pins.vcd", "reboard-sound.wav"]
    ticks, names, tick = set(), {}, 0
    for token in tokenize(io.BytesIO(files["reboard-pins.vcd"])):
        if token.kind is TokenKind.VAR:
            names[token.var.id_code] = token.var.reference
        elif token.kind is TokenKind.CHANGE_TIME:
            tick = token.time_change
        elif token.kind is TokenKind.CHANGE_SCALAR and names[token.scalar_change.id_code] == "block_button":
            ticks.add(tick)
    assert {round(t * 1e6) for t, _ in edges_of(table, "block_button")} <= ticks
    with wave.open(io.BytesIO(files["reboard-sound.wav"])) as wav:
        assert any(wav.readframes(wav.getnframes()))
    kinds = {json.loads(line)["event"] for line in files["reboard-events.jsonl"].splitlines()}
    assert {"block.pressed", "card.inserted"} <= kinds


# what may come


def test_a_power_cut_and_other_wires_are_followed(inside: Open, table: TableThread) -> None:
    page = inside("pins")
    lanes = page.locator(".lanes li")
    expect(lanes.first).to_contain_text("GPIO 17")
    do(table, "power off", "wait 0.3", "power on")
    do(table, "config block.button 4")
    expect(lanes.first).to_contain_text("GPIO 4")
    do(table, "hold block")
    expect(page.locator("#pins-said")).to_contain_text("block button, GPIO 4, is low")


def test_a_bench_that_goes_away_and_comes_back_is_looked_into_again(
    browser: Browser, table: TableThread, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    page = browser.new_page()
    with serve(table) as url:
        page.goto(f"{url}?inside=events")
        expect(page.locator("#panel-events .frames li").first).to_be_visible()
    with serve(table, int(url.rstrip("/").rpartition(":")[2])):
        do(table, "press block", "wait 0.5")
        pressed = page.locator("#panel-events .frames li", has_text="block.pressed")
        expect(pressed).to_have_count(1, timeout=PATIENCE_S * 1000)
    page.close()
