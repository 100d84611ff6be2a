"""Makes the backup of a table, which may be running."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from reboard.accessories.banker_unit.database import LEDGER_FILE
from reboard.accessories.banker_unit.ledger_copy import copy_of
from reboard.backup_file.archive import (
    CONFIG,
    EDITIONS,
    LEDGER,
    MOST_BYTES,
    READERS,
    SOUNDS,
    VOICE,
    Backup,
    can_hold,
    must_fit,
)
from reboard.config.reading import DEFAULT_CONFIG, KeyPath, line_of, parse_toml
from reboard.editions.edition import joined_name, split_name
from reboard.errors import ReboardError
from reboard.service.fallback_config import ChosenConfig, usable_config
from reboard.setup.reader_rules import RULES, written_rules

WAV = b"RIFF"


def make_backup(config_file: Path) -> Backup:
    """Return the backup of the table with *config_file*. Waits for the disk.

    If the config is invalid, the backup has the last good one, with which the table plays. Raises `ReboardError` if
    there is neither, the ledger is damaged, or the backup is too large, and ``OSError``.
    """
    chosen = usable_config(config_file)
    ledger = chosen.config.state.directory / LEDGER_FILE
    files: dict[str, bytes] = {}
    for name, content in _own_files(chosen):
        files[name] = content
        # in the table's memory, which a folder of music would fill
        must_fit(files)
    if ledger.exists():
        files[LEDGER] = copy_of(ledger)
    if (
        config_file == DEFAULT_CONFIG
        and RULES.exists()
        and (rules := written_rules(RULES.read_text("utf-8", "replace")))
    ):
        files[READERS] = "".join(f"{rule}\n" for rule in rules.values()).encode()
    return Backup(files, datetime.now().astimezone().isoformat(" ", "minutes"))


def _own_files(chosen: ChosenConfig) -> Iterator[tuple[str, bytes]]:
    """Yield the config, and the edition and the sounds of the owner, which it names in folders of the backup."""
    raw, speaker = chosen.raw, chosen.config.speaker
    if chosen.raw_edition is not None:
        plain, variant = split_name(str(chosen.config.document["edition"]))
        name = f"{EDITIONS}{Path(plain).name}"
        yield name, chosen.raw_edition
        raw = _renamed(raw, ("edition",), joined_name(name, variant), chosen.config.path)
    if speaker and speaker.folder and speaker.folder.is_dir():
        yield from _sounds(speaker.folder, SOUNDS)
        yield from _sounds(speaker.folder / Path(VOICE).name, VOICE)
        raw = _renamed(raw, ("speaker", "folder"), SOUNDS.rstrip("/"), chosen.config.path)
    yield CONFIG, raw


def _sounds(folder: Path, place: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.glob("*.[wW][aA][vV]")):
        name = f"{place}{path.name}"
        with suppress(PermissionError):  # the table cannot play it either
            if can_hold(name) and stat.S_ISREG(path.stat().st_mode):
                with path.open("rb") as file:
                    # a link could lead to a private file that is no sound
                    if file.read(len(WAV)) == WAV:
                        yield name, WAV + file.read(MOST_BYTES)


def _renamed(raw: bytes, path: KeyPath, value: str, file: Path) -> bytes:
    """Return the TOML *raw* with the text *value* instead of that at *path*. Raises `ReboardError` if that fails."""
    document, lines = parse_toml(raw, file)
    line = line_of(lines, path)
    text = raw.decode("utf-8-sig").split("\n")
    setting = re.compile(rf"""\b({path[-1]}["']?\s*=\s*)("(?:[^"\\]|\\.)*"|'[^']*')""")
    quoted = json.dumps(value, ensure_ascii=False)
    text[line - 1] = setting.sub(lambda found: f"{found[1]}{quoted}", text[line - 1], count=1)
    renamed = "\n".join(text).encode()
    if parse_toml(renamed, file)[0] != _with(document, path, value):
        key = path[-1]
        raise ReboardError(
            f'{file}:{line}: {key} cannot be read for the backup: write {key} = "…" on a line of its own'
        )
    return renamed


def _with(document: Mapping[str, Any], path: KeyPath, value: str) -> dict[str, Any]:
    key, *rest = path
    return {**document, str(key): _with(document[str(key)], tuple(rest), value) if rest else value}
