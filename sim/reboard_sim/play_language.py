"""The words of a play: what hands do at the table, and what must then be true. One act a line.

The vocabulary stands here once, as `FORMS`. The parser is made from it, and so are ``reboard-sim play --help``, the
bench's own help and ``docs/plays.md``.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reboard.errors import ReboardError
from reboard.events import VOCABULARY
from reboard.parts.keypad import LEGEND
from reboard.sounds import NAMES
from reboard_sim.deck import DECK
from reboard_sim.faults import FAULTS

MAX_LINES = 10_000
MAX_LINE_LENGTH = 500
LONGEST_WAIT_S = 86_400.0
LONGEST_QUOTE = 80
"""So many characters of what is wrong are said again."""

LARGEST_NUMBER = 2**53 - 1
"""The largest whole number that a browser tells from its neighbours, too."""


class PlayError(ReboardError, ValueError):
    """A line that is no act and no check. `line` is counted from 1; the text says what was expected."""

    def __init__(self, line: int, problem: str, *, path: str = "play") -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of line. In `usage`, small words stand for themselves, capitals for values; brackets may be left out."""

    name: str
    usage: str
    meaning: str

    @property
    def is_check(self) -> bool:
        """Whether the line looks at something instead of doing it."""
        return self.usage.startswith("expect")


FORMS = (
    Form(
        "edition", "edition NAME", "name this boxed game in the config; a table that is on is switched off and on again"
    ),
    Form("seed", "seed N", "draw outcomes and deals by this number from here on"),
    Form("config", "config SETTING VALUE", "change one setting of table.toml, such as `config block.quiet true`"),
    Form("without", "without SETTING", "leave a setting, a part or an accessory out of table.toml: `without apple`"),
    Form(
        "insert",
        "insert left|right CARD",
        "put a card in: one of the deck's 1 to 8, or a stranger, `tag 62E3086CED` (after `config bank.cards []`)",
    ),
    Form("remove", "remove left|right", "take the card out of a slot"),
    Form("type_amount", "type AMOUNT", "type an amount key by key: digits, `.`, `K`, `M`"),
    Form("key", "key KEY", "press one key of the keypad: 0 to 9 . K M C GO DEAL"),
    Form("hold_key", "hold KEY [SECONDS]", "hold a key down, for so long or until it is released"),
    Form("release_key", "release KEY", "let go of a held key"),
    Form("press_block", "press block [SECONDS]", "press the question block, for 0.1 s or as long as said"),
    Form("hold_block", "hold block", "press the question block and keep it down"),
    Form("release_block", "release block", "let go of the question block"),
    Form("pull_lever", "pull lever", "pull the apple's lever all the way back, and hold it there"),
    Form("release_lever", "release lever", "let the lever go"),
    Form("wait", "wait SECONDS", "let time pass"),
    Form("wait_until", "wait until EVENT [within SECONDS]", "let time pass until this happens, 60 s at the most"),
    Form("meanwhile", "meanwhile ACT", "begin this act, and go on with the next line at once, at the same time"),
    Form("fault", "fault FAULT", "make something misbehave"),
    Form("mend", "mend FAULT", "make it behave again"),
    Form("power", "power off|on", "pull the plug, or put it back"),
    Form("expect_display", "expect [not] display TEXT", "one of the display's lines reads so, outer spaces aside"),
    Form("expect_balance", "expect [not] balance CARD AMOUNT", "a card holds so much, written the edition's way"),
    Form("expect_state", "expect [not] motor|lamp|deal|apple on|off", "this is on, or off, now"),
    Form(
        "expect_heard", "expect [not] heard SOUND [COUNT times]", "this sound came out of the loudspeaker, or so often"
    ),
    Form("expect_event", "expect [not] event EVENT", "this happened"),
)
"""Every line that a play can have."""

CHOICES = {
    "left|right": "slot",
    "off|on": "power",
    "on|off": "state",
    "motor|lamp|deal|apple": "thing",
    "not": "negated",
}
"""What a choice between small words is called among a line's values."""

