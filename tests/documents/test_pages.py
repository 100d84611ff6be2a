"""Each page says whom it is for, leads somewhere, and is short."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from reboard.config.mqtt import PORT, TLS_PORT
from reboard.table_config import DEFAULT_LISTEN
from reboard_sim.cli import DEFAULT_PORT, HALL_PORT
from tests.documents.quotations import DOCUMENTS, TREE, by_hand, tokens

MOST_WORDS = 27_000
PORTS = {DEFAULT_PORT, HALL_PORT, DEFAULT_LISTEN.port, PORT, TLS_PORT}
DOORS = {TREE / "README.md", TREE / "docs" / "README.md"}
ENDS = DOORS | {TREE / "CHANGELOG.md", TREE / "SECURITY.md"}

each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(TREE)))


def text(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def links(document: Path) -> Iterator[tuple[Path, str]]:
    """Yield the file and the heading of each link into the tree. The heading can be ``""``."""
    for token in tokens(text(document)):
        for part in token.children or ():
            link = str(part.attrs.get("href") or part.attrs.get("src") or "")
            if link and "://" not in link:
                file, _, heading = link.partition("#")
                yield (document.parent / file if file else document).resolve(), heading


@cache
def anchors(document: Path) -> set[str]:
    """Return the headings of a document, as links name them."""
    found = pairwise(tokens(text(document)))
    headings = (after.children or () for before, after in found if before.type == "heading_open")
    plain = ("".join(part.content for part in heading) for heading in headings)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in plain}


def next_page(document: Path) -> Path | None:
    """Return the page that *document* names as the next one, or ``None``."""
    names = re.findall(r"^Next: .*?\]\(([^)#]+)", text(document), re.MULTILINE)
    assert len(names) <= 1, f"{document} has more than one next page"
    return (document.parent / names[0]).resolve() if names else None


@each_document
def test_links_lead_to_files_and_headings(document: Path) -> None:
    for file, heading in links(document):
        assert file.exists(), file
        assert not heading or heading in anchors(file), f"{file}#{heading}"


@each_document
def test_the_first_line_says_whom_the_page_is_for(document: Path) -> None:
    found = pairwise(tokens(text(document)))
    first = next(after for before, after in found if before.type == "paragraph_open")
    assert first.content.startswith("For ")


@each_document
def test_next_pages_lead_to_a_door(document: Path) -> None:
    assert document in ENDS or next_page(document)
    way = [document]
    while (page := next_page(way[-1])) and page not in DOORS:
        assert page not in way, f"{[str(each.relative_to(TREE)) for each in way]} is a circle"
        way.append(page)


@each_document
def test_ports_are_ours(document: Path) -> None:
    assert {int(port) for port in re.findall(r"(?::|port )(\d{4,5})\b", by_hand(document))} <= PORTS


def test_the_documents_stay_short() -> None:
    count = sum(len(by_hand(document).split()) for document in DOCUMENTS)
    assert count <= MOST_WORDS, (
        f"The documents have {count:,} words, but at most {MOST_WORDS:,}: a user finds an answer in short ones. Cut "
        f"{count - MOST_WORDS} words, in any document: what is said twice, or what the program says itself. Tables "
        "between `made:` and `end` do not count. Leave the limit as it is."
    )
