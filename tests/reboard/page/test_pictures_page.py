"""How the table page looks, at three sizes, by day and by night: pictures in ``artefacts/``, all in order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.pictures import SIZES, disorder, picture
from tests.reboard.page.table_in_a_thread import TableInAThread
from tests.reboard.page.test_barriers_page import busy
from tests.reboard.page.test_host_page import PIN, enter

pytestmark = pytest.mark.realtime


@pytest.fixture
def pin() -> str:
    return PIN


@pytest.mark.parametrize("light", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_out_of_order(open_phone: Callable[..., Page], table: TableInAThread, size: str, light: str) -> None:
    page = open_phone(**SIZES[size], color_scheme=light)
    enter(page, PIN)
    expect(page.locator("#host-sheet")).to_be_visible()
    busy(table)
    expect(page.locator("#places li")).to_have_count(1)
    for chart in page.locator(".chart").all():
        chart.evaluate("image => image.decode()")
    picture(page, f"table-page-{size}-{light}")
    assert disorder(page, ".sheets .sheet") == []
    assert disorder(page, "#cards li, #glass") == []
    assert disorder(page, ".rail > :not(.line)") == []
