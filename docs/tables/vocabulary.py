"""The tables of what the table says and takes: events, requests, snapshot, rejections and reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import combinations

from docs.tables.markdown import code, either, lines, prose, table
from reboard import kit
from reboard.accessories.banker_unit.accounts import Reason
from reboard.accessories.installed import accessories, is_plug_in
from reboard.accessories.table_vocabulary import EVENTS, REQUESTS, Table
from reboard.devices.readers.card_tags import mixed_readers
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.record import wire_name
from reboard.vocabulary.declared import PHONE, Event, Request
from reboard.vocabulary.hints import Field, Hint, choices, fields_of, has_fields, hint
from reboard.vocabulary.limits import LARGEST_WHOLE, Between, Length, OneOf

OURS = [accessory.vocabulary for accessory in accessories().values() if not is_plug_in(accessory)]
TYPES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


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
    return table("do | arguments | effect", rows)


def _arguments(request: type[Request], told: set[str]) -> str:
    defaults = {wire_name(each.name): each.default for each in fields(request)}
    named = [field for field in fields_of(request) if field.name != PHONE]
    return "; ".join(_argument(field, defaults[field.name], told) for field in named)


def _argument(field: Field, default: object, told: set[str]) -> str:
    of = field.hint
    known = f"{field.name}: {of.meaning}"
    words = [] if known in told else [_limits(of) or ("" if of.meaning else TYPES.get(of.shape, "")), of.meaning]
    told |= {known} if of.meaning else set()
    words += [f"optional ({default})" if type(default) is int and default else "optional"] if field.is_optional else []
    return ": ".join(filter(None, [f"`{field.name}`", ", ".join(filter(None, words))]))


def _effect(request: type[Request], told: set[str]) -> str:
    words = prose(request.__doc__)
    answer = [f"Answer: {_keys(request.answer)}.", *_sentences(request.answer, told)] if request.answer else []
    return " ".join([words, *answer])


def _events() -> str:
    told: set[str] = set()
    return table(
        "event | fields | meaning",
        (
            (f"`{name}`", code(field.name for field in fields_of(event)), _meaning(event, told))
            for name, event in events().items()
        ),
    )


def _meaning(event: type[Event], told: set[str]) -> str:
    return " ".join(
        [prose(event.__doc__, summary=True), *_sentences(event, told), *(["Passing."] if event.is_passing else [])]
    )


def _rejections() -> str:
    shown = (why for vocabulary in OURS for why in vocabulary.rejections if why.display)
    return table("display | meaning", ((f"`{why.display}`", why.sentence) for why in shown))


def _reasons() -> str:
    reasons = (f"`{each}`" + ("" if each == each.words else f" ({each.words})") for each in Reason.members)
    return lines(", ".join(reasons))


def _snapshot() -> str:
    told: set[str] = set()
    parts = [Table, *(vocabulary.snapshot for vocabulary in OURS if vocabulary.snapshot)]
    return table(
        "key | value", ((f"`{field.name}`", _value(field, told)) for part in parts for field in fields_of(part))
    )


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


def _limits(of: Hint) -> str:
    """Return the values that an annotation allows, in words."""
    if values := () if of.limit(OneOf) and of.meaning else choices(of):
        return either(values)
    between, length = of.limit(Between), of.limit(Length)
    if between and between.most not in (None, LARGEST_WHOLE):
        return f"{between.least} to {between.most}"
    if length and length.least and length.most and of.shape is str:
        return f"{length.least} to {length.most} characters"
    return ""


def _mixed_readers() -> str:
    pairs = [pair for pair in combinations(READER_KINDS, 2) if not mixed_readers(*pair)]
    mixed = " or ".join(f"`{one}` with `{other}`" for one, other in pairs)
    return lines(
        f"Each slot has a reader of its own. **Use the same kind in both**. Only {mixed} can be mixed, because they "
        "give a card the same tag."
    )


TABLES: Mapping[str, Callable[..., str]] = {
    "requests": _requests,
    "events": _events,
    "snapshot": _snapshot,
    "rejections": _rejections,
    "reasons": _reasons,
    "mixed readers": _mixed_readers,
}
