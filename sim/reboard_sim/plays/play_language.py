"""The language of plays: its forms and its parser. Each line of a play has one act or check.

`forms` defines the parser, ``reboard-sim play --help`` and the help of the bench.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from reboard.accessories.installed import BrokenAccessory, accessories, all_events, all_requests, sound_folders
from reboard.accessories.table_vocabulary import NAME
from reboard.devices.keypad import LEGEND
from reboard.errors import ReboardError
from reboard.sounds import SoundSet
from reboard_sim.accessories.installed import all_forms, faults, generic_devices, simulated_accessories, things
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.forms import Form

MAX_LINES = 10_000
MAX_LINE_LENGTH = 500
LONGEST_WAIT_S = 86_400.0
LONGEST_QUOTE = 80
"""The maximum number of characters that a message quotes from an invalid line."""

LARGEST_NUMBER = 2**53 - 1
"""The largest valid number in a play: JavaScript represents whole numbers exactly up to this value."""


class PlayError(ReboardError, ValueError):
    """An error for a line that is not valid or that a table cannot carry out. `line` is its number, from 1."""

    def __init__(self, line: int, problem: str, *, path: str = "play") -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.line = line
        self.problem = problem


@cache
def forms() -> Sequence[Form]:
    """Return all forms of lines in a play, in the order of the help. The parser uses the first form that fits."""
    ours, labels = all_forms(), "|".join(generic_labels())
    shows = "a device shows this: `on`, `off`, or a text; as `expect buzzer.lamp on`"
    state = "a value of the snapshot is this, such as `expect state block.quiet false`"
    return (
        Form("edition", "edition NAME", "change the edition, and restart the table if it is on"),
        Form("seed", "seed N", "use this seed for all random results from now on"),
        Form("config", "config SETTING VALUE", "change a setting of the table, such as `config block.quiet true`"),
        Form("without", "without SETTING", "remove a setting of the table, such as `without block.lamp`"),
        *(form for form in ours if not form.is_check),
        Form("wait", "wait SECONDS", "wait for this time"),
        Form(
            "wait_until", "wait until EVENT [within SECONDS]", "wait until this event happens, at most 60 s by default"
        ),
        Form(
            "send_request",
            "request REQUEST [VALUE]",
            "send a request as the host, such as `request quiet '{\"on\": true}'`",
        ),
        Form("meanwhile", "meanwhile ACT", "begin this act, and continue with the next line without waiting"),
        Form("fault", "fault FAULT", "begin a fault"),
        Form("mend", "mend FAULT", "end a fault"),
        Form("power", "power off|on", "switch the power off or on"),
        *(form for form in ours if form.is_check),
        *(
            [Form("expect_thing", f"expect [not] {'|'.join(things())} on|off", "this is on or off now")]
            if things()
            else []
        ),
        *([Form("expect_device", f"expect [not] {labels} TEXT", shows)] if labels else []),
        Form("expect_state", "expect [not] state SETTING VALUE", state),
        Form(
            "expect_heard",
            "expect [not] heard SOUND [COUNT times]",
            "this sound was audible, exactly COUNT times if given",
        ),
        Form(
            "expect_said", "expect [not] said TEXT", "the table's voice said this, as `expect said 'Card 2 has 1500'`"
        ),
        Form("expect_event", "expect [not] event EVENT", "this event happened"),
    )


def generic_labels() -> Sequence[str]:
    """Return the labels of the devices that plays name by their labels."""
    return [device.label for devices in generic_devices().values() for device in devices]


@cache
def choices() -> Mapping[str, str]:
    """Return the key in `Line.values` for each choice between fixed words, keyed by the choice in the usage."""
    ours = {"off|on": "power", "on|off": "state", "|".join(things()): "thing", "not": "negated"}
    for accessory in simulated_accessories().values():
        ours |= accessory.choices
    labels = {*generic_labels()}
    words = [word for form in forms() for _, elements in _elements(form.usage) for word in elements]
    return ours | {word: "device" for word in words if labels.issuperset(word.split("|"))}


LABEL = re.compile(f"({NAME.pattern})[.][a-z0-9_.]+")
"""The pattern of a device's label or an accessory's event, such as ``buzzer.left``."""

COLOUR = re.compile(r"""(?<=\s)#(?=[0-9a-f]{6}\s*(#[^'"]*)?$)""")
"""The sign before a colour at the end of a line, such as ``expect led #ff8000``, which begins no comment."""

KEYS = tuple(key for row in LEGEND for key in row)


