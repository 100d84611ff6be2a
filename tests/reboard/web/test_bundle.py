"""The scripts and the style sheet that are made from the modules of a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from reboard.web.bundle import Bundle
from reboard.web.es_modules import BundleError
from reboard.web.panels import static_folders

INDEX = '<link rel="stylesheet" href="/static/page.css">\n<script type="module" src="/static/main.js"></script></body>'


def bundle(folder: Path, files: dict[str, str], parts: dict[str, list[str]] | None = None) -> Bundle:
    for name, text in {"index.html": INDEX, "page.css": "", "main.js": "", **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return Bundle(folder / "index.html", static_folders(folder), parts or {})


def seen(browser: Browser, bundle: Bundle) -> tuple[Any, list[str]]:
    """Return what the main module of a page saw, and the errors of the page."""
    files, errors = bundle.built().files, []
    page = browser.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text))
    scripts = [f"<script>{file.content.decode()}</script>" for name, file in files.items() if name != "app.css"]
    page.set_content(f"<style>{files['app.css'].content.decode()}</style><p>{''.join(scripts)}")
    page.wait_for_function("globalThis.seen || document.readyState === 'complete'")
    found = page.evaluate("globalThis.seen")
    page.close()
    return found, errors


@pytest.mark.realtime
def test_modules_behave_as_without_a_bundle(browser: Browser, tmp_path: Path) -> None:
    files = {
        "main.js": """
            import whole, { one as first, late } from "./a.js";
            import * as b from "/static/sub/b.js";
            import anonymous from "./sub/c.js";
            import "./effect.js"; // once
            import {
              two,
              Three,
            } from "./a.js";

            const { lazy, count } = await import("./lazy.js");
            globalThis.seen = [whole, first, two, late(), new Three().four, anonymous(), Object.keys(b), lazy, count()];
        """,
        "a.js": """
import { tenth, TEN } from "./sub/b.js";

export const one = 1;
const hidden = 2;
export { hidden as two };
export class Three { four = 4; }
export function late() { return tenth() + TEN; }
export default { imports: "export this" };
""",
        "sub/b.js": 'import { late } from "../a.js";\nexport const TEN = 10;\n'
        "export function tenth() { return typeof late === 'function' ? 0.1 : 0; }\n",
        "sub/c.js": "export default function () { return this === undefined; }",
        "effect.js": "globalThis.effects = (globalThis.effects ?? 0) + 1;",
        "lazy.js": 'import "./effect.js";\nexport const lazy = `\n  "import"\n`;\n'
        "export async function* rows() {}\nexport const count = () => effects;",
    }
    expected = [{"imports": "export this"}, 1, 2, 10.1, 4, True, ["TEN", "tenth"], '\n  "import"\n', 1]
    assert seen(browser, bundle(tmp_path, files)) == (expected, [])


@pytest.mark.realtime
@pytest.mark.parametrize("reason", ["constructor", "__proto__", "a {name}", "Sushi Go"])
def test_a_reason_from_outside_is_shown_whatever_it_is(browser: Browser, tmp_path: Path, reason: str) -> None:
    main = f"""
        import {{ outcomeName, reasonOf, wordsOf }} from "/static/words.js";
        const reason = {json.dumps(reason)};
        globalThis.seen = [outcomeName(reason), reasonOf(reason), wordsOf("bank.Reason", reason) ?? null];
    """
    assert seen(browser, bundle(tmp_path, {"main.js": main})) == ([reason, reason, None], [])


@pytest.mark.realtime
def test_a_part_with_a_mistake_spoils_no_other(browser: Browser, tmp_path: Path) -> None:
    files = {
        "main.js": """
            globalThis.seen = [getComputedStyle(document.querySelector("p")).color, bundled.text("/static/good.svg")];
            for (const name of ["typo", "strange", "absent", "thrower", "good"]) {
              try {
                seen.push((await import(`./${name}.js`)).default);
              } catch {
                seen.push(null);
              }
            }
        """,
        "typo.js": "export default {",
        "typo.css": "p { color: red; /* and so on",
        "strange.js": 'export * from "./good.js";',
        "thrower.js": "export default 3; throw new Error('thrown');",
        "good.js": 'export default "good";',
        "good.css": "p { color: blue }",
        "good.svg": "<svg></svg>",
    }
    parts = {name: [f"/static/{name}.js"] for name in ("typo", "strange", "absent", "thrower")}
    parts["typo"].append("/static/typo.css")
    parts["good"] = ["/static/good.css", "/static/good.js", "/static/good.svg"]
    found, errors = seen(browser, bundle(tmp_path, files, parts))
    assert found == ["rgb(0, 0, 255)", "<svg></svg>", None, None, None, None, "good"]
    assert len(errors) == 3
    assert "strange.js, line 1" in errors[1]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("export let changing = 1;", "main.js, line 1"),
        ("// like these:\n\nexport { a } from './a.js';", "main.js, line 3"),
        ("const here = import.meta.url;", "main.js, line 1"),
        ("/* Like these,\nimport and export. */", "main.js, line 2"),
        ('import a from "library";', "'library'"),
        ('import { a } from "./missing.js";', "missing.js, which /static/main.js"),
    ],
)
def test_what_is_not_supported_is_named(tmp_path: Path, text: str, where: str) -> None:
    with pytest.raises(BundleError, match=where):
        bundle(tmp_path, {"main.js": text}).built()


def test_a_changed_source_changes_the_version(tmp_path: Path) -> None:
    made = bundle(tmp_path, {"main.js": 'import "./a.js";', "a.js": "", "page.css": "p { background: url(p.png) }"})
    first = made.built()
    assert made.built() is first
    assert b"url(/static/p.png)" in first.files["app.css"].content
    (tmp_path / "a.js").write_text("let a;")
    assert first.version != made.built().version
    (tmp_path / "a.js").unlink()
    with pytest.raises(BundleError):
        made.built()
