"""Settings of Sphinx for the documents as a site: ``make site``.

The site has each document under its path in the repository, so that a link is the same on both. The sidebar has
the pages in the order of the links to them, from the doors on. A page without a link to it is an error.
"""

import re
import tomllib
from html import escape
from importlib.metadata import distribution
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from reboard.languages import ENGLISH, Texts, languages
from reboard.languages.html_texts import translated

REPOSITORY = Path(__file__).parents[2]
SOURCE = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
BENCH = f"https://{SOURCE.split('/')[-2]}.github.io/reboard/bench/"

project = "reboard"
html_title = "reboard"
copyright = "2026 the reboard authors"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "hardware/**.md", "examples/**.md"]
exclude_patterns = [".*", "build"]
# links to a heading, as GitHub has them
myst_heading_anchors = 6
# also the pictures that are written as HTML
myst_enable_extensions = ["html_image"]
highlight_language = "text"

html_theme = "furo"
html_favicon = html_logo = "../../firmware/reboard/web/shared/icon.svg"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
# each has scripts or styles on the site
OTHERS = ("furo", "sphinx", "sphinx-basic-ng", "pygments")
html_copy_source = False
html_show_sphinx = False


def text(document: str) -> str:
    """Return the text of a *document*, which is a path in the repository without extension."""
    return (REPOSITORY / f"{document}.md").read_text(encoding="utf-8")


def links(document: str, part: str) -> list[str]:
    """Return the documents to which a *part* of a *document* links."""
    return [normpath(join(dirname(document), link)) for link in re.findall(r"\]\(([^)#:\s]+)\.md[)#]", part)]


def contents() -> dict[str, str]:
    """Return the tables of contents, keyed by document. Each page is in that of the first document that links to it."""
    tables: dict[str, str] = {}
    placed = ["README"]

    def place(document: str, pages: list[str], caption: str = "") -> None:
        if new := [page for page in dict.fromkeys(pages) if page not in placed]:
            placed.extend(new)
            options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
            lines = ["", "```{toctree}", *options, "", *(f"/{page}" for page in new), "```", ""]
            tables[document] = tables.get(document, "") + "\n".join(lines)

    hardware = links("hardware/README", text("hardware/README"))
    place("hardware/README", [page for page in hardware if page.startswith("hardware/")])
    place("README", ["docs/README"])
    for door in re.split(r"^## ", text("docs/README"), flags=re.MULTILINE)[1:]:
        place("README", links("docs/README", door), caption=door.partition("\n")[0])
    place("README", [*links("README", text("README")), "CHANGELOG", "CONTRIBUTING", "SECURITY"], caption="Project")
    for document in placed:
        place(document, links(document, text(document)))
    return tables


def link_own_bench(_: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Link to the bench of the site on which the document is."""
    if "body" in context:
        context["body"] = context["body"].replace(BENCH, context["pathto"]("bench/", resource=True))


def write_first_pages(app: Sphinx, _: Exception | None) -> None:
    """Write the first page of the site, in each language. The bench, which is beside it, chooses the reader's."""
    english = (Path(__file__).parent / "index.html").read_text("utf-8")
    files = {language: "index.html" if language == ENGLISH else f"index.{language}.html" for language in languages()}
    others = "".join(f'  <link rel="alternate" hreflang="{code}" href="{file}">\n' for code, file in files.items())
    names = {language: escape(Texts(language, "name of this language")("English")) for language in files}
    links = " · ".join(f'<a href="?lang={language}" lang="{language}">{name}</a>' for language, name in names.items())
    for language, file in files.items():
        html = translated(english, Texts(language)).replace('<html lang="en">', f'<html lang="{language}">')
        html = html.replace("<!-- languages -->", links).replace("<head>\n", f"<head>\n{others}", 1)
        (Path(app.outdir) / file).write_text(html, "utf-8")


def write_licences(app: Sphinx, _: Exception | None) -> None:
    """Write the licences of the scripts and the styles of others. Raises ``LookupError`` if one has none."""
    texts = []
    for name in OTHERS:
        package = distribution(name)
        found = [file.read_text("utf-8") for file in package.files or () if file.name.startswith("LICENSE")]
        if not found:
            raise LookupError(f"{name} has no file with its licence")
        texts += [f"{name} {package.version}\n", *found]
    (Path(app.outdir) / "_static" / "licences.txt").write_text("\n".join(texts), "utf-8")


def setup(app: Sphinx) -> None:
    """Add the sidebar, the bench, and the languages of plays and of the broker's settings."""
    app.add_lexer("play", TextLexer)
    app.add_lexer("conf", TextLexer)
    tables = contents()

    def add(_: Sphinx, document: str, source: list[str]) -> None:
        source[0] += tables.get(document, "")

    app.connect("source-read", add)
    app.connect("html-page-context", link_own_bench)
    app.connect("build-finished", write_first_pages)
    app.connect("build-finished", write_licences)
