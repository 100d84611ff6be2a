"""Pictures of pages, to be looked at, and what of their order a machine can see.

``REBOARD_PICTURES=1`` keeps the pictures in ``artefacts/``: each takes a third of a second of a processor, or more.
"""

from __future__ import annotations

import os
from itertools import combinations
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

KEPT_IN = Path(__file__).resolve().parents[1] / "artefacts"

SIZES: dict[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "tablet": {"viewport": {"width": 768, "height": 1024}, "is_mobile": True, "has_touch": True},
    "laptop": {"viewport": {"width": 1440, "height": 900}, "is_mobile": False, "has_touch": False},
}

SEEN = """(selector) => [...document.querySelectorAll(selector)]
    .map((element) => [element.id || element.className, element.getBoundingClientRect()])
    .filter(([, box]) => box.width && box.height)
    .map(([name, { left, top, right, bottom }]) => [name, left, top, right, bottom])"""

SHIFTS = """window.shifted = {};
new PerformanceObserver((list) => {
  for (const shift of list.getEntries().filter((shift) => !shift.hadRecentInput && shift.value > 0.02)) {
    for (const { node, previousRect: before, currentRect: after } of shift.sources) {
      const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
      if (!element || element.closest("header, #events")) continue;
      const name = element.id || element.className || element.localName;
      const far = Math.max(Math.abs(after.x - before.x), Math.abs(after.y - before.y));
      window.shifted[name] = Math.max(window.shifted[name] ?? 0, far);
    }
  }
}).observe({ type: "layout-shift", buffered: true });"""
"""A script for a page, before it loads. The header's words and the rows of the log may move: they are news. A shift of
less than a fiftieth of the window does not count."""

LEAST_SHIFT_PX = 5


def shifted(page: Page) -> dict[str, float]:
    """The elements that moved without a user's doing, and how far in pixels, at the most, on a page with `SHIFTS`.

    How often they moved does not count: a busy machine draws a page in more steps.
    """
    moved: dict[str, float] = page.evaluate("window.shifted")
    return {name: far for name, far in moved.items() if far >= LEAST_SHIFT_PX}


def picture(page: Page, name: str) -> None:
    """Keep a picture of the whole page as ``artefacts/NAME.png``, if pictures are wanted."""
    if not os.environ.get("REBOARD_PICTURES"):
        return
    KEPT_IN.mkdir(exist_ok=True)
    page.screenshot(path=KEPT_IN / f"{name}.png", full_page=True)


def disorder(page: Page, selector: str) -> list[str]:
    """A line for each visible element of *selector* that reaches out of the page's width or lies over another one."""
    width = page.evaluate("document.documentElement.clientWidth")
    seen = page.evaluate(SEEN, selector)
    out = [
        f"{name} reaches from {left} to {right}" for name, left, _, right, _ in seen if left < 0 or right > width + 1
    ]
    over = [
        f"{one[0]} and {other[0]} lie over each other"
        for one, other in combinations(seen, 2)
        if min(one[3], other[3]) - max(one[1], other[1]) > 1 and min(one[4], other[4]) - max(one[2], other[2]) > 1
    ]
    return out + over