@dataclass(frozen=True, slots=True)
class Line:
    """A parsed line of a play: its number (from 1), text and form, and the values of the words in the form's usage."""

    number: int
    text: str
    form: Form
    values: Mapping[str, Any]


class _NoMatchError(ValueError):
    """An error for words that do not fit a form. *fitted* is the number of words before the first wrong one."""

    def __init__(self, problem: str, fitted: float = 0) -> None:
        super().__init__(problem)
        self.fitted = fitted


@dataclass(frozen=True)
class Parser:
    """A parser of lines in a play, which uses the first of the *forms* that fits.

    *choices* has the key in `Line.values` for each choice between fixed words. *readers* has the function that reads
    each word in capitals in a usage. It raises ``ValueError`` for a wrong word. *check* gets the words that fit no
    form, and can raise a ``ValueError`` with a better reason.
    """

    forms: Sequence[Form]
    choices: Mapping[str, str]
    readers: Mapping[str, Callable[[str], Any]]
    check: Callable[[Sequence[str]], None] = lambda _: None

    def parse(self, text: str, *, path: str = "play") -> list[Line]:
        """Parse the *text* of a play and return its lines, without empty lines and comments.

        Raises `PlayError` for the first invalid line. *path* is the play's name in messages.
        """
        rows = text.splitlines()
        if len(rows) > MAX_LINES:
            problem = f"a play has at most {MAX_LINES} lines: split it into several plays"
            raise PlayError(MAX_LINES + 1, problem, path=path)
        lines = (self.parse_line(row, number, path=path) for number, row in enumerate(rows, start=1))
        return [line for line in lines if line is not None]

    def parse_line(self, text: str, number: int = 1, *, path: str = "play") -> Line | None:
        """Parse one line of a play. Return ``None`` for an empty line or a comment. Raises `PlayError`."""
        if len(text) > MAX_LINE_LENGTH:
            raise PlayError(number, f"a line has at most {MAX_LINE_LENGTH} characters: shorten it", path=path)
        if len(text.splitlines()) > 1:
            raise PlayError(number, "this is more than one line: send each line separately", path=path)
        try:
            words = shlex.split(COLOUR.sub(r"\\\g<0>", text), comments=True)
        except ValueError:
            raise PlayError(number, f"a quotation mark is not closed: {text.strip()}", path=path) from None
        if not words:
            return None
        try:
            form, values = self._matched(words)
        except ValueError as problem:
            raise PlayError(number, str(problem), path=path) from None
        return Line(number, text.strip(), form, values)

    def _matched(self, words: Sequence[str]) -> tuple[Form, dict[str, Any]]:
        nearest: _NoMatchError | None = None
        for form in self.forms:
            try:
                return form, self._fit(form, words)
            except _NoMatchError as problem:
                if nearest is None or problem.fitted > nearest.fitted:
                    nearest = problem
        self.check(words)
        if nearest is None or nearest.fitted == 0:
            verbs = sorted({form.usage.split()[0] for form in self.forms})
            raise _NoMatchError(f"{_quoted(words[0])} is not an act or a check; {_did_you_mean(words[0], verbs)}")
        raise nearest

    def _fit(self, form: Form, words: Sequence[str]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        rest = list(words)
        for optional, elements in _elements(form.usage):
            if optional and (not rest or not self._accepts(elements[0], rest)):
                continue
            for element in elements:
                fitted = len(words) - len(rest)
                if not rest:
                    raise _NoMatchError(f"{element} is missing; expected: {form.usage}", fitted)
                word = _take(element, rest)
                if reader := self._act if element == "ACT" else self.readers.get(element):
                    try:
                        values[element.lower()] = reader(word)
                    except ValueError as problem:
                        # of two forms that fit as far, the one that names the wrong value says more
                        raise _NoMatchError(f"{problem}; expected: {form.usage}", fitted + 0.5) from None
                elif word not in element.split("|"):
                    words_here = " or ".join(element.split("|"))
                    raise _NoMatchError(
                        f"found {_quoted(word)} instead of {words_here}; expected: {form.usage}", fitted
                    )
                elif element in self.choices:
                    values[self.choices[element]] = word
        if rest:
            fitted = len(words) - len(rest)
            hint = f". Put a {element} with spaces in 'single quotes'" if element in ("VALUE", "TEXT") else ""
            raise _NoMatchError(f"{_quoted(' '.join(rest))} does not belong here; expected: {form.usage}{hint}", fitted)
        return values

    def _accepts(self, element: str, rest: Sequence[str]) -> bool:
        return element in self.readers or rest[0] in element.split("|")

    def _act(self, text: str) -> Line:
        try:
            line = self.parse_line(text)
        except PlayError as problem:
            raise ValueError(problem.problem) from None
        if line is None or line.form.is_check or line.form.name in ("wait", "wait_until", "meanwhile"):
            raise ValueError(f"{_quoted(text)} cannot run meanwhile: use an act, not a check or a wait")
        return line


@cache
def parser() -> Parser:
    """Return the parser of plays at a table."""
    return Parser(forms(), choices(), readers(), _check_accessories)


def _check_accessories(words: Sequence[str]) -> None:
    known = {name.partition(".")[0] for name in all_events()}
    known |= {name for name, accessory in accessories().items() if not isinstance(accessory, BrokenAccessory)}
    for section in (label[1] for label in map(LABEL.fullmatch, words) if label):
        if not difflib.get_close_matches(section, known):
            raise ValueError(f"no accessory {section} is installed, or it cannot be loaded")


def parse_play(text: str, *, path: str = "play") -> list[Line]:
    """Parse the *text* of a play at a table, see `Parser.parse`."""
    return parser().parse(text, path=path)


def parse_line(text: str, number: int = 1, *, path: str = "play") -> Line | None:
    """Parse one line of a play at a table, see `Parser.parse_line`."""
    return parser().parse_line(text, number, path=path)


def _take(element: str, rest: list[str]) -> str:
    # the name of a fault has several words, the card of a stranger two
    count = 1
    if element in ("FAULT", "ACT"):
        count = len(rest)
    elif element == "CARD" and rest[0] == "tag":
        count = 2
    taken, rest[:count] = rest[:count], []
    return shlex.join(taken) if element == "ACT" else " ".join(taken)


def _elements(usage: str) -> Iterator[tuple[bool, list[str]]]:
    # true for the parts in brackets
    for optional, plain in re.findall(r"\[([^\]]+)\]|([^\[\]\s]+)", usage):
        yield (True, optional.split()) if optional else (False, [plain])


def _did_you_mean(word: str, right: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, right, n=1)
    return f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(right)}"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…")


