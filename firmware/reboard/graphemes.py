"""The characters of a text as people see them: a letter with its accents is one, and so is a family of emoji.

They are the extended grapheme clusters of Unicode (UAX #29), which browsers call ``Intl.Segmenter``. The module derives
them from Python's tables. In a few scripts, such as Burmese, it counts fewer.
"""

from __future__ import annotations

import unicodedata

JOINER, NON_JOINER = "\u200d", "\u200c"
FLAG = "🏴"
"""The emoji that tag characters make the flag of a region, such as Scotland."""

TAGS = range(0xE0020, 0xE0080)
SKIN_TONES = range(0x1F3FB, 0x1F400)
REGIONAL = range(0x1F1E6, 0x1F200)
"""The letters of which two are the flag of a country."""

SYMBOLS, EMOJI = range(0x2190, 0x2C00), range(0x1F000, 0x1FB00)
"""The blocks of the emoji. The second has room for later ones, which Python does not know yet."""

VIRAMA = 9
"""The combining class of the signs that join two consonants of an Indian script."""

CONJUNCTS = "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d"
"""The viramas after which the next consonant is part of the same character (rule GB9c)."""

SPACING = "\u0e33\u0eb3\uff9e\uff9f"
"""Letters that continue a character like a mark: the vowels AM of Thai and Lao, and the half-width sound marks."""

HANGUL_FIRST = (*range(0x1100, 0x1160), *range(0xA960, 0xA980))
HANGUL_NEXT = (*range(0x1160, 0x1200), *range(0xD7B0, 0xD800))
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)
"""The letters that begin and continue a Korean syllable, and whole syllables."""

FILLERS = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters that are empty."""

LOST = "\ufffd"
"""The mark of a character that could not be read."""


def graphemes(text: str) -> list[str]:
    """Return the characters of *text* as people see them."""
    found: list[str] = []
    for character in text:
        if found and _continues(found[-1], character):
            found[-1] += character
        else:
            found.append(character)
    return found


def is_visible(text: str) -> bool:
    """Return whether people see something of *text*, and nothing in it is hidden or changes the text around it."""
    found = graphemes(text)
    return all(map(is_printable, found)) and any(each[0] not in FILLERS and not each.isspace() for each in found)


def is_printable(grapheme: str) -> bool:
    """Return whether a grapheme has nothing hidden: joiners and tags are only where emoji and scripts need them."""
    first = grapheme[0]
    if unicodedata.category(first)[0] == "M" or first == LOST or not (first.isprintable() or _is_emoji(first)):
        return False
    # RFC 5892 has the same rules for joiners in host names
    joins = _is_emoji(first) or unicodedata.bidirectional(first) == "AL" or any(map(_is_virama, grapheme))
    kept = (*(JOINER, NON_JOINER) * joins, *(map(chr, TAGS) if first == FLAG else ()))
    return all(each.isprintable() or _is_emoji(each) or each in kept for each in grapheme)


def _continues(before: str, character: str) -> bool:
    """Return whether *character* is part of the grapheme *before* it."""
    code, last = ord(character), before[-1]
    if unicodedata.category(character)[0] == "M" or character in (JOINER, NON_JOINER, *SPACING):
        return True
    if code in SKIN_TONES or code in TAGS:
        return True
    if _is_emoji(character):
        joined = before[:-1].rpartition(JOINER)[2]
        return last == JOINER and joined != "" and _is_emoji(joined[0])
    if code in REGIONAL:
        return len(before) == 1 and ord(before) in REGIONAL
    if code in HANGUL_NEXT:
        return ord(last) in (*HANGUL_FIRST, *HANGUL_NEXT) or ord(last) in HANGUL_SYLLABLES
    if code in HANGUL_FIRST or code in HANGUL_SYLLABLES:
        return ord(last) in HANGUL_FIRST
    return _is_conjunct(character) and _joins_next(before)


def _joins_next(before: str) -> bool:
    """Return whether a virama joins the last consonant of a grapheme to the next one."""
    is_joined = False
    for each in reversed(before):
        if _is_conjunct(each):
            return is_joined
        if each == NON_JOINER or unicodedata.category(each) == "Mc":
            return False
        is_joined |= each in CONJUNCTS
    return False


def _is_emoji(character: str) -> bool:
    code = ord(character)
    return code in SYMBOLS or (code in EMOJI and code not in REGIONAL and code not in SKIN_TONES)


def _is_conjunct(character: str) -> bool:
    """Return whether a letter belongs to a script with conjuncts, each of which has half a block of Unicode."""
    return unicodedata.category(character) == "Lo" and ord(character) >> 7 in {ord(sign) >> 7 for sign in CONJUNCTS}


def _is_virama(character: str) -> bool:
    return unicodedata.combining(character) == VIRAMA
