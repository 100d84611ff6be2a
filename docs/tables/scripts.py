"""What users' programs import: the classes for scripts, and the devices for accessories of their own; and examples."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import reboard
from docs.tables.markdown import code, lines, prose, table
from reboard import kit
from reboard.accessories.installed import accessories, is_plug_in
from reboard.accessories.table_vocabulary import EVENTS, REQUESTS
from reboard.script import ScriptedAccessory
from reboard.script.callbacks import When
from reboard.script.derived import class_name

SCRIPTS = Path(__file__).parents[2] / "examples" / "scripts"
SETTINGS = {"MOTOR": "motor_pin", "KEYPAD": "Section(KeypadConfig)", "CARD_SLOT": 'ByKind("reader", SLOT_KINDS)'}
"""The readers of settings that are neither a pin nor a name of the kit."""


def _classes() -> str:
    """Return the table of our classes for scripts, with what each has besides the members of every class."""
    ours = (class_name(each) for each in accessories().values() if not is_plug_in(each))
    return table("class | callbacks | attributes | methods", (_row(getattr(reboard, name)) for name in ours))


def _row(described: type[ScriptedAccessory]) -> Sequence[str]:
    own = {name: each for name, each in vars(described).items() if not name.startswith(("_", "wait_for_"))}
    callbacks = (name for name, each in own.items() if isinstance(each, When) and each.event not in EVENTS)
    attributes = (name for name, each in own.items() if isinstance(each, property))
    methods = (name for name, each in own.items() if inspect.isfunction(each) and name not in REQUESTS)
    signature = f"`{described.__name__}{inspect.signature(described)}`".replace("'", '"')
    return signature, code(callbacks), code(attributes), code(f"{name}{_signature(own[name])}" for name in methods)


def _base_class() -> str:
    """Return the docstring and the members of the base class, and the names that come from the events of a table."""
    paragraphs = [lines(prose(each)) for each in (inspect.getdoc(ScriptedAccessory) or "").split("\n\n")]
    members = [(f"`when_{name}`", prose(event.__doc__)) for name, event in EVENTS.items()]
    members += [
        (f"`{do}({', '.join(each.__match_args__)})`", prose(each.__doc__))
        for do, each in REQUESTS.items()
        if each.changes
    ]
    return "\n\n".join([*paragraphs, table("member | meaning", [*members, *_members(ScriptedAccessory)])])


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


def _examples() -> str:
    """Return the table of the example scripts, from their docstrings."""
    docstrings = {
        path.name: ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "" for path in sorted(SCRIPTS.glob("*.py"))
    }
    return table("script | what it does", ((f"[{name}](scripts/{name})", text) for name, text in docstrings.items()))


TABLES: Mapping[str, Callable[..., str]] = {
    "classes for scripts": _classes,
    "every class for scripts": _base_class,
    "devices of the kit": _devices,
    "example scripts": _examples,
}
