"""The pages of the static bench, one for each language, and the files that they load."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import reboard.web
from reboard.languages import ENGLISH, languages
from reboard_sim.bench.app import Streams, make_app
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.browser.bench import BROWSER
from reboard_sim.browser.messages import MessageServer
from reboard_sim.browser.script_bench import SCRIPT_IN_BROWSER
from reboard_sim.scene import Scene, temporary_state
from reboard_sim.script.script_bench import ScriptThread
from reboard_sim.script.script_table import ScriptScene

FILE = re.compile(r"""["'](static/[\w./-]+)["']""")
PAGE = BROWSER.parts[0]
WORKER_SCRIPT = '<script src="table_in_browser.js"'
EXAMPLES = Path(__file__).parents[2] / "examples" / "scripts"
ICONS = Path(reboard.web.__file__).parent / "table_page"


class StateToCome:
    """A table whose state is not put into the page, because the page has another one in the browser."""

    def table(self) -> dict[str, Any]:
        raise TimeoutError

    scene = table


class TableToCome(StateToCome, TableThread):
    """The table of the accessories."""


class ProgramToCome(StateToCome, ScriptThread):
    """The table of a program."""


async def write_pages(out: Path) -> None:
    """Write the pages into the folder *out*: ``index.html``, and other languages such as ``index.de.html``.

    ``script.html`` is the page of a program, and ``examples/`` has the programs of `EXAMPLES` to begin with.
    """
    for file in [*PAGE.iterdir(), *ICONS.glob("*.png")]:
        if not file.name.startswith(("part.", "head.")):
            shutil.copy(file, out)
    (out / "examples").mkdir()
    for example in EXAMPLES.glob("*.py"):
        if not example.name.startswith("test_"):
            shutil.copy(example, out / "examples")
    names = sorted(file.stem for file in (out / "examples").iterdir())
    (out / "examples" / "names.json").write_text(json.dumps(names), "utf-8")
    head = (PAGE / "head.html").read_text("utf-8")
    with temporary_state() as state, ExitStack() as tables:
        table = tables.enter_context(closing(TableToCome(Scene.load(None, Path(state)), seed=0)))
        program = tables.enter_context(
            closing(ProgramToCome(ScriptScene(Path(state, "program.py"), {}, {}), seed=0, show=lambda *_: None))
        )
        server = MessageServer(make_app(table, Streams(), runtime=BROWSER))
        of_program = MessageServer(make_app(program, Streams(), runtime=SCRIPT_IN_BROWSER))
        for language in languages():
            await _write_page(out, server, language, "index", head)
            script_head = head.replace(WORKER_SCRIPT, f"{WORKER_SCRIPT} data-has-program")
            await _write_page(out, of_program, language, "script", script_head)


async def _write_page(out: Path, server: MessageServer, language: str, page: str, head: str) -> None:
    async def get(path: str) -> str:
        answer = await server.answer("GET", path, headers={"accept-language": language})
        assert answer.status == 200, f"{path}: {answer.body!r}"
        return answer.body.decode()

    html = await get("/")
    others = "".join(f'  <link rel="alternate" hreflang="{code}" href="{_name(page, code)}">\n' for code in languages())
    (out / _name(page, language)).write_text(html.replace("<head>\n", f"<head>\n{others}{head}", 1), "utf-8")
    names = set(FILE.findall(html))
    while names:
        file = out / (name := names.pop())
        if not file.exists():
            text = await get(f"/{name}")
            names |= set(FILE.findall(text))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")


def _name(page: str, language: str) -> str:
    return f"{page}.html" if language == ENGLISH else f"{page}.{language}.html"
