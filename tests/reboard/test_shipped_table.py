from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reboard.config import TableConfig, load_config
from reboard.settings.kinds import ByKind, Section, Several

HERE = Path(__file__).parents[2]
SHIPPED = HERE / "hardware" / "table.toml"


def keys_of(section: Section[Any]) -> Iterator[str]:
    """Every key that *section* and the sections inside it have, without the names of the sections."""
    for name, reader in section.keys.items():
        yield name
        inner = reader.entry if isinstance(reader, Several) else reader
        for kind in inner.kinds.values() if isinstance(inner, ByKind) else [inner]:
            if isinstance(kind, Section):
                yield from keys_of(kind)


ALL_KEYS = sorted(set(keys_of(Section(TableConfig))))


def test_the_schema_is_walked_to_its_ends() -> None:
    assert {"edition", "button", "coins", "hold_s", "rows", "address", "cards", "directory"} <= set(ALL_KEYS)


@pytest.mark.parametrize("key", ALL_KEYS)
def test_every_key_stands_in_the_shipped_file(key: str) -> None:
    assert re.search(rf"(^\[|^# |^|[{{,] ){key}(\]| = )", SHIPPED.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("key", ALL_KEYS)
def test_every_key_is_explained(key: str) -> None:
    explained = (HERE / "docs" / "config.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| `{key}`|^## .*`\[?{key}\]?`|^### .*`{key}`", explained, re.MULTILINE)


def test_the_shipped_file_is_a_whole_table() -> None:
    config = load_config(SHIPPED)
    assert None not in dataclasses.astuple(config)
    assert config.bank is not None
    assert config.bank.cards == (), "cards that nobody has would take all the numbers"


def test_the_shipped_files_examples_are_right(tmp_path: Path) -> None:
    """What is commented out is what happens anyway, or at least something that would work."""
    plain = SHIPPED.read_text(encoding="utf-8")
    live = re.sub(r"^# (\w+ = )", r"\1", plain, flags=re.MULTILINE)
    file = tmp_path / "table.toml"
    file.write_text(live, encoding="utf-8")
    config = load_config(file)
    assert live.count("\n# ") < plain.count("\n# ")
    default = load_config(SHIPPED)
    assert config.block == default.block
    assert dataclasses.replace(config.apple, pattern=None) == default.apple  # type: ignore[type-var]
