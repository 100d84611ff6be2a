"""The config as a file: our own wiring's, with every setting explained, and in it what was answered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

_SECTION = re.compile(r"\[(\w+)\]$")
_SETTING = re.compile(r"(# )?(\w+) = ")
_REMARK = re.compile(r" +# .*$")


def config_text(document: Mapping[str, Any]) -> str:
    """*document* as TOML. Settings and sections that it has not stand there too, behind a ``#``."""
    template = resources.files("reboard.setup").joinpath("table.toml").read_text(encoding="utf-8")
    return "\n".join(_filled_in(template.splitlines(), document)) + "\n"


def _filled_in(lines: list[str], document: Mapping[str, Any]) -> Iterator[str]:
    section: Mapping[str, Any] | None = document
    for line in lines:
        if header := _SECTION.match(line):
            section = document.get(header[1])
            yield line if section is not None else f"# {line}"
        elif setting := _SETTING.match(line):
            is_example, key = setting[1], setting[2]
            if section is not None and key in section:
                remark = "" if is_example else "".join(_REMARK.findall(line))
                yield f"{key} = {toml_value(section[key])}{remark}"
            else:
                yield line if is_example else f"# {line}"
        else:
            yield line


def toml_value(value: object) -> str:
    """*value* as TOML writes it on one line."""
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
