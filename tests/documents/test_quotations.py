"""What the documents quote is in the code: names, commands, files, settings, lines of plays, and what pages say."""

from pathlib import Path

import pytest

from tests.documents.foreign import FOREIGN
from tests.documents.lookups import is_said, kind_of
from tests.documents.quotations import DOCUMENTS, TREE, blocks, code, texts

HISTORY = TREE / "CHANGELOG.md"
"""It quotes older versions."""

CHECKED = [document for document in DOCUMENTS if document != HISTORY]
each_document = pytest.mark.parametrize("document", CHECKED, ids=lambda path: str(path.relative_to(TREE)))


@each_document
def test_what_is_quoted_is_in_the_code(document: Path) -> None:
    # what a page's own blocks define can be quoted, too
    own = "".join(block.text for block in blocks(document))
    missing = [f"{text} (what is in quotes)" for text in texts(document) if not is_said(text.text)]
    missing += [
        f"{quotation} ({kind.name})"
        for quotation in code(document)
        if not (kind := kind_of(quotation.text)).lookup(quotation.text) and quotation.text not in own
    ]
    assert [each for each in missing if each.split(": ", 1)[1].rpartition(" (")[0] not in FOREIGN] == []


def test_each_foreign_name_is_quoted() -> None:
    quoted = {quotation.text for document in CHECKED for of in (code, texts, blocks) for quotation in of(document)}
    assert [name for name in sorted(FOREIGN) if not any(name in text for text in quoted)] == []
