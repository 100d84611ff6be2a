"""One word for each thing in each language: no text of a catalogue has a word that the glossary replaces."""

from __future__ import annotations

import re

import pytest

from reboard.languages import DISPLAY, ENGLISH, FOLDER
from tests import translations

REPLACED = [
    # language, what it finds, the word to use, and why
    ("en", r"\bundo|\bundone|correction", "take back", "the rule books' words; the display has UNDO for lack of room"),
    ("en", r"\b[Dd]eal\b", "auction", "DEAL is only the name of the key"),
    ("en", r"\brefused", "rejected", "one word for it"),
    ("en", r"\bpayments?\b|\bbooked", "transfer", "one word for it"),
    ("en", r"\bsites?\b", "property", "stations and utilities are no sites"),
    ("de", r"(?i)\bausgabe", "Edition", "in a bank, it is an expense"),
    ("de", r"(?i)besitzkarte", "Besitzrechtkarte", "the rule books' word"),
    ("de", r"(?i)startgeld", "Startkapital", "the rule books' word"),
    ("de", r"(?i)tempow(ü|ue)rfel", "Tempo-Würfel", "the rule book's spelling"),
    ("de", r"(?i)versteigerung", "Auktion", "the rule books' word"),
    ("de", r"(?i)r(ü|ue)ckg(ä|ae)ngig|korrektur|storno", "zurücknehmen", "children do not know the others"),
    ("de", r"(?i)guthaben", "Kontostand", "one word for it"),
    ("de", r"(?i)spieluhr", "Spielzeit", "it is a music box"),
    ("de", r"(?i)\bzahlung", "Buchung", "one word for it"),
    ("de", r"(?i)ausgeschieden", "bankrott", "a player can also leave"),
    ("de", r"(?i)fremde karte", "UNBEKANNTE KARTE", "it may be a card of the game"),
    ("de", r"(?i)\bbuch\b", "Kassenbuch", "one word for it"),
    ("de", r"(?i)pasche nacheinander", "hintereinander", "one word for it"),
    ("de", r"(?i)spielplan", "Drehbuch", "it is the board of the game"),
    ("fr", r"(?i)\bpot\b", "cagnotte", "one word for it"),
    ("fr", r"(?i)\bsites?\b|terrains au prix", "propriété", "gares and services are no sites"),
    ("fr", r"(?i)meneur de jeu", "meneur", "one word for it"),
    ("fr", r"(?i)\bmen(er|ez)\b", "meneur", "it also says that a player is ahead"),
    ("fr", r"(?i)appareil", "accessoire", "one word for it"),
    ("fr", r" [:;!?»]|« ", "a no-break space", "a line must not begin with the mark"),
    ("fr", r"\s…", "the word without a space", "French writes the ellipsis that way"),
    ("fr", r"(?i)\btenue?\b|\btenez\b", "maintenir", "it is what one does with a key"),
]


KEPT = re.compile(r"`[^`]*`|\{\w+\}")
"""Settings, and names of values."""


def texts(language: str) -> list[tuple[str, str]]:
    """Return the context and the text of each entry of a catalogue, in English the texts of the code."""
    file = FOLDER / f"{language}.po"
    catalog = translations.template() if language == ENGLISH else translations.read(file)
    return [
        (context or "", KEPT.sub("", form))
        for (context, _), message in translations.texts_of(catalog).items()
        for form in translations.forms(message.id if language == ENGLISH else message.string)
    ]


@pytest.mark.parametrize(("language", "old", "new", "why"), REPLACED)
def test_no_text_has_a_word_that_the_glossary_replaces(language: str, old: str, new: str, why: str) -> None:
    is_everywhere = language == "de"  # the others are shortened on the display
    found = [text for context, text in texts(language) if is_everywhere or context != DISPLAY]
    assert [text for text in found if re.search(old, text)] == [], f"use {new}: {why}"
