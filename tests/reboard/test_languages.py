"""The catalogues of the languages, and their reader."""

from __future__ import annotations

import gettext
from pathlib import Path

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from reboard import languages as module
from reboard.errors import ReboardError
from reboard.languages import FOLDER, Texts, add_folder, catalogues, chosen, read_catalogue
from tests import translations

CATALOGUES = sorted(FOLDER.glob("*.po"))


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: str(file.stem))
def test_a_catalogue_has_every_text_of_the_code_and_nothing_else(file: Path) -> None:
    assert translations.wrong(file, translations.template()) == []


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: str(file.stem))
def test_our_reader_reads_what_gettext_reads(file: Path, tmp_path: Path) -> None:
    with file.open("rb") as opened, (tmp_path / "x.mo").open("wb") as compiled:
        catalog = read_po(opened)
        write_mo(compiled, catalog)
    with (tmp_path / "x.mo").open("rb") as compiled:
        theirs = gettext.GNUTranslations(compiled)
    ours = read_catalogue(file)
    for (context, english), text in ours.texts.items():
        assert text == (theirs.pgettext(context, english) if context else theirs.gettext(english))
    for one in ours.plurals:
        assert all(ours.plural(one, number) == theirs.ngettext(one, "", number) for number in range(120))
    assert len(ours.texts) + len(ours.plurals) == len([message for message in catalog if message.id])


def test_the_reader_reads_broken_lines_and_leaves_out_what_is_not_translated(tmp_path: Path) -> None:
    (tmp_path / "x.po").write_text(
        'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=3; plural=n<2?0:n<5?1:2;\\n"\n\n'
        '# a comment\nmsgid ""\n"two "\n"pieces"\nmsgstr "zwei \\"Teile\\""\n\n'
        '#, fuzzy\nmsgid "guessed"\nmsgstr "geraten"\n\nmsgid "missing"\nmsgstr ""\n\n'
        'msgid "1 coin"\nmsgid_plural "{n} coins"\nmsgstr[0] "a"\nmsgstr[1] "b"\nmsgstr[2] "c"\n\n'
        '#~ msgid "gone"\n#~ msgstr "weg"\n'
    )
    found = read_catalogue(tmp_path / "x.po")
    assert found.texts == {("", "two pieces"): 'zwei "Teile"'}
    assert [found.plural("1 coin", number) for number in (1, 4, 5)] == ["a", "b", "c"]


@pytest.mark.parametrize("damaged", ['msgid "a"\nmsgstr "b\n', 'msgid "a"\n', '"Plural-Forms: plural=x;"'])
def test_a_damaged_catalogue_is_named(damaged: str, tmp_path: Path) -> None:
    (tmp_path / "xx.po").write_text(f'msgid ""\nmsgstr ""\n{damaged}\n')
    with pytest.raises(ReboardError, match=r"xx\.po: "):
        read_catalogue(tmp_path / "xx.po")


def test_a_browser_gets_the_first_language_that_we_have() -> None:
    assert [chosen(wanted) for wanted in (["xx", "de-AT"], ["", "", "fi"], ["DE"])] == ["de", "en", "de"]


def test_a_plug_in_brings_its_own_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "de.po").write_text('msgid "Goal"\nmsgstr "Tor"\n\nmsgid "Worms"\nmsgstr "nicht dies"\n')
    monkeypatch.setattr(module, "_more_folders", [])
    add_folder(tmp_path)
    try:
        assert [Texts("de")(each) for each in ("Goal", "Worms", "Nets")] == ["Tor", "Würmer", "Nets"]
    finally:
        catalogues.cache_clear()
