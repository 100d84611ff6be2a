"""What users' programs import: the classes for scripts, and the devices for accessories of their own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_args

from docs.tables.markdown import code, lines, prose, table
from reboard import kit, script
from reboard.script.scripted import ScriptedAccessory

SETTINGS = {"MOTOR": "motor_pin", "KEYPAD": "Section(KeypadConfig)", "CARD_SLOT": 'ByKind("reader", SLOT_KINDS)'}
"""The readers of settings that are neither a pin nor a name of the kit."""


def _class(name: str) -> str:
    """Return how a class is made, its docstring and its members. A script does not make the base class."""
    described = getattr(script, name, ScriptedAccessory)
    made = [f"`{name}{_signature(vars(described)['__init__'])}`"] if described is not ScriptedAccessory else []
    paragraphs = re.sub(r"\*(\w+)\*", r"`\1`", (inspect.getdoc(described) or "").replace("``", "`")).split("\n\n")
    words = [text if text.startswith("- ") else lines(text) for text in paragraphs]
    return "\n\n".join([*made, *words, table("attribute | meaning", _members(described))])


def _members(described: type[Any]) -> Iterator[Sequence[str]]:
    for name, member in vars(described).items():
        if not name.startswith("_") and (isinstance(member, property) or inspect.isfunction(member)):
            yield f"`{name}{_signature(member) if callable(member) else ''}`", prose(member.__doc__)


def _signature(described: Callable[..., object]) -> str:
    parameters = list(inspect.signature(described).parameters.values())[1:]
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return str(inspect.Signature(plain)).replace("'", '"')


def _devices() -> str:
    """Return the table of the device kinds of the kit: how a setting is read, and what the driver offers a game."""
    kinds = {name: getattr(kit, name) for name in kit.__all__ if isinstance(getattr(kit, name), kit.DeviceKind)}
    rows = ((f"`{name}`", _what(kind), _setting(name), code(_offers(kind))) for name, kind in kinds.items())
    return table("device | what | reader of its setting | in the game", rows)


def _what(kind: kit.DeviceKind[Any, Any]) -> str:
    return prose(kind.__doc__).removeprefix("The device kind of ").removesuffix(".")


def _setting(kind: str) -> str:
    for name in (f"{kind}_SETTING", f"{kind}_SECTION"):
        if hasattr(kit, name):
            keys = getattr(getattr(kit, name), "keys", ())
            return f"`{name}`" + (f": {code(keys)}" if keys else "")
    return f"`{SETTINGS.get(kind, 'pin')}`"


def _offers(kind: kit.DeviceKind[Any, Any]) -> Iterator[str]:
    """Yield the members that the driver and its stand-in have, as they are used."""
    *_, driver = get_args(vars(type(kind))["__orig_bases__"][0])
    driver, *_ = *get_args(driver), driver
    for name in dir(kind.absent):
        member = inspect.getattr_static(driver, name, None)
        if name.startswith("_") or name == "close" or (not member and callable(getattr(kind.absent, name))):
            continue
        used = "await " if inspect.iscoroutinefunction(member) else ""
        if inspect.isasyncgenfunction(inspect.unwrap(member)):
            used = "async with "
        yield f"{used}{name}{_signature(member) if callable(member) else ''}"


TABLES: Mapping[str, Callable[..., str]] = {"class of": _class, "devices of the kit": _devices}
