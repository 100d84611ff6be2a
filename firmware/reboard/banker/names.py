"""Who plays with which card: as the config says, or in its stead as the host has said, from game to game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reboard.banker.ledger import BANK, Ledger
from reboard.edition import MOST_PLAYERS
from reboard.player_names import must_be

SETTING = "name {card}"
"""The ledger's setting for what the host calls a card; empty: as the config does."""

CARDS = range(BANK + 1, MOST_PLAYERS + 1)


class Names:
    """*configured* are the names of cards 1, 2, … in the config, *given* what the host has said instead.

    No two are alike: what the host has called another card is no name that the config can give.
    """

    def __init__(self, configured: Sequence[str] = (), given: Mapping[int, str] | None = None) -> None:
        self.given = dict(given or {})
        self._configured = dict(zip(CARDS, configured, strict=False))

    def of(self, card: int) -> str:
        """The name of who plays with *card*, if it has one."""
        configured = self._configured.get(card, "")
        return self.given.get(card) or ("" if configured in self.given.values() else configured)

    def bearer(self, name: str) -> int | None:
        """The card whose player is called *name*."""
        return next((card for card in CARDS if name and self.of(card) == name), None)

    def give(self, card: int, name: str) -> None:
        """The host has said who plays with *card*; ``""``: whoever the config says."""
        if name:
            self.given[card] = name
        else:
            self.given.pop(card, None)


def given_names(ledger: Ledger) -> dict[int, str]:
    """What the host has said, as it is kept in *ledger*."""
    names = {card: ledger.setting(SETTING.format(card=card)) or "" for card in CARDS}
    # a damaged file may have kept half a name
    return {card: name for card, name in names.items() if not must_be(name)}


def keep_name(ledger: Ledger, card: int, name: str) -> None:
    """Keep what the host has said in *ledger*."""
    ledger.set_setting(SETTING.format(card=card), name)
