"""Renders drawings as pictures with a browser."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import TracebackType

from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
SIZE = "(({ width, height }) => [width, height])(document.documentElement.getBoundingClientRect())"
SCALE = 2.0
"""Pixels of a picture for each pixel of the drawing."""


class MissingProgramError(Exception):
    """A program that makes files of ``hardware/`` is not installed."""


class Renderer:
    """A browser, open inside ``with``. Raises `MissingProgramError` if there is none."""

    def __enter__(self) -> Renderer:
        path = next(filter(None, map(shutil.which, BROWSERS)), None)
        if path is None:
            raise MissingProgramError(f"Pictures need a browser: none of {', '.join(BROWSERS)} is on the path.")
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._browser.close()
        self._playwright.stop()

    def write(self, svg: Path, content: bytes) -> list[Path]:
        """Write a drawing as *svg* and, beside it, as a picture."""
        svg.write_bytes(content)
        png = svg.with_suffix(".png")
        png.write_bytes(self._picture(svg))
        return [svg, png]

    def _picture(self, svg: Path) -> bytes:
        page = self._browser.new_page(device_scale_factor=SCALE)
        page.goto(svg.resolve().as_uri())
        width, height = page.evaluate(SIZE)
        page.set_viewport_size({"width": round(width), "height": round(height)})
        shot = page.screenshot()
        page.close()
        return shot
