"""What was done at the table, in a browser: saved as a play, or copied as a link."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.scene_wish import LONGEST_SCENE_S, SceneWish
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.recording import LINES_EACH, MOST_LINES
from tests.reboard_sim.bench.address import asked, link_of, unpackable
from tests.reboard_sim.bench.conftest import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

TOLD_MS = 2500
"""How long the button tells what became of a link."""


def test_what_was_done_by_hand_is_saved_as_a_play_that_holds(page: Page, table: TableThread, tmp_path: Path) -> None:
    page.get_by_role("button", name="Bank card 1").press("ArrowLeft")
    expect(page.locator("#display-text")).to_contain_text("15M")
    page.locator('[data-key="2"]').click()
    page.locator('[data-key="M"]').click()
    expect(page.locator("#display-text")).to_contain_text("17M")
    page.locator("#block-button").click()
    expect(page.locator("#block-button")).not_to_have_class("glowing")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as a play").click()
    assert download.value.suggested_filename == "reboard-session.play"
    play = tmp_path / "session.play"
    download.value.save_as(play)
    assert "expect balance 1 17M" in play.read_text()
    # while a browser is open no other event loop can run here
    played = subprocess.run([sys.executable, "-m", "reboard_sim.cli", "play", play], capture_output=True, text=True)
    assert played.returncode == 0, played.stderr


def test_a_recording_that_is_full_says_so(page: Page, table: TableThread) -> None:
    save = page.get_by_role("link", name="Save as a play")
    expect(save).to_have_text("Save as a play")
    table.set_scene(SceneWish(), 5, ["hold 1", "release 1"] * (MOST_LINES // (2 * LINES_EACH))).result(4 * PATIENCE_S)
    expect(save).to_have_text("Save as a play (full)")
    table.set_scene(SceneWish(), 5, []).result(PATIENCE_S)
    expect(save).to_have_text("Save as a play")


def test_a_session_that_no_link_can_carry_is_to_be_saved(page: Page, table: TableThread) -> None:
    lines = [f"key 1 # {noise}" for noise in unpackable(60)]
    table.set_scene(SceneWish(), 5, lines).result(PATIENCE_S)
    eventually(lambda: asked(page).get("seed") == "5", "the page knows the scene", page)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copy-link")).to_have_text("Too long: save it")


def test_what_became_of_a_link_stands_as_long_whatever_was_told_before(page: Page, url: str) -> None:
    page.clock.install()
    page.goto(url)
    copy = page.get_by_role("button", name="Copy link")
    label = page.locator("#copy-link")
    expect(copy).to_be_enabled()
    page.clock.pause_at(time.time() + 60)
    link_of(page)
    page.clock.run_for(TOLD_MS - 100)
    page.route("**/session.play", lambda route: route.fulfill(status=400, json={"error": "not now"}))
    copy.click()
    expect(label).to_have_text("No answer")
    page.clock.run_for(TOLD_MS - 100)
    assert label.text_content() == "No answer"
    page.clock.run_for(100)
    expect(label).to_have_text("Link")


def test_what_became_of_a_link_is_told_to_a_screen_reader_too(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    told = page.locator("#announcer")
    expect(told).to_have_text("Card 1 into the left slot")
    link_of(page)
    expect(told).to_have_text("Copied")
    expect(told).to_have_role("status")


def test_a_link_that_no_bench_answers_for_says_so(page: Page) -> None:
    page.route("**/session.play", lambda route: route.fulfill(status=400, json={"error": "not now"}))
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copy-link")).to_have_text("No answer")


def test_a_session_that_took_too_long_for_a_link_is_to_be_saved(page: Page, table: TableThread, url: str) -> None:
    choices = page.request.get(f"{url}api/bench").json()
    assert choices["longest_scene_s"] == LONGEST_SCENE_S
    page.route("**/api/bench", lambda route: route.fulfill(json={**choices, "longest_scene_s": 200}))
    page.goto(url)
    expect(page.get_by_role("button", name="Scene")).to_be_enabled()  # it knows what is on the table
    table.set_scene(SceneWish(), 5, ["wait 30", "hold 5 30", "press block 30"]).result(PATIENCE_S)
    expect(page).to_have_url(re.compile("seed=5"))
    assert "do=hold+5+30" in link_of(page)
    table.set_scene(SceneWish(), 6, ["wait 70", "hold 5 70", "press block 70"]).result(PATIENCE_S)
    expect(page).to_have_url(re.compile("seed=6"))
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copy-link")).to_have_text("Too long: save it")
