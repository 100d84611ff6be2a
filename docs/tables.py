"""Makes the tables of the documents, and the schema of the messages over MQTT, from the vocabulary: ``make tables``.

Whatever is between ``<!-- made: events -->`` and the next ``<!-- end -->`` is replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from dataclasses import Field as Setting
from functools import partial
from itertools import combinations
from pathlib import Path
from textwrap import fill
from typing import Any, get_type_hints

from reboard import kit
from reboard.accessories.banker_unit.accounts import Reason
from reboard.accessories.installed import accessories, is_plug_in
from reboard.accessories.question_block.accessory import BlockConfig
from reboard.accessories.question_block.outcomes import KINDS, OutcomeKind, each_of
from reboard.accessories.speed_die.accessory import DieConfig
from reboard.accessories.table_vocabulary import EVENTS, REQUESTS, Table
from reboard.accessories.worm_apple.accessory import AppleConfig
from reboard.devices.readers.card_tags import mixed_readers
from reboard.devices.readers.installed_readers import READER_KINDS
from reboard.events import DeviceEvent
from reboard.finding import all_of
from reboard.mqtt import schema
from reboard.vocabulary.declared import Event, Request
from reboard.vocabulary.hints import Field, Hint, choices, fields_of, has_fields, hint
from reboard.vocabulary.limits import LARGEST_WHOLE, Between, Length, OneOf
from reboard.vocabulary.schema import summary

DOCS = Path(__file__).parent
DOCUMENTS = [
    DOCS / name
    for name in ("banker.md", "config.md", "control-socket.md", "http.md", "ledger.md", "mqtt.md", "readers.md")
]
MQTT_SCHEMA = DOCS / "mqtt.schema.json"
PLACE = re.compile(r"(<!-- made: ([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
OURS = [accessory.vocabulary for accessory in accessories().values() if not is_plug_in(accessory)]
TYPES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def filled(text: str) -> str:
    """Return the *text* of a document with its places filled. Raises ``KeyError`` for an unknown place."""
    return PLACE.sub(lambda place: f"{place[1]}\n{MAKERS[place[2]]()}\n\n{place[3]}", text)


def events() -> Mapping[str, type[Event]]:
    """Return the events of every table, of our accessories and of all kinds of devices, keyed by name."""
    kinds = (getattr(kit, name) for name in kit.__all__ if isinstance(getattr(kit, name), kit.DeviceKind))
    of_devices = {kind.event.event: kind.event for kind in kinds if kind.event}
    return {**{name: event for each in OURS for name, event in each.events.items()}, **of_devices, **EVENTS}


def _requests() -> str:
    requests = [*REQUESTS.values(), *(each for vocabulary in OURS for each in vocabulary.requests.values())]
    shown = sorted((each for each in requests if not each.is_internal), key=lambda each: each.changes)
    told: set[str] = set()
    rows = ((f"`{each.do}`", _arguments(each, told), _effect(each, told)) for each in shown)
    return _table("do | arguments | effect", rows)


def _arguments(request: type[Request], told: set[str]) -> str:
    return "; ".join(_argument(field, request.defaults.get(field.name), told) for field in fields_of(request))


def _argument(field: Field, default: object, told: set[str]) -> str:
    of = field.hint
    known = f"{field.name}: {of.meaning}"
    words = [] if known in told else [_limits(of) or ("" if of.meaning else TYPES.get(of.shape, "")), of.meaning]
    told |= {known} if of.meaning else set()
    words += [f"optional ({default})" if type(default) is int and default else "optional"] if field.is_optional else []
    return ": ".join(filter(None, [f"`{field.name}`", ", ".join(filter(None, words))]))


def _effect(request: type[Request], told: set[str]) -> str:
    words = re.sub(r"\*(\w+)\*", r"`\1`", " ".join((request.__doc__ or "").split()))
    answer = [f"Answer: {_keys(request.answer)}.", *_sentences(request.answer, told)] if request.answer else []
    return " ".join([words, *answer])


def _events() -> str:
    told: set[str] = set()
    return _table(
        "event | fields | meaning",
        ((f"`{name}`", _names(_fields(event)), _meaning(event, told)) for name, event in events().items()),
    )


def _fields(event: type[Event]) -> Iterator[Field]:
    if issubclass(event, DeviceEvent):
        yield Field("device", Hint(str), is_optional=False)
    yield from fields_of(event)


def _meaning(event: type[Event], told: set[str]) -> str:
    return " ".join([summary(event), *_sentences(event, told), *(["Passing."] if event.is_passing else [])])


def _shared_events() -> str:
    return fill(", ".join(f"`{name}`" for name, event in events().items() if event.is_shared), 100)


def _rejections() -> str:
    shown = (why for vocabulary in OURS for why in vocabulary.rejections if why.display)
    return _table("display | meaning", ((f"`{why.display}`", why.sentence) for why in shown))


def _reasons() -> str:
    reasons = (f"`{each}`" + ("" if each == each.words else f" ({each.words})") for each in Reason.members)
    return fill(", ".join(reasons), 100)


def _snapshot() -> str:
    told: set[str] = set()
    parts = [Table, *(vocabulary.snapshot for vocabulary in OURS if vocabulary.snapshot)]
    return _table(
        "key | value", ((f"`{field.name}`", _value(field, told)) for part in parts for field in fields_of(part))
    )


def _settings(config: Any) -> str:
    hints = get_type_hints(config, include_extras=True)
    return _table(
        "key | value | default",
        ((f"`{each.name}`", hint(hints[each.name]).meaning, _default(each)) for each in fields(config)),
    )


def _default(setting: Setting[Any]) -> str:
    if setting.default_factory is not MISSING:
        return "see below"
    no_value = {MISSING: "required", None: "none"}
    return no_value.get(setting.default) or f"`{json.dumps(setting.default)}`"


def _odds() -> str:
    def row(kind: OutcomeKind) -> Sequence[str]:
        if kind.most:
            return f"list of up to {kind.most} weights: for 1, 2, … {kind.word}", f"`{[*each_of(kind.weight)]}`"
        return f"weight of {kind.name.replace('_', ' ')}", f"`{kind.weight}`"

    return _table("key | value | default", ((f"`{name}`", *row(kind)) for name, kind in KINDS.items()))


def _value(field: Field, told: set[str]) -> str:
    words, inner = _words(field), _inner(field.hint)
    sentence = f"{words[:1].upper()}{words[1:]}." if words else ""
    return " ".join([sentence, *(_sentences(inner, told) if inner else [])])


def _sentences(declared: type, told: set[str]) -> Iterator[str]:
    """Yield a sentence for each field with a meaning, limits or keys, unless it is *told* already."""
    for field in fields_of(declared):
        sentence = f"`{field.name}`: {_words(field)}."
        if _words(field) and sentence not in told:
            told.add(sentence)
            yield sentence


def _words(field: Field) -> str:
    of, inner = field.hint, _inner(field.hint)
    keys = f"{'' if inner is of.type else 'a list of '}{_keys(inner)}" if inner else ""
    words = [keys or _limits(of), of.meaning]
    if of.is_nullable and "null" not in of.meaning:
        words.append("or `null`" if any(words) else "may be `null`")
    words += ["may be missing"] if field.is_optional else []
    return ", ".join(filter(None, words))


def _inner(of: Hint) -> type | None:
    """Return the class with fields that a value of the annotation has, or each entry of its list."""
    entry = hint(of.parameters[0]) if of.shape is Sequence else of
    return entry.type if has_fields(entry.type) else None


def _keys(declared: type) -> str:
    return f"`{{{', '.join(field.name for field in fields_of(declared))}}}`"


def _names(fields: Iterable[Field]) -> str:
    return ", ".join(f"`{field.name}`" for field in fields)


def _limits(of: Hint) -> str:
    """Return the values that an annotation allows, in words."""
    if values := () if of.limit(OneOf) and of.meaning else choices(of):
        return " or ".join(", ".join(f"`{value}`" for value in values).rsplit(", ", 1))
    between, length = of.limit(Between), of.limit(Length)
    if between and between.most not in (None, LARGEST_WHOLE):
        return f"{between.least} to {between.most}"
    if length and length.least and length.most and of.shape is str:
        return f"{length.least} to {length.most} characters"
    return ""


def _table(head: str, rows: Iterable[Sequence[str]]) -> str:
    columns = head.split(" | ")
    return "\n".join([f"| {head} |", "|---" * len(columns) + "|", *(f"| {' | '.join(row)} |" for row in rows)])


def _mixed_readers() -> str:
    alike = {name for pair in combinations(READER_KINDS, 2) if not mixed_readers(*pair) for name in pair}
    mixed = all_of([f"`{name}`" for name in READER_KINDS if name in alike])
    return fill(
        f"Each slot has a reader of its own. **Use the same kind in both**; only {mixed} can be mixed, because they "
        "give a card the same tag.",
        100,
    )


MAKERS: Mapping[str, Callable[[], str]] = {
    "requests": _requests,
    "events": _events,
    "snapshot": _snapshot,
    "settings of block": partial(_settings, BlockConfig),
    "settings of apple": partial(_settings, AppleConfig),
    "settings of die": partial(_settings, DieConfig),
    "odds": _odds,
    "shared events": _shared_events,
    "rejections": _rejections,
    "reasons": _reasons,
    "mixed readers": _mixed_readers,
}


if __name__ == "__main__":
    for document in DOCUMENTS:
        document.write_text(filled(document.read_text("utf-8")), "utf-8")
    MQTT_SCHEMA.write_text(schema.text(), "utf-8")
