"""Pictures of Home Assistant's page of the table, in ``artefacts/``, to be looked at."""

from __future__ import annotations

import os
import shutil
from typing import Any

from playwright.async_api import async_playwright, expect

from tests.conftest import BROWSERS, QUIETLY
from tests.home_assistant.home import PASSWORD, Home
from tests.pictures import KEPT_IN
from tests.waiting import PATIENCE_S


async def take_pictures(home: Home, name: str) -> None:
    """Sign in with a browser, where there is one, and take a picture of the page of the device."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        return
    KEPT_IN.mkdir(exist_ok=True)
    expect.set_options(timeout=PATIENCE_S * 1000)
    fence = ("--no-sandbox",) if os.geteuid() == 0 else ()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*QUIETLY, *fence])
        page = await browser.new_page(viewport={"width": 1100, "height": 900})
        page.set_default_timeout(PATIENCE_S * 1000)
        await page.goto(home.url)
        await page.get_by_label("Username").fill("test")
        await page.get_by_label("Password", exact=True).fill(PASSWORD)
        await page.get_by_role("button", name="Log in").click()
        await page.wait_for_url("**/lovelace/**", wait_until="commit")
        await page.goto(f"{home.url}/config/devices/dashboard?domain=mqtt")
        await page.get_by_text("table-1", exact=True).first.click()
        await expect(page.get_by_text("Last transfer").first).to_be_visible()
        await page.wait_for_timeout(2000)
        device: Any = {"x": 256, "y": 0, "width": 566, "height": 830}
        await page.screenshot(path=KEPT_IN / f"{name}.png", clip=device)
        await browser.close()
