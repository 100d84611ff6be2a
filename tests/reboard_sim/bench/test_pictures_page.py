"""How the bench looks, at three sizes, by day and by night: pictures in ``artefacts/``, all in order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread
from tests.pictures import SIZES, disorder, picture

pytestmark = pytest.mark.realtime

PATIENCE_S = 15.0


@pytest.mark.parametrize("light", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_out_of_order(open_page: Callable[..., Page], table: TableThread, size: str, light: str) -> None:
    page = open_page(**SIZES[size], color_scheme=light)
    table.do(["insert left 1", "insert right 4", "type 1.5M", "pull lever", "release lever"]).result(PATIENCE_S)
    expect(page.locator("#slot-right")).to_have_accessible_name(
        "Right slot (−, pays): card 4, 13.5M; click to take it out"
    )
    picture(page, f"bench-{size}-{light}")
    assert disorder(page, ".accessory, .sheet") == []
    assert disorder(page, ".rail > :not(.line)") == []
    assert disorder(page, ".key") == []
