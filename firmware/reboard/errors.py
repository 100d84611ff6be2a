"""The exceptions of reboard, and the texts of rejections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class ReboardError(Exception):
    """The base class of reboard's errors. Its text is a sentence for the user."""


class ConfigError(ReboardError, ValueError):
    """A config file cannot be used. The text has one line for each problem: ``file:line: what``."""


class NotInstalledError(ReboardError, RuntimeError):
    """The accessories cannot be found, because the installation of reboard is older than its code."""

    def __init__(self) -> None:
        super().__init__(
            "No accessories are installed: the installed package of reboard is older than this code. Install it again: "
            "`make run` or `pip install -e .` in a checkout, `sudo make install` on a Raspberry Pi."
        )


class DeviceError(ReboardError, OSError):
    """A device cannot be used. The text names the device, its place, and what to check."""


class ControlSocketError(ReboardError, ConnectionError):
    """The control socket cannot be used, or sent something unexpected."""


class NoTableError(ControlSocketError, ConnectionRefusedError):
    """No table is running: nothing answers on the control socket."""


class ForbiddenSocketError(ControlSocketError, PermissionError):
    """This user may not use the control socket."""


class RequestError(ReboardError, ValueError):
    """A request that this table cannot carry out now. The text has the reason."""


class StateError(ReboardError, OSError):
    """The state directory cannot be used. The text says why, and what to do."""


class GivenUpError(ReboardError, RuntimeError):
    """The table failed so often that it is not started again automatically."""


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of a rejection: for the display (at most 16 characters), and as a sentence."""

    display: str
    sentence: str


REJECTIONS: Mapping[str, Words] = {
    "zero": Words("NO AMOUNT", "there is no amount to move"),
    "too fine": Words("TOO FINE", "the amount is finer than this edition's smallest money"),
    "too long": Words("5 DIGITS AT MOST", "an amount has at most five digits"),
    "two points": Words("ONE POINT ONLY", "an amount has at most one decimal point"),
    "too much": Words("TOO MUCH", "a balance that large would not fit the display"),
    "no funds": Words("NO FUNDS", "the card that pays does not have that much"),
    "pot empty": Words("POT IS EMPTY", "the Free Parking pot does not have that much"),
    "no card": Words("NO CARD", "there is no card in the slot this needs"),
    "unknown card": Words("UNKNOWN CARD", "this edition has no number left for another card"),
    "same card twice": Words("SAME CARD", "the same card is in the other slot already"),
    "nothing to undo": Words("NOTHING TO UNDO", "there is no transfer that could be taken back"),
    "bankrupt": Words("OUT OF THE GAME", "this card has gone bankrupt"),
    "no other game": Words("NO OTHER GAME", "there is no other game to resume"),
    "cards in": Words("TAKE CARDS OUT", "take both cards out before you change the game"),
    "no edition": Words("EDITION IS GONE", "the edition of that game is not installed any more"),
    "two cards": Words("ONE CARD ONLY", "this needs one card, and two are in"),
    "dialog": Words("CLOSE MENU FIRST", "a menu is open at the banker unit; nothing has moved"),
    "disk": Words("NOT SAVED", "the disk did not take it; nothing has moved"),
    "torn": Words("TYPE IT AGAIN", "the beginning of the input was lost, so none of it counts"),
    "unclear": Words("SINGLE KEYS ONLY", "several keys were held down at the same time, so none of the input counts"),
    "too fast": Words("TOO FAST, AGAIN", "the input was too fast for the unit, so none of it counts"),
}
"""All rejections, by the ``why`` of the event ``refused``."""


class Rejection(ReboardError, ValueError):  # noqa: N818 - a rule of the game, not an error
    """A request that the bank rejects; no money has moved. ``why`` is one of `REJECTIONS`.

    *sentence* replaces the usual one, if more is known.
    """

    def __init__(self, why: str, sentence: str | None = None) -> None:
        self.words = REJECTIONS[why]
        self.why = why
        super().__init__(sentence or self.words.sentence)
