"""The bench's sheet "Inside" in a browser: pins, readers' lines, the display's bus, sound, ledger and events."""

from __future__ import annotations

import io
import json
import re
import wave
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from vcd.reader import TokenKind, tokenize

from reboard_sim.bench.table_thread import TableThread
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.reboard_sim.bench.conftest import PATIENCE_S

pytestmark = pytest.mark.realtime

CLOSED = re.compile(r"^(?!.*inside=)")
"""The address of a page whose sheet is closed."""

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
    return [(t, duty) for t, duty in (table.open_inside_view()() or {})["edges"][wire]]


def analyser(page: Page) -> Locator:
    return page.get_by_role("application", name="Logic analyser")


def seconds_in(text: str) -> list[float]:
    return [float(re.sub(r"[^\d.]", "", number)) for number in re.findall(r"([\d. \u202f]+) s\b", text)]


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


# pins


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


# the readers' lines


def test_the_frames_of_a_card_are_listed_with_their_bytes_and_repeats(inside: Open, table: TableThread) -> None:
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


# the display's bus


# the sound


# the ledger


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
    expect(page.locator("#ledger-said")).to_contain_text("The disk is full")
    expect(rows).to_have_count(2)


# the events


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
