"""Everything that a user can touch on the two pages is large enough for a finger: 44 px.

axe-core finds what is too small for a mouse.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from reboard_sim.bench.servers import PIN, TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.reboard_sim.bench.conftest import served
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime

FINGER_PX = 44
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}

TOO_SMALL = """([least, within]) => {
  const top = document.querySelector("dialog[open]") ?? document.querySelector(within);
  const inSentence = (element) => element.matches("p a, li a, dd a") && getComputedStyle(element).display === "inline";
  const across = (element, [dx, dy], { x, y }) => {
    const hits = (step) => {
      const hit = document.elementFromPoint(x + step * dx, y + step * dy);
      return element.contains(hit) || (hit?.closest("label")?.control === element && !hit.closest("button, a"));
    };
    const well = Array.from({ length: least / 4 }, (_, number) => 2 * number).concat(least / 2 - 0.25);
    if (well.every((step) => hits(step) && hits(-step))) return least;
    let [low, high] = [0, 0];
    const step = (size) => size < least / 2 - 4 ? 2 : 0.5; // exact where it matters
    while (low < least && hits(-low - step(low))) low += step(low);
    while (high < least && hits(high + step(high))) high += step(high);
    return low + high;
  };
  return [...top.querySelectorAll("a[href], button, input, select, summary, [role=button], [role=separator][tabindex]")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !inSentence(element))
    .flatMap((element) => {
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const seen = element.matches(".unseen, .unseen *") ? element.closest("label") : element;
      const box = seen.getBoundingClientRect();
      const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      const [width, height] = [across(element, [1, 0], middle), across(element, [0, 1], middle)];
      const name = element.getAttribute("aria-label") ?? (element.id || element.textContent.trim());
      return Math.min(width, height) < least - 0.5 ? [`${element.localName} “${name}”: ${width} × ${height}`] : [];
    });
}"""
"""The links, buttons and fields that respond to clicks in less than `least` pixels, except for links in a sentence."""


def too_small(page: Page, within: str = "html") -> list[str]:
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    found: list[str] = page.evaluate(TOO_SMALL, [FINGER_PX, within])
    return found


@pytest.fixture
def urls(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The addresses of the bench and of its table page."""
    (tmp_path / "state").mkdir()
    socket = tmp_path / "table.sock"
    with (
        closing(TableThread(Scene.load(None, tmp_path / "state"), seed=1, socket=socket)) as table,
        served(table) as bench,
        closing(TablePage(socket, port=0)) as table_page,
    ):
        table.do(["insert left 1", "insert right 2", "type 1M"]).result(PATIENCE_S)
        table.choose_pace(0).result(PATIENCE_S)  # a page that draws takes the processor from what measures it
        yield bench, table_page.link.url


def test_every_target_is_large_enough(browser: Browser, urls: tuple[str, str]) -> None:
    found: list[str] = []
    page = browser.new_page(**PHONE)
    page.goto(f"{urls[0]}?edition=nintendo&do=press+block")
    expect(page.get_by_role("region", name="Link")).to_be_visible()
    found += too_small(page)
    page.goto(f"{urls[0]}?inside=pins")
    expect(page.locator("#line")).to_have_text("paused")
    found += too_small(page)
    for tab in page.get_by_role("tab").all():
        tab.click()
        found += too_small(page, "#inside")
    for opener in page.locator("[aria-haspopup='dialog']").filter(visible=True).all():
        opener.click()
        found += too_small(page)
        page.keyboard.press("Escape")

    page.goto(urls[1])
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    page.get_by_role("button", name="Host").click()
    found += too_small(page)
    page.get_by_label("PIN of the host").fill(PIN)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Stop hosting")).to_be_visible()
    found += too_small(page)
    page.close()
    assert not found, "\n" + "\n".join(sorted({*found}))
