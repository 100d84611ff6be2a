"""The pages of the static bench, one for each language, and the files that they load."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import reboard.web
from reboard.languages import ENGLISH, languages
from reboard_sim.bench.app import Streams, make_app
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.browser.bench import BROWSER
from reboard_sim.browser.messages import MessageServer
from reboard_sim.scene import Scene, temporary_state

FILE = re.compile(r"""["'](static/[\w./-]+)["']""")
ICONS = Path(reboard.web.__file__).parent / "table_page"


class TableToCome(TableThread):
    """A table whose state is not put into the page, because the page has another one in the browser."""

    def table(self) -> dict[str, Any]:
        raise TimeoutError

    scene = table


async def write_pages(out: Path) -> None:
    """Write the pages into the folder *out*: ``index.html``, and other languages such as ``index.de.html``."""
    assert BROWSER.part
    for file in [*BROWSER.part.iterdir(), *ICONS.glob("*.png")]:
        if not file.name.startswith(("part.", "head.")):
            shutil.copy(file, out)
    with temporary_state() as state, closing(TableToCome(Scene.load(None, Path(state)), seed=0)) as table:
        server = MessageServer(make_app(table, Streams(), runtime=BROWSER))
        for language in languages():
            await _write_page(out, server, language, (BROWSER.part / "head.html").read_text("utf-8"))


async def _write_page(out: Path, server: MessageServer, language: str, head: str) -> None:
    async def get(path: str) -> str:
        answer = await server.answer("GET", path, headers={"accept-language": language})
        assert answer.status == 200, f"{path}: {answer.body!r}"
        return answer.body.decode()

    html = await get("/")
    others = "".join(f'  <link rel="alternate" hreflang="{code}" href="{_name(code)}">\n' for code in languages())
    (out / _name(language)).write_text(html.replace("<head>\n", f"<head>\n{others}{head}", 1), "utf-8")
    names = set(FILE.findall(html))
    while names:
        file = out / (name := names.pop())
        if not file.exists():
            text = await get(f"/{name}")
            names |= set(FILE.findall(text))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")


def _name(language: str) -> str:
    return "index.html" if language == ENGLISH else f"index.{language}.html"
