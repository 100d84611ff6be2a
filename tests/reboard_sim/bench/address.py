"""The address of a page of the bench, and the links that it copies."""

from __future__ import annotations

import random
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import BrowserContext, Page, expect


def asked(page: Page) -> dict[str, str]:
    """What the page's address asks for."""
    return dict(parse_qsl(urlsplit(page.url).query))


def link_of(page: Page) -> str:
    context: BrowserContext = page.context
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copy-link")).to_have_text("Copied")
    link: str = page.evaluate("navigator.clipboard.readText()")
    return link


def packed(lines: Sequence[str]) -> str:
    """What stands behind the "#" of a link with these lines."""
    deflated = zlib.compress("\n".join(lines).encode(), wbits=-zlib.MAX_WBITS)
    return f"play={urlsafe_b64encode(deflated).decode().rstrip('=')}"


def unpackable(count: int) -> list[str]:
    """So many times 400 characters that are no shorter than half of it when they are packed."""
    noise = random.Random(1)
    return [noise.randbytes(200).hex() for _ in range(count)]
