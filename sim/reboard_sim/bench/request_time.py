"""How the clock is to go, as somebody asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reboard.web.json_body import BadRequest
from reboard_sim.bench.pace import PACES, Pace


def time_in(asked: Mapping[str, Any]) -> tuple[bool, Pace]:
    """Whether ``{"step": true}`` was sent, and otherwise the pace of ``{"pace": 10}``. Raises `BadRequest`."""
    if asked.get("step") is True:
        return True, 0
    wanted = asked.get("pace")
    for pace in PACES:
        if type(wanted) is type(pace) and wanted == pace:
            return False, pace
    raise BadRequest('send {"pace": 0}, 1, 10 or "fast", or {"step": true}')
