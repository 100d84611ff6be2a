"""Hands on a page of the bench, a mouse that drags and a finger; and what the cards hold after them."""

from __future__ import annotations

from playwright.sync_api import CDPSession, Locator, Page

from reboard_sim.bench.table_thread import TableThread


def middle(locator: Locator) -> tuple[float, float]:
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Press the mouse, move it, and keep it down."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=8)


class Finger:
    """One finger on the glass of *page*."""

    def __init__(self, page: Page) -> None:
        self._line: CDPSession = page.context.new_cdp_session(page)
        self._at = (0.0, 0.0)

    def down(self, place: tuple[float, float]) -> None:
        self._at = place
        self._touch("touchStart", place)

    def move(self, place: tuple[float, float]) -> None:
        for step in range(1, 9):
            self._touch("touchMove", tuple(a + (b - a) * step / 8 for a, b in zip(self._at, place, strict=True)))
        self._at = place

    def up(self) -> None:
        self._touch("touchEnd")

    def _touch(self, kind: str, *places: tuple[float, ...]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        self._line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def shown(table: TableThread, number: int) -> str | None:
    """What a card holds, as the unit shows it."""
    cards = table.table()["cards"]
    return next((card["shown"] for card in cards if card["number"] == number), None)
