"""The scripts and the style sheet of a page, made from its modules when a browser first asks for the page.

A page has dozens of ES modules, and a browser would request each of them. No build tool is needed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from reboard.accessories.installed import all_labels, all_rejections
from reboard.languages import DISPLAY, ENGLISH, FAULT, Texts, catalogues, chosen, languages
from reboard.languages.html_texts import translated
from reboard.web.es_modules import BundleError, as_function
from reboard.web.responses import problem

log = logging.getLogger(__name__)

FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
NEVER = {"Cache-Control": "no-store"}
RUNTIME = "/static/bundled.js"
COOKIE = "reboard-language"
LANGUAGES = "<!-- languages -->"
"""The place of the languages to choose from in the HTML of a page."""

SHEET = re.compile(r'[ \t]*<link rel="stylesheet" href="([^"]+)">\n')
MAIN = re.compile(r'<script type="module" src="([^"]+)"></script>')

RELATIVE_URL = re.compile(r"""\burl\(\s*(["']?)(?!["'/#]|[a-z]+:)""")
COMMENT = re.compile(r"/\*.*?\*/", re.S)


@dataclass(frozen=True)
class File:
    """A file for browsers, and a compressed copy of it."""

    content: bytes
    compressed: bytes
    media_type: str

    @staticmethod
    def of(text: str, media_type: str, *, level: int = 9) -> File:
        """Return a file with the content *text*, and a copy compressed with gzip at *level* (1 to 9)."""
        content = text.encode()
        return File(content, gzip.compress(content, level, mtime=0), media_type)

    def response(self, request: Request, headers: Mapping[str, str]) -> Response:
        headers = {"Vary": "Accept-Encoding", **headers}
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self.content, media_type=self.media_type, headers=headers)
        return Response(self.compressed, media_type=self.media_type, headers={"Content-Encoding": "gzip", **headers})


@dataclass(frozen=True)
class Built:
    """The files of a page by name, their *version* (a hash), and the page's *html*, which loads them.

    *sources* has the modification time of every source file in nanoseconds, or 0 if the file is missing.
    """

    version: str
    files: Mapping[str, File]
    html: str
    sources: Mapping[Path, int]


class Bundle:
    """The scripts and the style sheet of a page, at ``/static/bundle/<version>/``. The version is a hash of them.

    *index* is the page's HTML, which names its main module and its style sheets. *folders* has the source folders of
    each URL prefix. *base* is the address of ``static/`` in the page's HTML: ``""`` for a page that can be at any
    address. *parts* has the files of each accessory: style sheets, entry modules, and files whose text the
    page's scripts use. Files are named by their URLs.

    Each part becomes a separate script, because a browser rejects the whole script if there is a syntax error in it.
    The browser requests the scripts of the parts in *later* only when the page first imports their module.
    """

    def __init__(
        self,
        index: Path,
        folders: Mapping[str, Sequence[Path]],
        parts: Mapping[str, Sequence[str]],
        *,
        later: Collection[str] = (),
        base: str = "/",
    ) -> None:
        self.index = index
        self.folders = sorted(folders.items(), key=lambda item: len(item[0]), reverse=True)
        self.parts = parts
        self.later = {module: part for part in later for module in parts[part] if module.endswith(".js")}
        self.base = base
        self._built: dict[str, Built] = {}
        self.routes: list[BaseRoute] = [Route("/static/bundle/{version}/{name}", self._file)]
        self.routes += [Mount(prefix.rstrip("/"), _Files(sources)) for prefix, sources in self.folders]

    def built(self, language: str = ENGLISH) -> Built:
        """Return the files in a *language*. Build them if they are missing or a source file has changed.

        Raises `BundleError`.
        """
        built = self._built.get(language)
        if built is None or any(_changed_at(source) != at for source, at in built.sources.items()):
            built = self._built[language] = _Build(self, language).result()
        return built

    def page(
        self, request: Request, state: Mapping[str, object], contents: Mapping[str, str] | None = None
    ) -> Response:
        """Return the HTML of the page with the *state*, which its scripts read.

        *contents* maps texts in the HTML to their replacements.
        """
        language = language_of(request)
        try:
            built = self.built(language)
        except BundleError as error:
            log.error("%s", error)
            return problem(error, 500)
        html = built.html
        if request.query_params.get("view") == "tv":
            html = html.replace("<body ", '<body data-view="tv" ')
        for place, content in (contents or {}).items():
            html = html.replace(place, content)
        # without a "<", no name of a player ends the element
        data = _json({"version": built.version, **state}).replace("<", r"\u003c")
        first_state = f'<script type="application/json" id="first-state">{data}</script>\n</body>'
        return File.of(html.replace("</body>", first_state), "text/html", level=5).response(request, NEVER)

    async def _file(self, request: Request) -> Response:
        name, version = request.path_params["name"], request.path_params["version"]
        built = next((each for each in self._built.values() if each.version == version), None) or self.built()
        if name not in built.files:
            raise HTTPException(404)
        if version == built.version:
            return built.files[name].response(request, FOREVER)
        # the page has another version than the server, for example because reboard was upgraded a moment ago
        instead = "location.reload();" if name.endswith(".js") else ""
        return Response(instead, media_type=built.files[name].media_type, headers=NEVER)


class _Files(StaticFiles):
    """The files in several *folders*, which need not exist."""

    def __init__(self, folders: Sequence[Path]) -> None:
        super().__init__()
        self.all_directories = [*folders]


def language_of(request: Request) -> str:
    """Return the language of a page: that in its address, the one that its reader chose, or the browser's first."""
    wanted = [request.query_params.get("lang", ""), request.cookies.get(COOKIE, "")]
    accepted = (each.partition(";")[0] for each in request.headers.get("accept-language", "").split(","))
    return chosen([*wanted, *accepted])


def _choices(language: str) -> str:
    """Return the options of the list of languages, each with its name in the language itself."""
    names = {code: Texts(code, "name of this language")("English") for code in languages()}
    return "".join(
        f'<option value="{code}" lang="{code}" translate="no"{" selected" * (code == language)}>{escape(name)}</option>'
        for code, name in names.items()
    )


NO_PROTOTYPE: dict[str, Any] = {"__proto__": None}
"""Lets a JavaScript object have only its own names. Otherwise a payment's reason ``constructor`` finds a function."""


FAULTS = "causeName"
"""The function of the scripts that show causes of faults. Other pages do without their translations."""


def _speech(language: str, code: str) -> str:
    """Return the script with those texts of a *language* that the scripts with this *code* and the labels use."""
    labels = all_labels()
    code += _json(labels)
    texts: dict[str, str] = {}
    causes: dict[str, str] = {}
    forms: dict[str, Sequence[str]] = {}
    rule = "n != 1"
    for each in reversed(catalogues(language)):
        rule = each.rule
        forms |= {one: found for one, found in each.plurals.items() if _json(one) in code}
        for (context, english), text in each.texts.items():
            if context == FAULT:
                causes[english] = text
            elif context != DISPLAY and _json(english) in code:
                texts[f"{context}\u0004{english}" if context else english] = text
    say = Texts(language)
    rejections = {why: say(why.sentence) for why in all_rejections()}
    named = {name: {**NO_PROTOTYPE, **members} for name, members in labels.items()}
    data = {
        "language": language,
        "texts": NO_PROTOTYPE | texts,
        "causes": causes if FAULTS in code else {},
        "forms": forms,
        "rejections": NO_PROTOTYPE | rejections,
        "labels": NO_PROTOTYPE | named,
    }
    return f"bundled.speak({{...{_json(data)}, form: (n) => Number({rule})}});\n"


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _script(part: str) -> str:
    return f"panel-{part}.js"


def _changed_at(source: Path) -> int:
    try:
        return source.stat().st_mtime_ns
    except OSError:
        return 0


class _Build:
    def __init__(self, bundle: Bundle, language: str) -> None:
        self._bundle = bundle
        self._language = language
        self._say = Texts(language)
        self._sources = {bundle.index: _changed_at(bundle.index)}
        self._page = bundle.index.read_text("utf-8")
        found = MAIN.search(self._page)
        assert found, f"{bundle.index} names no main module"
        self._main = found[1]

    def result(self) -> Built:
        app: dict[str, str] = {}
        self._add_modules(app, self._main)
        start = f"bundled.start({json.dumps(self._main)});\n"
        scripts = {"app.js": "".join(app.values())}
        sheets = SHEET.findall(self._page)
        for name, sources in self._bundle.parts.items():
            if code := self._part(name, sources, app):
                scripts[_script(name)] = code
            sheets += [source for source in sources if source.endswith(".css")]
        spoken = _speech(self._language, "".join(scripts.values()))
        scripts["app.js"] = "".join([self._text(RUNTIME), spoken, scripts["app.js"], start])
        files = {name: File.of(text, "text/javascript") for name, text in scripts.items()}
        files["app.css"] = File.of("".join(map(self._sheet, sheets)), "text/css")
        digest = hashlib.sha256()
        for file in files.values():
            digest.update(file.content)
        version = digest.hexdigest()[:16]
        at = f"{self._bundle.base}static/bundle/{version}"
        tags = [f'<link rel="stylesheet" href="{at}/app.css">']
        later = {_script(part): module for module, part in self._bundle.later.items()}
        for name in scripts:
            when = f'type="later" data-module="{later[name]}"' if name in later else "defer"
            tags.append(f'<script {when} src="{at}/{name}"></script>')
        html = SHEET.sub("", self._page).replace(LANGUAGES, _choices(self._language))
        html = translated(html, self._say).replace('<html lang="en">', f'<html lang="{self._language}">')
        return Built(version, files, MAIN.sub(lambda _: "\n  ".join(tags), html), self._sources)

    def _part(self, name: str, files: Sequence[str], app: Mapping[str, str]) -> str:
        try:
            modules = dict(app)
            for file in files:
                if file.endswith(".js"):
                    self._add_modules(modules, file)
            own = [code for path, code in modules.items() if path not in app]
            texts = [self._as_text(file) for file in files if not file.endswith((".js", ".css"))]
            return "".join([*own, *texts])
        except BundleError as error:
            log.error("the panel of %s is left out: %s", name, error)
            return f"console.error({json.dumps(str(error))});\n"

    def _add_modules(self, modules: dict[str, str], path: str, importer: str = "the page") -> None:
        """Add the code of the module at *path*, and of all modules that it imports."""
        if path in modules:
            return
        modules[path], imports = as_function(path, self._text(path, importer), is_async=path == self._main)
        for imported in imports:
            if imported not in self._bundle.later:
                self._add_modules(modules, imported, path)

    def _as_text(self, path: str) -> str:
        text = self._text(path)
        shown = translated(text, self._say) if path.endswith((".html", ".svg")) else text
        return f"bundled.addText({json.dumps(path)}, {json.dumps(shown)});\n"

    def _sheet(self, path: str) -> str:
        try:
            text = RELATIVE_URL.sub(rf"url(\1{posixpath.dirname(path)}/", self._text(path))
        except BundleError as error:
            log.error("%s", error)
            return ""
        # what a sheet leaves open would swallow the next one
        closed = COMMENT.sub("", text)
        closed, is_open, _ = closed.partition("/*")
        return f"/* {path} */\n{text}{'*/' if is_open else ''}{'}' * (closed.count('{') - closed.count('}'))}\n"

    def _text(self, path: str, importer: str = "the page") -> str:
        for prefix, folders in self._bundle.folders:
            for source in [folder / path.removeprefix(prefix) for folder in folders if path.startswith(prefix)]:
                self._sources[source] = _changed_at(source)
                if self._sources[source]:
                    try:
                        return source.read_text("utf-8")
                    except (OSError, UnicodeDecodeError) as error:
                        raise BundleError(f"{source}: {error}") from None
        raise BundleError(f"there is no {path}, which {importer} loads: check the name")
