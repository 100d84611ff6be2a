"""Renders drawings as pictures with a browser."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from types import TracebackType

from playwright.sync_api import sync_playwright

from hardware.making.png import read_text, with_text

BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
MADE_FROM = "Made from"
"""The keyword of the text in a picture that identifies its drawing."""
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

    def write(self, svg: Path, content: bytes, scale: float = SCALE) -> list[Path]:
        """Write a drawing as *svg* and, beside it, as a picture that names the hash of the drawing."""
        svg.write_bytes(content)
        png = svg.with_suffix(".png")
        png.write_bytes(with_text(self._picture(svg, scale), MADE_FROM, _digest(svg)))
        return [svg, png]

    def _picture(self, svg: Path, scale: float) -> bytes:
        page = self._browser.new_page(device_scale_factor=scale)
        page.goto(svg.resolve().as_uri())
        width, height = page.evaluate(SIZE)
        page.set_viewport_size({"width": round(width), "height": round(height)})
        shot = page.screenshot()
        page.close()
        return shot


def shows(png: Path, svg: Path) -> bool:
    """Return whether the picture *png* was made from *svg* as it is now."""
    return read_text(png.read_bytes(), MADE_FROM) == _digest(svg)


def _digest(svg: Path) -> str:
    return hashlib.sha256(svg.read_bytes()).hexdigest()
