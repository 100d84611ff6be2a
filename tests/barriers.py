"""What keeps somebody out of a page, as axe-core finds it: the rules of WCAG 2.2, A and AA, and good practice."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


AT_REST = """() => document.getAnimations()
    .filter((moving) => moving.effect.getTiming().iterations < Infinity)
    .forEach((moving) => moving.finish())"""
RUN = "async ([within, options]) => (await axe.run(within ?? document, options)).violations"


SMALL_FIELDS = """(within) => !matchMedia("(pointer: coarse)").matches ? []
    : [...document.querySelector(within ?? "body").querySelectorAll("input, select, textarea")]
    .filter((field) => !field.matches("[type=checkbox], [type=range]"))
    .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16)
    .map((field) => `iOS enlarges the page at ${field.outerHTML.slice(0, 200)}`)"""


def barriers(page: Page, within: str | None = None) -> list[str]:
    """Return a line for each element, *within* a selector, that breaks a rule. Animations are finished before.

    On a touch screen a field of less than 16 px is one, too: iOS enlarges the page when it gets the focus.
    """
    page.evaluate(AT_REST)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)  # half a megabyte
    small: list[str] = page.evaluate(SMALL_FIELDS, within)
    return small + [
        f"{broken['id']}: {broken['help']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for broken in page.evaluate(RUN, [within, {"runOnly": RULES, "resultTypes": ["violations"]}])
        for node in broken["nodes"]
    ]