def _one_of(what: str, right: Sequence[str]) -> Callable[[str], str]:
    def check(word: str) -> str:
        if word not in right:
            raise ValueError(f"there is no {what} {_quoted(word)}: {_did_you_mean(word, right)}")
        return word

    return check


def _number(word: str, of: str = "") -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"{_quoted(word)} is not a number{of}") from None


def _seconds(word: str) -> float:
    seconds = _number(word, " of seconds")
    if not 0 <= seconds <= LONGEST_WAIT_S:
        raise ValueError(f"{word} s is not in the range from 0 to {LONGEST_WAIT_S:.0f} s")
    return seconds


def whole_number(word: str) -> int:
    """Return *word* as a whole number from 0 to `LARGEST_NUMBER`. Raises ``ValueError`` for any other text."""
    if not re.fullmatch(r"[0-9]{1,16}", word) or int(word) > LARGEST_NUMBER:
        raise ValueError(f"{_quoted(word)} is not a whole number from 0 to {LARGEST_NUMBER}")
    return int(word)


def _card(word: str) -> str:
    if re.fullmatch(r"[1-8]", word):
        return DECK[int(word) - 1]
    stranger = re.fullmatch(r"tag ([0-9A-Fa-f]{10})", word)
    if not stranger:
        raise ValueError(
            f"{_quoted(word)} is not a card: use 1 to 8 of the deck, or `tag` and ten hex digits for another card"
        )
    return stranger[1].upper()


@cache
def readers() -> Mapping[str, Callable[[str], Any]]:
    """Return the function that reads each word in capitals in a usage. It raises ``ValueError`` for a wrong word."""
    ours: dict[str, Callable[[str], Any]] = {
        "NAME": str,
        "SETTING": str,
        "VALUE": str,
        "TEXT": str,
        "KEY": _one_of("key", KEYS),
        "N": whole_number,
        "COUNT": whole_number,
        "NUMBER": _number,
        "SECONDS": _seconds,
        "CARD": _card,
        "FAULT": _one_of("fault", sorted(faults())),
        "SOUND": _one_of("sound", SoundSet.built_in(sound_folders()).names),
        "EVENT": _one_of("event", sorted(all_events())),
        "REQUEST": _one_of("request", sorted(name for name, request in all_requests().items() if request.changes)),
    }
    for accessory in simulated_accessories().values():
        ours |= accessory.values
    return ours
