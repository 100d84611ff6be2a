"""The sheet "Inside" of the bench in a browser: pins, the readers' lines, ledger, and files to save."""

from __future__ import annotations

import io
import json
import re
import wave
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime


def do(table: TableThread, *lines: str) -> None:
    table.do(list(lines)).result(PATIENCE_S)


def seconds_in(text: str) -> list[float]:
    times = re.findall(r"(\d+):(\d\d\.[\d\u202f]+)", text)
    return [60 * int(minutes) + float(seconds.replace("\u202f", "")) for minutes, seconds in times]


def test_a_user_looks_at_every_line_and_the_ledger_and_saves_the_files(page: Page, table: TableThread) -> None:
    button, sheet = page.get_by_role("button", name="Inside"), page.locator("#inside")
    expect(sheet).to_be_hidden()
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("tab", name="Pins")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile(r"[?&]inside=pins\b"))

    page.get_by_role("tab", name="Readers").click()
    frames = page.locator("#panel-serial .frames")
    expect(frames).to_have_attribute("data-say-nothing", re.compile("Put a card in"))
    do(table, "insert left 1", "type 1.5M", "wait 0.5")
    row = frames.locator("li", has_text=f"card {DECK[0]}, checksum correct").first
    expect(row).to_contain_text("left → Pi")
    expect(row.locator("code")).to_have_text(re.compile(r"^02 33 41 30 30 43 34 31 46 30 37 .. .. 03\s*$"))
    expect(row).to_contain_text(re.compile(r"\d+ times, every 6\d(\.\d)? ms"))
    page.get_by_label("every repeat").check()
    expect(frames.locator("li").nth(4)).to_contain_text(f"card {DECK[0]}")

    page.get_by_role("tab", name="Ledger").click()
    expect(page).to_have_url(re.compile(r"[?&]inside=ledger\b"))
    page.reload()
    rows = page.locator("#panel-ledger tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first.locator(".amount")).to_have_text("1500000")
    expect(rows.first.locator(".reason")).to_have_text("received")
    do(table, "fault disk full", "wait 0.1")
    expect(page.locator("#ledger-said")).to_contain_text("The disk is full")

    files = {}
    for name in ("pins (VCD)", "sound (WAV)", "events (JSON lines)"):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        files[download.value.suggested_filename] = Path(download.value.path()).read_bytes()
    assert sorted(files) == ["reboard-events.jsonl", "reboard-pins.vcd", "reboard-sound.wav"]
    assert b"apple_motor" in files["reboard-pins.vcd"]
    with wave.open(io.BytesIO(files["reboard-sound.wav"])) as wav:
        assert any(wav.readframes(wav.getnframes()))
    kinds = {json.loads(line)["event"] for line in files["reboard-events.jsonl"].splitlines()}
    assert {"card.inserted", "transfer"} <= kinds

    button.click()
    expect(sheet).to_be_hidden()
    expect(page).to_have_url(re.compile(r"^(?!.*inside=)"))


def test_inside_opens_on_the_last_activity_and_follows_the_next(page: Page, table: TableThread) -> None:
    do(table, "press block", "wait 12")  # the view of the latest shows ten seconds
    page.get_by_role("button", name="Inside").click()
    scope = page.locator("#panel-pins canvas")
    pressed: float = max(t for t, _ in (table.open_inside_view()() or {})["edges"]["block_button"])

    def is_shown() -> bool:
        begin, end = (scope.get_attribute(f"data-{edge}") for edge in ("begin", "end"))
        return bool(begin and end) and float(begin or 0) < pressed < float(end or 0)

    eventually(is_shown, "the press is in view", page)
    latest = page.locator("#panel-pins").get_by_role("button", name="Latest")
    expect(latest).to_have_attribute("aria-pressed", "false")
    do(table, "press block")
    expect(latest).to_have_attribute("aria-pressed", "true")


def test_the_difference_of_two_cursors_is_that_of_the_edges_that_they_were_set_to(
    page: Page, url: str, table: TableThread
) -> None:
    do(table, "wait 0.3", "press block 0.4", "wait 0.5")
    times = [t for t, _ in (table.open_inside_view()() or {})["edges"]["block_button"] if t > 0.2]
    page.goto(f"{url}?inside=pins")
    expect(page.locator(".lanes li")).not_to_have_count(0)
    page.locator("#inside").evaluate("sheet => sheet.scrollIntoView()")
    canvas = page.get_by_role("application", name="Logic analyser")
    canvas.focus()
    for key in ("Home", "Shift+ArrowLeft", "b", *["Shift+ArrowLeft"] * len(times)):
        canvas.press(key)
    readout = page.locator("#panel-pins .readout")
    expected = pytest.approx([times[-1], times[0]], abs=1e-6)
    eventually(lambda: seconds_in(readout.inner_text())[:2] == expected, "the cursors are at these edges", page)
    text = readout.inner_text()
    found = re.search(r"A to B -?([\d.]+) (s|ms|µs).*?([\d.]+) Hz", text, re.DOTALL)
    assert found
    apart = float(found[1]) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[found[2]]
    assert apart == pytest.approx(times[-1] - times[0], rel=1e-5)
    assert float(found[3]) == pytest.approx(1 / apart, rel=1e-5)
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(readout).to_have_text("")
