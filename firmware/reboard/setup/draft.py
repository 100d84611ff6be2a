"""The draft of the config that setup edits, and its conversion to TOML."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any

_SECTION = re.compile(r"(# )?\[(\w+)\]$")
_SETTING = re.compile(r"(# )?(\w+) = ")
_REMARK = re.compile(r" +# .*$")


class Draft:
    """A TOML document whose settings have dotted names such as ``page.listen``.

    *rules* are the udev rules that give devices permanent names, keyed by device name. *found* has the current device
    file of each device that setup has found, because udev does not know the new names yet. *password* is the new
    password at the MQTT broker, or ``""`` to keep the present one.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        rules: Mapping[str, str],
        found: Mapping[str, str] = MappingProxyType({}),
        password: str = "",
    ) -> None:
        self.document: dict[str, Any] = copy.deepcopy(dict(document))
        self.rules = dict(rules)
        self.found = dict(found)
        self.password = password

    def copy(self) -> Draft:
        """Return an independent copy of the draft."""
        return Draft(self.document, self.rules, self.found, self.password)

    def get(self, name: str) -> Any:
        """Return the setting or section *name*, or ``None`` if it is missing."""
        found: Any = self.document
        for key in name.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def put(self, name: str, value: object) -> None:
        """Set the setting or section *name* to *value*. Create missing sections."""
        *sections, key = name.split(".")
        table = self.document
        for section in sections:
            table = table.setdefault(section, {})
        table[key] = value

    def drop(self, name: str) -> None:
        """Remove the setting or section *name*, if it exists."""
        section, _, key = name.rpartition(".")
        table = self.get(section) if section else self.document
        if isinstance(table, dict):
            table.pop(key, None)


def config_text(document: Mapping[str, Any]) -> str:
    """Return *document* as TOML with the comments of ``table.toml``. Missing settings become comments."""
    template = resources.files("reboard.setup").joinpath("table.toml").read_text(encoding="utf-8")
    return "\n".join(_filled_in(template.splitlines(), document)) + "\n"


def _filled_in(lines: list[str], document: Mapping[str, Any]) -> Iterator[str]:
    left = copy.deepcopy(dict(document))
    keys = _keys_of_sections(lines)
    section: dict[str, Any] | None = left
    for line in lines:
        if header := _SECTION.match(line):
            name = header[2]
            section = left.pop(name, None)
            yield f"[{name}]" if section is not None else f"# [{name}]"
            yield from _settings({key: value for key, value in (section or {}).items() if key not in keys[name]})
        elif setting := _SETTING.match(line):
            is_example, key = setting[1], setting[2]
            if section is not None and key in section:
                remark = "" if is_example else "".join(_REMARK.findall(line))
                yield f"{key} = {toml_value(section.pop(key))}{remark}"
            else:
                yield line if is_example else f"# {line}"
        else:
            yield line
    for name, section in left.items():
        yield f"\n[{name}]"
        yield from _settings(section)


def _keys_of_sections(lines: list[str]) -> dict[str, set[str]]:
    keys: dict[str, set[str]] = {"": set()}
    section = ""
    for line in lines:
        if header := _SECTION.match(line):
            section = header[2]
            keys[section] = set()
        elif setting := _SETTING.match(line):
            keys[section].add(setting[2])
    return keys


def _settings(section: Mapping[str, Any]) -> Iterator[str]:
    return (f"{key} = {toml_value(value)}" for key, value in section.items())


def toml_value(value: object) -> str:
    """Return *value* as a TOML value on one line."""
    match value:
        case bool() | str():
            return json.dumps(value, ensure_ascii=False)
        case Mapping():
            inside = ", ".join(f"{key} = {_address(key, entry)}" for key, entry in value.items())
            return f"{{ {inside} }}"
        case list():
            return f"[{', '.join(map(toml_value, value))}]"
    return str(value)


def _address(key: str, value: object) -> str:
    return f"0x{value:02X}" if key == "address" and isinstance(value, int) else toml_value(value)
