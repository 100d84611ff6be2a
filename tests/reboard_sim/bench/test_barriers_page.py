"""Nothing on the bench keeps anybody out: by axe-core, by day and by night, on a laptop and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread
from tests.barriers import barriers

pytestmark = pytest.mark.realtime

PATIENCE_S = 15.0
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOOKS: dict[str, dict[str, Any]] = {
    "laptop": {},
    "laptop in the dark": {"color_scheme": "dark"},
    "phone": PHONE,
    "phone in the dark": {**PHONE, "color_scheme": "dark"},
}


@pytest.mark.parametrize("look", LOOKS)
def test_the_bench_has_no_barriers(open_page: Callable[..., Page], table: TableThread, look: str) -> None:
    page = open_page(**LOOKS[look])
    assert barriers(page) == []
    table.do(["insert left 1", "press block", "pull lever", "fault stuck lever"]).result(PATIENCE_S)
    expect(page.locator("#slot-left .card-art")).to_have_count(1)
    assert barriers(page) == []
    table.do(["power off"]).result(PATIENCE_S)
    expect(page.locator("#line")).to_have_text("switched off")
    assert barriers(page) == []


@pytest.mark.parametrize("look", LOOKS)
def test_the_sheet_inside_has_no_barriers(
    open_page: Callable[..., Page], table: TableThread, url: str, look: str
) -> None:
    table.do(["insert left 1", "press block", "fault noise right", "fault disk full", "wait 1"]).result(PATIENCE_S)
    page = open_page(**LOOKS[look])
    for tab in ("pins", "serial", "lcd", "sound", "ledger", "events"):
        page.goto(f"{url}?inside={tab}")
        expect(page.locator(f"#panel-{tab}")).to_be_visible()
        expect(page.locator(".lanes li")).not_to_have_count(0)
        if tab in ("pins", "sound"):
            canvas = page.locator(f"#panel-{tab} canvas")
            canvas.press("Home")
            canvas.press("Shift+ArrowLeft")
            expect(page.locator(f"#panel-{tab} .readout")).to_contain_text("A ")
        assert barriers(page) == [], tab
