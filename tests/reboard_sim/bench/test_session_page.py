"""What was done at the table, in a browser: saved as a play, or copied as a link."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread

pytestmark = pytest.mark.realtime


def test_a_session_is_saved_as_a_play_that_passes(page: Page, table: TableThread, tmp_path: Path) -> None:
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
