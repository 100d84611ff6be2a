"""The cards that each kind of reader reads, and the findings on tags and pairs of readers in the config."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from reboard.devices.readers import em4100
from reboard.devices.readers.kinds import bumps, keyboard, pn532
from reboard.devices.readers.reader import CardType
from reboard.finding import Finding, all_of, note, wrong

CARDS: Mapping[str, CardType] = {
    "rdm6300": em4100.CARDS,
    "id12": em4100.CARDS,
    "pn532": pn532.CARDS,
    "keyboard": keyboard.CARDS,
    "bumps": bumps.CARDS,
}
"""The cards that each kind of reader reads. Kinds with the same cards report the same tags, except USB readers: they
read 125 kHz or 13.56 MHz cards, and the format of a tag differs between makers."""


def is_same_card(written: str, tag: str) -> bool:
    """Return whether *written* in a config, such as the number printed on a card, means the card with *tag*."""
    return written == tag or any(cards.is_same(written, tag) for cards in CARDS.values())


def check_tags(setting: str, tags: Sequence[str], readers: Collection[str]) -> Iterator[Finding]:
    """Yield findings on *tags*, the entries of *setting*, that no reader of the kinds *readers* reports as they are."""
    kinds = [CARDS[reader] for reader in dict.fromkeys(readers)]
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
    kinds = {left, right}
    if len(kinds) == 1 or CARDS[left] is CARDS[right]:
        return None
    if "keyboard" in kinds and "bumps" not in kinds:
        return note(
            "readers.mixed",
            f"The left slot has the reader {left}, and the right slot the reader {right}. These readers might read "
            "different cards, or report different tags for the same card.",
            "Try the same card in both slots. If the unit shows different card numbers, or does not accept the card in "
            "one slot, use the same kind of reader in both slots.",
        )
    return wrong(
        "readers.mixed",
        f"The left slot ({left}) reads {CARDS[left].reads}, and the right slot ({right}) reads {CARDS[right].reads}: "
        "no card works in both slots.",
        "Use the same kind of reader in both slots.",
    )
