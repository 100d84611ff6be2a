"""The scene that somebody sends to be set, and what is not taken."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from random import SystemRandom
from typing import Any

from reboard.web.json_body import BadRequest
from reboard_sim.bench.request_lines import lines_in
from reboard_sim.bench.scene_wish import NONE, OURS, READERS, SceneWish
from reboard_sim.play_language import LARGEST_NUMBER

MOST_LINES = 10_000
"""A session that is done again has as many as a play."""

MOST_BYTES = 512 * 1024
MOST_SEEDS = 1_000_000
LONGEST_NAME = 200

Asked = tuple[SceneWish, int, list[str]]


def scene_in(asked: Mapping[str, Any]) -> Asked:
    """The wish, its seed (one is drawn when none is said) and what is to be done. Raises `BadRequest`."""
    readers = {side: _reader(asked, side) for side in ("left", "right") if asked.get(side) is not None}
    wiring, text = _wiring(asked.get("wiring", OURS))
    wish = SceneWish(edition=_edition(asked.get("edition", "")), wiring=wiring, text=text, readers=readers)
    lines = lines_in(asked, MOST_LINES) if "lines" in asked else []
    return wish, _seed(asked.get("seed")), lines


def _edition(edition: object) -> str:
    if not isinstance(edition, str) or len(edition) > LONGEST_NAME or not edition.isprintable() or '"' in edition:
        raise BadRequest(f"edition is a name of at most {LONGEST_NAME} characters")
    return edition


def _reader(asked: Mapping[str, Any], side: str) -> str:
    kind = asked[side]
    if not isinstance(kind, str) or kind not in (*READERS, NONE):
        raise BadRequest(f"{side} is one of {', '.join(READERS)} or {NONE}")
    return kind


def _wiring(wiring: object) -> tuple[str, str | None]:
    if isinstance(wiring, str):
        return wiring, None
    match wiring:
        case {"name": str(name), "text": str(text)} if name.isprintable() and len(name) <= LONGEST_NAME:
            return PurePath(name).name or "table.toml", text
    raise BadRequest('wiring is "own", "config", or {"name": "table.toml", "text": …}')


def _seed(seed: object) -> int:
    if seed is None:
        return SystemRandom().randrange(MOST_SEEDS)
    if type(seed) is not int or not 0 <= seed <= LARGEST_NUMBER:
        raise BadRequest(f"seed is a whole number from 0 to {LARGEST_NUMBER}")
    return seed
