"""The classes for scripts, each made from the settings and the vocabulary of an accessory."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from inspect import Parameter, Signature
from typing import Any, get_type_hints

from reboard.accessories.accessory import Accessory
from reboard.accessories.installed import accessories, events_of
from reboard.accessories.table_vocabulary import EVENTS, REQUESTS
from reboard.script.callbacks import Fields, When
from reboard.script.scripted import COMMON, FixedAttributes, ScriptedAccessory, bound
from reboard.vocabulary.declared import PHONE, Event, Request
from reboard.vocabulary.hints import Field, fields_of, has_fields, hint


def class_name(accessory: Accessory[Any]) -> str:
    """Return the name of the class of *accessory*: ``QuestionBlock`` for the question block."""
    return re.sub(r"\W", "", accessory.title.title())


def class_names() -> Sequence[str]:
    """Return the names of the classes of all installed accessories."""
    return [class_name(each) for each in accessories().values()]


def class_of(name: str) -> Any:
    """Return the class *name*. Raises ``LookupError`` if no installed accessory has it."""
    for accessory in accessories().values():
        if class_name(accessory) == name:
            return _made(accessory)
    raise LookupError(f"there is no class {name!r} for scripts, only {', '.join(class_names())}")


@cache
def _made(accessory: Accessory[Any]) -> Any:
    """Return the class of *accessory*. The event ``block.pressed`` makes ``when_pressed`` and ``wait_for_pressed``."""
    readers: Mapping[str, Any] = {
        # a script's table has no bank that could book anything
        name: reader
        for name, reader in getattr(accessory.section, "keys", {}).items()
        if name != "linked"
    }
    events = {_member(accessory, name): event for name, event in {**events_of(accessory), **EVENTS}.items()}
    requests = [*accessory.vocabulary.requests.values(), *REQUESTS.values()]
    members = {
        **{f"is_{each.name}" if each.hint.type is bool else each.name: _attribute(each) for each in _state(accessory)},
        **{f"when_{name}": When(event.event, _doc(event)) for name, event in events.items()},
        **{f"wait_for_{name}": _wait(event) for name, event in events.items()},
        **{_member(accessory, each.do): _method(each) for each in requests if each.changes and not each.is_internal},
    }
    members = {name: member for name, member in members.items() if not hasattr(ScriptedAccessory, name)}
    for name, member in members.items():
        if inspect.isfunction(member):
            member.__name__ = name
    own = {"_accessory": accessory, "_readers": readers, "__signature__": _signature(accessory, readers)}
    hints = get_type_hints(getattr(accessory.section, "made", object), include_extras=True)
    arguments = "\n".join(f"- *{name}*: {hint(hints[name]).meaning}" for name in readers if name in hints)
    about = {"__doc__": f"{_doc(type(accessory))}\n\n{arguments}", "__module__": "reboard"}
    return FixedAttributes(class_name(accessory), (ScriptedAccessory,), {**members, **own, **about})


def _doc(declared: type) -> str:
    """Return the docstring of a class, and not that of its base class."""
    return inspect.cleandoc(declared.__doc__ or "")


def _member(accessory: Accessory[Any], name: str) -> str:
    """Return *name* without the accessory's, such as ``pressed`` for ``block.pressed``."""
    return re.sub(rf"^{accessory.name}[._]", "", name).replace(".", "_")


def _signature(accessory: Accessory[Any], readers: Mapping[str, Any]) -> Signature:
    """Return the arguments: the devices in their order, the other settings, and those of every accessory."""
    section: Any = accessory.section
    devices = [device.noun for device in accessory.fitted]

    def parameter(name: str) -> Parameter:
        kind = Parameter.POSITIONAL_OR_KEYWORD if name in devices else Parameter.KEYWORD_ONLY
        default = Parameter.empty if name in section.needed else getattr(section.made, name, None)
        return Parameter(name, kind, default=default)

    own = sorted(map(parameter, readers), key=lambda each: (each.kind, each.default is not Parameter.empty))
    common = (Parameter(name, Parameter.KEYWORD_ONLY, default=default) for name, default in COMMON.items())
    return Signature([*own, *(each for each in common if each.name not in readers)])


def _state(accessory: Accessory[Any]) -> Iterator[Field]:
    """Yield the keys of `ScriptedAccessory.state`, if the accessory declares them."""
    declared = accessory.vocabulary.snapshot
    with suppress(NameError):  # of a type that only type checkers know
        for each in fields_of(declared) if declared else ():
            inner = each.name == accessory.name and has_fields(each.hint.type)
            yield from fields_of(each.hint.type) if inner else [each]


def _attribute(field: Field) -> property:
    def get(self: ScriptedAccessory) -> Any:
        return self.state.get(field.name)

    return property(get, doc=field.hint.meaning)


def _wait(event: type[Event]) -> Callable[..., Fields | None]:
    def wait(self: ScriptedAccessory, timeout: float | None = None) -> Fields | None:
        return self._wait_for(event.event, timeout)

    wait.__doc__ = f"""Wait up to *timeout* seconds for this event, or without a limit. Return it, or ``None``.

    {_doc(event)}
    """
    return wait


def _method(request: type[Request]) -> Callable[..., object]:
    of_self = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    optional = [each.is_optional for each in fields_of(request)]
    parameters = [
        Parameter(each.name, of_self.kind, default=getattr(request, each.name, None) if is_optional else of_self.empty)
        for each, is_optional in zip(fields(request), optional, strict=True)
        if each.name != PHONE
    ]
    arguments = Signature(parameters)

    def send(self: ScriptedAccessory, *args: Any, **named: Any) -> object:
        return self._send(request, bound(arguments, request.do, args, named))

    send.__doc__ = _doc(request)
    send.__signature__ = Signature([of_self, *parameters])  # type: ignore[attr-defined]
    return send