KEYS = tuple(key for row in LEGEND for key in row)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a play, understood: its place, its own text, its form and the values found in it."""

    number: int
    text: str
    form: Form
    values: Mapping[str, Any]


def parse_play(text: str, *, path: str = "play") -> list[Line]:
    """Understand a whole play. Raises `PlayError` for the first line that is none."""
    rows = text.splitlines()
    if len(rows) > MAX_LINES:
        raise PlayError(MAX_LINES + 1, f"a play has at most {MAX_LINES} lines", path=path)
    lines = (parse_line(row, number, path=path) for number, row in enumerate(rows, start=1))
    return [line for line in lines if line is not None]


def parse_line(text: str, number: int = 1, *, path: str = "play") -> Line | None:
    """Understand one line; ``None`` for an empty one or a comment. Raises `PlayError`."""
    if len(text) > MAX_LINE_LENGTH:
        raise PlayError(number, f"a line has at most {MAX_LINE_LENGTH} characters", path=path)
    if len(text.splitlines()) > 1:
        raise PlayError(number, "this is more than one line", path=path)
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        raise PlayError(number, f"a quotation mark is not closed: {text.strip()}", path=path) from None
    if not words:
        return None
    try:
        form, values = _matched(words)
    except _NoMatchError as problem:
        raise PlayError(number, str(problem), path=path) from None
    return Line(number, text.strip(), form, values)


class _NoMatchError(Exception):
    """How far a form fitted, and what it wanted instead."""

    def __init__(self, problem: str, fitted: int = 0) -> None:
        super().__init__(problem)
        self.fitted = fitted


def _matched(words: Sequence[str]) -> tuple[Form, dict[str, Any]]:
    nearest: _NoMatchError | None = None
    for form in FORMS:
        try:
            return form, _fit(form, words)
        except _NoMatchError as problem:
            if nearest is None or problem.fitted > nearest.fitted:
                nearest = problem
    if nearest is None or nearest.fitted == 0:
        verbs = sorted({form.usage.split()[0] for form in FORMS})
        raise _NoMatchError(f"{_quoted(words[0])} is no act; {_did_you_mean(words[0], verbs)}")
    raise nearest


def _fit(form: Form, words: Sequence[str]) -> dict[str, Any]:
    """The values of *words* read as *form*. Raises `_NoMatchError`."""
    values: dict[str, Any] = {}
    rest = list(words)
    for optional, elements in _elements(form.usage):
        if optional and (not rest or not _accepts(elements[0], rest)):
            continue
        for element in elements:
            fitted = len(words) - len(rest)
            if not rest:
                raise _NoMatchError(f"{element} is missing; expected: {form.usage}", fitted)
            word = _take(element, rest)
            if element in VALUES:
                try:
                    values[element.lower()] = VALUES[element](word)
                except ValueError as problem:
                    raise _NoMatchError(f"{problem}; expected: {form.usage}", fitted) from None
            elif word not in element.split("|"):
                wanted = " or ".join(element.split("|"))
                raise _NoMatchError(f"{_quoted(word)} where {wanted} should be; expected: {form.usage}", fitted)
            elif element in CHOICES:
                values[CHOICES[element]] = word
    if rest:
        fitted = len(words) - len(rest)
        raise _NoMatchError(f"{_quoted(' '.join(rest))} is too much; expected: {form.usage}", fitted)
    return values


def _take(element: str, rest: list[str]) -> str:
    """The word or words that *element* covers, taken from *rest*: a fault's name has several, a stranger's card two."""
    count = 1
    if element == "FAULT":
        count = len(rest)
    elif element == "CARD" and rest[0] == "tag":
        count = 2
    elif element == "ACT":
        count = len(rest)
    taken, rest[:count] = rest[:count], []
    return shlex.join(taken) if element == "ACT" else " ".join(taken)


def _accepts(element: str, rest: Sequence[str]) -> bool:
    """Whether an optional part begins here: a value always does, a small word only if it stands there."""
    return element in VALUES or rest[0] in element.split("|")


def _elements(usage: str) -> Iterator[tuple[bool, list[str]]]:
    """The usage's parts in order; true for those in brackets."""
    for optional, plain in re.findall(r"\[([^\]]+)\]|([^\[\]\s]+)", usage):
        yield (True, optional.split()) if optional else (False, [plain])


def _did_you_mean(word: str, right: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, right, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(right)}"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…")


def _one_of(what: str, right: Sequence[str]) -> Callable[[str], str]:
    def check(word: str) -> str:
        if word not in right:
            raise ValueError(f"there is no {what} {_quoted(word)}: {_did_you_mean(word, right)}")
        return word

    return check


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        raise ValueError(f"{_quoted(word)} is no number of seconds") from None
    if not 0 <= seconds <= LONGEST_WAIT_S:
        raise ValueError(f"{word} s is not between 0 and {LONGEST_WAIT_S:.0f}")
    return seconds


def whole_number(word: str) -> int:
    """The whole number that *word* is. Raises ``ValueError`` for anything else, for a negative one too."""
    if not re.fullmatch(r"[0-9]{1,16}", word) or int(word) > LARGEST_NUMBER:
        raise ValueError(f"{_quoted(word)} is no whole number from 0 to {LARGEST_NUMBER}")
    return int(word)


def _card(word: str) -> str:
    """The tag of a card: the deck's by its number, a stranger's as it stands."""
    if re.fullmatch(r"[1-8]", word):
        return DECK[int(word) - 1]
    stranger = re.fullmatch(r"tag ([0-9A-Fa-f]{10})", word)
    if not stranger:
        raise ValueError(f"{_quoted(word)} is no card: the deck has 1 to 8, a stranger is `tag` and ten hex digits")
    return stranger[1].upper()


def _amount(word: str) -> str:
    if not word or not set(word) <= set("0123456789.KM"):
        raise ValueError(f"{_quoted(word)} is no amount: digits, '.', K and M can be typed")
    return word


def _act(text: str) -> Line:
    """The act that is to go on meanwhile. Nobody looks, or waits, with one eye."""
    try:
        line = parse_line(text)
    except PlayError as problem:
        raise ValueError(problem.problem) from None
    if line is None or line.form.is_check or line.form.name in ("wait", "wait_until", "meanwhile"):
        raise ValueError(f"{_quoted(text)} is no act that takes hands")
    return line


VALUES: Mapping[str, Callable[[str], str | float | int | Line]] = {
    "NAME": str,
    "SETTING": str,
    "VALUE": str,
    "TEXT": str,
    "KEY": _one_of("key", KEYS),
    "AMOUNT": _amount,
    "N": whole_number,
    "COUNT": whole_number,
    "SECONDS": _seconds,
    "CARD": _card,
    "FAULT": _one_of("fault", sorted(FAULTS)),
    "SOUND": _one_of("sound", sorted(NAMES)),
    "ACT": _act,
    "EVENT": _one_of("event", sorted(VOCABULARY)),
}
