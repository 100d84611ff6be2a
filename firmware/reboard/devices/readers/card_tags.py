"""The tags of cards in the config, and the findings on them and on pairs of readers.

``readers.mixed``: two kinds of reader that read different cards.
``readers.cards``: tags in ``cards`` that no reader reports.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from reboard.config.kinds import text
from reboard.config.reading import KeyPath, Reading
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.finding import Finding, all_of, note, wrong

LONGEST_TAG = 20
"""The maximum length of a card's tag, in hex digits."""

HEX = re.compile(rf"[0-9A-F]{{4,{LONGEST_TAG}}}")


def tag(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the tag of a card, convert it to the standard spelling, and claim it for this setting."""
    written = text(reading, path, value)
    known = written.upper()
    if not HEX.fullmatch(known):
        others = [kind.cards for kind in READER_KINDS.values() if kind.cards.tags]
        known = written.lower()
        if not any(known in cards.tags for cards in others):
            allowed = " or ".join([f"a card's tag, 4 to {LONGEST_TAG} hex digits", *(cards.words for cards in others)])
            raise reading.must_be(path, allowed, value, _tag_hint(written.upper()))
    reading.claim(f"the card {known}", path)
    return known


def _tag_hint(written: str) -> str:
    """Return a hint for a tag with separators, or for the number printed on a card as two: ``142,45817``."""
    facility, _, code = written.partition(",")
    if facility.isdecimal() and code.isdecimal() and int(facility) < 2**8 and int(code) < 2**16:
        return f'; write "{int(facility) << 16 | int(code):08}"'
    joined = re.sub("[ :-]", "", written)
    return f'; write "{joined}"' if HEX.fullmatch(joined) else ""


def is_same_card(written: str, tag: str, readers: Iterable[str]) -> bool:
    """Return whether *written* in a config means the card with *tag*, which one of the kinds *readers* reads.

    It can be the number printed on the card.
    """
    return written == tag or any(READER_KINDS[reader].cards.is_same(written, tag) for reader in readers)


def check_tags(setting: str, tags: Sequence[str], readers: Collection[str]) -> Iterator[Finding]:
    """Yield findings on *tags*, the entries of *setting*, that no reader of the kinds *readers* reports as they are."""
    kinds = [READER_KINDS[reader].cards for reader in dict.fromkeys(readers)]
    endings = [next(filter(None, (kind.ending(tag) for kind in kinds)), "") for tag in tags]
    for number, (tag, ending) in enumerate(zip(tags, endings, strict=True), 1):
        entry = f'Entry {number} of {setting}, "{tag}",'
        if ending:
            is_whole = all(kind.tag.fullmatch(ending) for kind in kinds)
            means = f"the card {ending}" if is_whole else f"the card whose tag ends with {ending}"
            what = f"{entry} is taken for another spelling of a tag: {means}."
            yield note("readers.cards", what, f'Write "{ending}" instead.' if is_whole else SHOW_TAG)
        elif kinds and not any(kind.tag.fullmatch(tag) for kind in kinds):
            words = " or ".join(dict.fromkeys(kind.words for kind in kinds))
            what = f"{entry} is no tag that {all_of([*dict.fromkeys(readers)])} reads: it reads {words}."
            yield wrong("readers.cards", what, SHOW_TAG)
    for first, second in combinations(range(len(tags)), 2):
        short, long = sorted((endings[place] or tags[place] for place in (first, second)), key=len)
        if (endings[first] or endings[second]) and long.endswith(short):
            both = f'Entries {first + 1} and {second + 1} of {setting}, "{tags[first]}" and "{tags[second]}",'
            if all(kind.tag.fullmatch(short) for kind in kinds):
                yield wrong("readers.cards", f"{both} are one card.", "Remove one of them.")
            else:
                what = f"{both} can be the same card: the tags of both end with {short}."
                do = "If it is one card, remove one entry. If not, write the whole tags."
                yield (wrong if endings[first] and endings[second] else note)("readers.cards", what, do)


SHOW_TAG = (
    "To see the whole tag, hold the card to the reader while the table runs, and run `reboard doctor`. Write that tag."
)


def mixed_readers(left: str, right: str) -> Finding | None:
    """Return a finding if readers of the kinds *left* and *right* do not read the same cards, or might not.

    Return ``None`` if each card works in both slots.
    """
    one, other = READER_KINDS[left].cards, READER_KINDS[right].cards
    if left == right or (one is other and not one.depends_on_maker):
        return None
    if (one.depends_on_maker or other.depends_on_maker) and not (one.tags or other.tags):
        return note(
            "readers.mixed",
            f"The left slot has the reader {left}, and the right slot the reader {right}. These readers might read "
            "different cards, or report different tags for the same card.",
            "Try the same card in both slots. If the unit shows different card numbers, or does not accept the card in "
            "one slot, use the same kind of reader in both slots.",
        )
    return wrong(
        "readers.mixed",
        f"The left slot ({left}) reads {one.reads}, and the right slot ({right}) reads {other.reads}: "
        "no card works in both slots.",
        "Use the same kind of reader in both slots.",
    )
