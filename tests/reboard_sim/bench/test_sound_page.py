"""The sound of the bench in a browser: heard once it is on, whole and in time."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.conftest import PATIENCE_S

pytestmark = pytest.mark.realtime


def test_what_the_sound_card_plays_is_heard_once_sound_is_on(page: Page, table: TableThread) -> None:
    sound = page.get_by_role("button", name="Sound on")
    sound.click()
    expect(page.locator("#sound-label")).to_have_text("Sound is on")
    page.wait_for_timeout(300)
    table.do(["press block"]).result(PATIENCE_S)
    expect(page.locator("#sound")).to_have_attribute("data-sounding", "")
    page.locator("#sound").click()
    expect(page.locator("#sound-label")).to_have_text("Sound on")
    expect(page.locator("#sound")).not_to_have_attribute("data-sounding", "")


def test_blocks_of_sound_are_found_however_the_bytes_were_cut(page: Page) -> None:
    found = page.evaluate(
        """async () => {
            const { blocks } = await import("/static/pcm.js");
            const bytes = new Uint8Array(12 + 12 + 6 + 12 + 2);
            const view = new DataView(bytes.buffer);
            view.setFloat64(12, 1.25, true);
            view.setUint32(20, 6, true);
            [0, 16384, -32768].forEach((sample, i) => view.setInt16(24 + 2 * i, sample, true));
            view.setFloat64(30, 1.5, true);
            view.setUint32(38, 2, true);
            view.setInt16(42, -16384, true);
            const found = [];
            for (const cut of [1, 5, 12, 13, 44]) {
                const stream = new ReadableStream({ start(to) {
                    for (let at = 0; at < bytes.length; at += cut) to.enqueue(bytes.slice(at, at + cut));
                    to.close();
                } });
                const heard = [];
                for await (const { t, samples } of blocks(stream)) heard.push([t, ...samples]);
                found.push(heard);
            }
            return found;
        }"""
    )
    assert found == [[[1.25, 0, 0.5, -1], [1.5, -0.5]]] * 5


def test_blocks_follow_each_other_without_a_seam_and_gaps_stay_as_long_as_they_were(page: Page) -> None:
    heard = page.evaluate(
        """async () => {
            const { timing } = await import("/static/sound.js");
            let now = 10;
            const when = timing(() => now);
            const heard = [when(5, 0.01), when(5.0101, 0.01)];
            now = 10.3;
            heard.push(when(5.3, 0.01));
            now = 20;
            heard.push(when(5.4, 0.01));
            return heard;
        }"""
    )
    first, second, after_a_gap, after_a_stall = heard
    assert first == pytest.approx(10.06)
    assert second == pytest.approx(first + 0.01, abs=1e-12)
    assert after_a_gap == pytest.approx(first + 0.3, abs=2e-4)
    assert after_a_stall == pytest.approx(20.06)
