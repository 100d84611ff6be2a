"""What the documents quote is in the code: names, commands, files, settings, lines of plays, and what pages say."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.documents.foreign import FOREIGN
from tests.documents.lookups import is_said, kind_of
from tests.documents.quotations import DOCUMENTS, TREE, blocks, code, texts

HISTORY = TREE / "CHANGELOG.md"
"""It quotes older versions."""

CHECKED = [document for document in DOCUMENTS if document != HISTORY]
each_document = pytest.mark.parametrize("document", CHECKED, ids=lambda path: str(path.relative_to(TREE)))


@cache
def missing(document: Path) -> Mapping[str, str]:
    """Return what a *document* quotes and the code does not have: where it is and what it seems to be."""
    # what a page's own blocks define can be quoted, too
    own = "".join(block.text for block in blocks(document))
    said = {text.text: f"{text} (text)" for text in texts(document) if not is_said(text.text)}
    named = {
        quotation.text: f"{quotation} ({kind.name})"
        for quotation in code(document)
        if not (kind := kind_of(quotation.text)).lookup(quotation.text) and quotation.text not in own
    }
    return {**said, **named}


@each_document
def test_what_is_quoted_is_in_the_code(document: Path) -> None:
    wrong = [where for text, where in missing(document).items() if text not in FOREIGN]
    assert wrong == [], "Correct these, or list in foreign.py what is not ours."


def test_the_code_has_no_foreign_name() -> None:
    not_found = {text for document in CHECKED for text in missing(document)}
    in_blocks = "".join(block.text for document in CHECKED for block in blocks(document))
    assert [name for name in sorted(FOREIGN - not_found) if name not in in_blocks] == []
