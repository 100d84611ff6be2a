"""The names of what a program creates: those of the variables to which it assigns it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count, islice
from pathlib import Path
from types import FrameType

from reboard_sim.script.opened_devices import frame_of_program

NAME = re.compile(r"[a-z][a-z0-9_]*")

KEY = re.compile(r"[A-Za-z0-9_.-]+")
"""The keys of a dictionary that are part of a name."""

NEXT = "[]"
"""The end of a name that gets the next index of a list."""

RETURNED = "return"
"""What a function returns has the name that its caller gives it."""


def labels_here(folder: Path) -> Iterator[str]:
    """Yield names for what a program in *folder* creates now, the best one first. The only one can be ``""``.

    ``led`` for ``led = LED(17)``, ``self.led = LED(17)`` and ``with LED(17) as led``, then ``led_2`` and so on.
    ``leds[0]`` for an item of a list, ``leds[red]`` for one of a dictionary, and ``led`` for ``GPIO.setup(LED, …)``.
    """
    label = _label(frame_of_program(sys._getframe(), folder), folder)
    if label.endswith(NEXT):
        yield from (f"{label.removesuffix(NEXT)}[{index}]" for index in count())
    yield label
    if label:
        yield from (f"{label}_{number}" for number in count(2))


def _label(frame: FrameType | None, folder: Path) -> str:
    if not frame:
        return ""
    positions = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    line, _, column, _ = positions
    label = _names(Path(frame.f_code.co_filename)).get((line or 0, column or 0), "")
    if label == RETURNED:
        return _label(frame_of_program(frame.f_back, folder), folder)
    name, _, variable = label.partition("[=")
    if not variable:
        return label
    variable = variable.removesuffix("]")
    key = str(frame.f_locals.get(variable, frame.f_globals.get(variable, "")))
    return f"{name}[{key}]" if KEY.fullmatch(key) else f"{name}{NEXT}"


@cache
def _names_of(source: bytes) -> Mapping[tuple[int, int], str]:
    """Return the name that each call gives what it creates, keyed by the line and the column where the call begins."""
    names: dict[tuple[int, int], str] = {}
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Assign():
                for target in node.targets:
                    _assign(names, target, node.value)
            case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                _assign(names, target, value)
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                _assign(names, target, value)
            case ast.Return(value=value):
                _give(names, RETURNED, value)
            case ast.Call(func=ast.Attribute(attr="append", value=target), args=[value]):
                if name := _name_of(target):
                    _give(names, name + NEXT, value)
            case ast.Call(func=ast.Attribute(attr="setup"), args=[ast.Name(id=constant), *_]) if constant.isupper():
                if NAME.fullmatch(name := constant.lower().removesuffix("_pin").removeprefix("pin_")):
                    names[node.lineno, node.col_offset] = name
    return names


def _assign(names: dict[tuple[int, int], str], target: ast.expr, value: ast.expr | None) -> None:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for each, its_value in zip(target.elts, value.elts, strict=False):
            _assign(names, each, its_value)
    elif name := _name_of(target):
        _give(names, name, value)


def _give(names: dict[tuple[int, int], str], name: str, value: ast.expr | None) -> None:
    """Give a *name* to what the expression *value* creates, and names with indices and keys to what it contains."""
    match value:
        case ast.Call(func=ast.Name(id="dict"), keywords=[_, *_] as keywords):
            for keyword in keywords:
                _give(names, f"{name}[{keyword.arg}]", keyword.value)
        case ast.Call():
            names.setdefault((value.lineno, value.col_offset), name)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            for index, item in enumerate(items):
                _give(names, f"{name}[{index}]", item)
        case ast.ListComp(elt=item):
            _give(names, name + NEXT, item)
        case ast.Dict(keys=keys, values=values):
            for key, item in zip(keys, values, strict=True):
                _give(names, name + _index(key), item)
        case ast.DictComp(key=key, value=item):
            _give(names, name + _index(key), item)


def _name_of(target: ast.expr) -> str:
    match target:
        case ast.Subscript(value=value, slice=key):
            name = _name_of(value)
            return name and name + _index(key)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            name = name.lower().strip("_")
            return name if NAME.fullmatch(name) else ""
    return ""


def _index(key: ast.expr | None) -> str:
    match key:
        case ast.Constant(value=str() | int() as constant) if KEY.fullmatch(str(constant)):
            return f"[{constant}]"
        case ast.Name(id=variable):
            return f"[={variable}]"  # its value is known only when the program runs
    return NEXT


def _names(file: Path) -> Mapping[tuple[int, int], str]:
    try:
        return _names_of(file.read_bytes())
    except (OSError, ValueError, SyntaxError):
        return {}
