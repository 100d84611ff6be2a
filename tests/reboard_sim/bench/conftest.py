"""The bench on a real port of this machine, and pages of it in a browser."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from reboard_sim.bench.app import PageBeside
from reboard_sim.bench.bench_acts import BenchTable
from reboard_sim.bench.runtime import COMMAND, Runtime
from reboard_sim.bench.servers import BenchServer
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.waiting import PATIENCE_S

DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}

BLOCK_ONLY = "[block]\nbutton = 17\n"
"""Another wiring than our own: only the block."""


@contextmanager
def served(
    table: BenchTable, port: int = 0, table_page: PageBeside | None = None, runtime: Runtime = COMMAND
) -> Iterator[str]:
    """The bench of *table*; what is yielded is where it is."""
    server = BenchServer(table, port=port, table_page=table_page, runtime=runtime)
    thread = threading.Thread(target=server.run, name="bench")
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join(PATIENCE_S)
        assert not thread.is_alive(), "the bench did not stop"


@pytest.fixture
def wiring() -> str:
    """The text of another table.toml than our own."""
    return ""


@pytest.fixture
def table(tmp_path: Path, wiring: str) -> Iterator[TableThread]:
    config = None
    if wiring:
        config = tmp_path / "table.toml"
        config.write_text(wiring)
    table = TableThread(Scene.load(config, tmp_path), seed=1)
    yield table
    table.close()


@pytest.fixture
def url(table: TableThread) -> Iterator[str]:
    with served(table) as url:
        yield url


@pytest.fixture
def open_page(browser: Browser, url: str) -> Iterator[Callable[..., Page]]:
    """Opens the bench in a window of its own; at the end no page may have complained."""
    complaints: list[str] = []
    contexts = []

    def opened(**options: Any) -> Page:
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        context.set_default_timeout(PATIENCE_S * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(url)
        expect(page.locator("#line")).to_have_attribute("data-line", "open")
        return page

    yield opened
    for context in contexts:
        context.close()
    # a browser complains of each request that is rejected
    assert [complaint for complaint in complaints if "status of 400" not in complaint] == []


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    return open_page()


@pytest.fixture
def phone(open_page: Callable[..., Page]) -> Page:
    return open_page(viewport=PHONE, has_touch=True, is_mobile=True)
