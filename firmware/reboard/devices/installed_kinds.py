"""The installed kinds of a device, such as card readers: our modules in a folder, and the entry points of plug-ins."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, TypeVar

from reboard.errors import PLUG_IN_ERRORS, PLUG_IN_REMEDY, failure

log = logging.getLogger(__name__)

K = TypeVar("K")
T = TypeVar("T")


class InstalledKinds(Mapping[str, K]):
    """The kinds of class *base*, keyed by name and sorted by ``order``.

    A kind of ours is the ``KIND`` of the module in *package* that is named after it, with ``_`` for each ``-``. A
    plug-in names its kind with an entry point in *group*.

    A kind is loaded when it is used, because a table has one or two of them. A list of all loads all.
    """

    def __init__(self, base: type[Any], package: str, group: str) -> None:
        self._base: Any = base
        self._package = package
        self._group = group

    def __getitem__(self, name: str) -> K:
        kind: K = self._ours(name) or _plug_ins(self._group, self._base)[name]
        return kind

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def _ours(self, name: str) -> Any:
        module = name.replace("-", "_")
        kind = _kind_in(f"{self._package}.{module}") if module.isidentifier() else None
        return kind if kind and kind.name == name else None

    def _names(self) -> list[str]:
        import pkgutil  # a table lists no kinds

        modules = pkgutil.iter_modules(import_module(self._package).__path__)
        found = [_kind_in(f"{self._package}.{module.name}") for module in modules]
        found += [kind for name, kind in _plug_ins(self._group, self._base).items() if not self._ours(name)]
        return [kind.name for kind in sorted(found, key=lambda kind: (kind.order, kind.name))]


class EachKind(Mapping[str, T]):
    """A *value* of each of the *kinds*, such as its section of the config."""

    def __init__(self, kinds: Mapping[str, K], value: Callable[[K], T]) -> None:
        self._kinds: Mapping[str, Any] = kinds
        self._value: Callable[[Any], T] = value

    def __getitem__(self, name: str) -> T:
        return self._value(self._kinds[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


@cache
def _kind_in(module: str) -> Any:
    # a config can name any module, also `__init__`
    return getattr(import_module(module), "KIND", None) if find_spec(module) else None


@cache
def _plug_ins(group: str, base: Any) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    noun = group.rpartition(".")[2].removesuffix("s")
    for entry in entry_points(group=group):
        try:
            kind = entry.load()
            if not isinstance(kind, base) or kind.name != entry.name:
                raise TypeError(f"{entry.value} is not a {base.__name__} with the name {entry.name}")
            declared = (name for each in type(kind).__mro__ for name in inspect.get_annotations(each))
            if missing := [name for name in declared if not hasattr(kind, name)]:
                raise TypeError(f"{entry.value} needs a value for {', '.join(missing)}")
            kind.section  # noqa: B018 - it reads the class of the settings, which can be wrong
            found[entry.name] = kind
        except PLUG_IN_ERRORS as error:
            log.warning("the %s %s cannot be used: %s. %s", noun, entry.name, failure(error), PLUG_IN_REMEDY)
    return found
