"""What keeps somebody out of a page, as axe-core finds it: the rules of WCAG 2.2, A and AA, and good practice."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


AT_REST = """() => document.getAnimations()
    .filter((moving) => moving.effect.getTiming().iterations < Infinity)
    .forEach((moving) => moving.finish())"""
RUN = "async ([within, options]) => (await axe.run(within ?? document, options)).violations"


def barriers(page: Page, within: str | None = None) -> list[str]:
    """Return a line for each element, *within* a selector, that breaks a rule. Animations are finished before."""
    page.evaluate(AT_REST)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)  # half a megabyte
    return [
        f"{broken['id']}: {broken['help']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for broken in page.evaluate(RUN, [within, {"runOnly": RULES, "resultTypes": ["violations"]}])
        for node in broken["nodes"]
    ]
