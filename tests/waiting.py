"""How long tests wait for what must happen: long, because the machine may be busy. A test that passes waits less."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Page

PATIENCE_S = 120.0
LOOK_AGAIN_S = 0.02


def eventually(holds: Callable[[], object], what: str = "", page: Page | None = None) -> None:
    """Look again and again until *holds*; meanwhile *page* lives."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, what
        if page:
            page.wait_for_timeout(LOOK_AGAIN_S * 1000)
        else:
            time.sleep(LOOK_AGAIN_S)
