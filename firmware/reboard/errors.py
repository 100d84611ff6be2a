"""The exceptions of reboard, and the texts of rejections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class ReboardError(Exception):
    """The base class of reboard's errors. The text of an error is a sentence for the user."""


class ConfigError(ReboardError, ValueError):
    """An error in a config file. The text has one line for each problem: ``file:line: what``."""


class NotInstalledError(ReboardError, RuntimeError):
    """An installation of reboard that is older than its code, so that no accessory can be found."""

    def __init__(self) -> None:
        super().__init__(
            "No accessories are installed: the installed package of reboard is older than this code. Install it again: "
            "`make run` or `pip install -e .` in a checkout, `sudo make install` on a Raspberry Pi."
        )


class DeviceError(ReboardError, OSError):
    """A device that cannot be used. The text names the device, its place, and what to check."""


class ControlSocketError(ReboardError, ConnectionError):
    """A control socket that cannot be used or that sent unexpected data."""


class NoTableError(ControlSocketError, ConnectionRefusedError):
    """A control socket without a running table."""


class ForbiddenSocketError(ControlSocketError, PermissionError):
    """A control socket that the user has no permission for."""


class RequestError(ReboardError, ValueError):
    """A request that the table cannot carry out now. The text has the reason."""


class StateError(ReboardError, OSError):
    """A state directory that cannot be used. The text says why, and what to do."""


class GivenUpError(ReboardError, RuntimeError):
    """A table that failed so often that systemd does not start it again."""


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of a rejection: for the display (at most 16 characters), and as a sentence."""

    display: str
    sentence: str


REJECTIONS: Mapping[str, Words] = {
    "zero": Words("NO AMOUNT", "no amount was typed: type an amount above 0"),
    "too fine": Words("TOO FINE", "the amount is finer than this edition's smallest money: round it"),
    "too long": Words("5 DIGITS AT MOST", "an amount has at most five digits: type fewer"),
    "two points": Words("ONE POINT ONLY", "an amount has at most one decimal point: type it again"),
    "too much": Words("TOO MUCH", "the new balance would not fit the display: move a smaller amount"),
    "no funds": Words("NO FUNDS", "the card that pays does not have enough money"),
    "pot empty": Words("POT IS EMPTY", "the Free Parking pot does not have enough money"),
    "no card": Words("NO CARD", "a card is missing: put one into the slot"),
    "unknown card": Words("UNKNOWN CARD", "every card number of this edition is in use: use a card that has a number"),
    "same card twice": Words("SAME CARD", "the same card is in both slots: use two different cards"),
    "nothing to undo": Words("NOTHING TO UNDO", "there is no transfer to undo"),
    "bankrupt": Words("OUT OF THE GAME", "this card is out of the game: its player is bankrupt"),
    "no other game": Words("NO OTHER GAME", "there is no other game to resume"),
    "cards in": Words("TAKE CARDS OUT", "take both cards out before you change the game"),
    "no edition": Words(
        "EDITION IS GONE", "the edition of that game is no longer installed: install it again, or choose another game"
    ),
    "two cards": Words("ONE CARD ONLY", "both slots have a card: take one out"),
    "dialog": Words(
        "CLOSE MENU FIRST", "a menu is open at the banker unit, so no money has moved: close the menu first"
    ),
    "disk": Words("NOT SAVED", "the disk could not save the change, so no money has moved: try again"),
    "torn": Words("TYPE IT AGAIN", "the beginning of the input was lost, so none of it counts: type it again"),
    "unclear": Words(
        "SINGLE KEYS ONLY",
        "several keys were down at the same time, so the input does not count: press one key at a time",
    ),
    "too fast": Words(
        "TOO FAST, AGAIN", "the input was too fast for the unit, so none of it counts: try again more slowly"
    ),
}
"""All rejections, by the ``why`` of the event ``refused``."""


class Rejection(ReboardError, ValueError):  # noqa: N818 - a rule of the game, not an error
    """A request that the bank rejects; no money has moved. ``why`` is one of `REJECTIONS`.

    *sentence* replaces the sentence of `REJECTIONS` if more is known.
    """

    def __init__(self, why: str, sentence: str | None = None) -> None:
        self.words = REJECTIONS[why]
        self.why = why
        super().__init__(sentence or self.words.sentence)
