"""The part of a table's shared state that the hall shows, read with bounds: a table must not spoil the page of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reboard.config.kinds import is_whole
from reboard.editions.edition import MOST_PLAYERS
from reboard.graphemes import graphemes, is_printable
from reboard.languages import languages
from reboard.mqtt.topics import LARGEST_AMOUNT

LONGEST_TEXT = 240
LONGEST_AMOUNT = 24
LONGEST_CAUSE = 400
MOST_FAULTS = 20
MOST_MINUTES = 1000

NO_STATE: Mapping[str, Any] = {
    "edition": "",
    "title": "",
    "titles": {},
    "units": False,
    "game": None,
    "ended": None,
    "clock": None,
    "cards": [],
    "pot": None,
    "deal": False,
    "faults": {},
}
"""The state of a table that has not sent any."""


def table_state(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the hall shows of the state *message*. What is missing or of the wrong type is left out."""
    titles = _object(message.get("titles"))
    ended = _object(message.get("ended"))
    return {
        "edition": _text(message.get("edition")),
        "title": _text(message.get("title")),
        "titles": {language: _text(title) for language in languages() if (title := titles.get(language))},
        "units": message.get("units") is True,
        "game": _whole(message.get("game")) or None,
        "ended": ranking_of(ended),
        "clock": _whole(message.get("clock"), most=MOST_MINUTES),
        "cards": _list_of(_card, message.get("cards")),
        "pot": _text(_object(message.get("pot")).get("shown"), LONGEST_AMOUNT) or None,
        "deal": _object(message.get("deal")).get("running") is True,
        "faults": {
            _text(part): _text(cause, LONGEST_CAUSE)
            for part, cause in list(_object(message.get("faults")).items())[:MOST_FAULTS]
        },
    }


def ranking_of(ended: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the end of a game: its number and its ranking. Return ``None`` if *ended* has none."""
    game = _whole(ended.get("game"))
    ranking = _list_of(_ranked, ended.get("ranking"))
    return {"game": game, "ranking": ranking} if game and ranking else None


def _ranked(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    number, worth, place = _whole(entry.get("number")), _whole(entry.get("worth")), _whole(entry.get("place"))
    if not number or number > MOST_PLAYERS or worth is None or not place:
        return None
    return {
        "place": place,
        "number": number,
        "name": _text(entry.get("name")),
        "worth": worth,
        "shown": _text(entry.get("shown"), LONGEST_AMOUNT),
    }


def _card(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    number = _whole(entry.get("number"))
    balance = _whole(entry.get("balance"), least=-LARGEST_AMOUNT)
    if not number or number > MOST_PLAYERS or balance is None or entry.get("left") is True:
        return None
    return {
        "number": number,
        "balance": balance,
        "shown": _text(entry.get("shown"), LONGEST_AMOUNT),
        "name": _text(entry.get("name")),
        "retired": entry.get("retired") is True,
        "playing": entry.get("playing") is not False,
    }


def _list_of(read: Callable[[Mapping[str, Any]], dict[str, Any] | None], entries: object) -> list[dict[str, Any]]:
    """Return the entries that *read* accepts, the first of each number."""
    found: dict[int, dict[str, Any]] = {}
    for entry in entries[: 2 * MOST_PLAYERS] if isinstance(entries, list) else ():
        if (accepted := read(_object(entry))) and accepted["number"] not in found:
            found[accepted["number"]] = accepted
    return list(found.values())


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object, most: int = LONGEST_TEXT) -> str:
    """Return *value* with a space for each character that cannot be printed, or ``""`` if it is not a text."""
    text = value[:most] if isinstance(value, str) else ""
    if text.isprintable():
        return text.strip()
    return "".join(each if is_printable(each) else " " for each in graphemes(text)).strip()


def _whole(value: Any, *, least: int = 0, most: int = LARGEST_AMOUNT) -> int | None:
    return value if is_whole(value, least, most) else None
