"""The edition: which boxed game is played."""

from __future__ import annotations

from reboard.edition import edition_names, load_edition
from reboard.setup.visit import Visit

USUAL = "world"


async def set_up_edition(visit: Visit) -> None:
    """Which game is it?"""
    talk, draft = visit.talk, visit.draft
    talk.show("\nThe game")
    present = str(draft.get("edition") or USUAL)
    editions = {name: load_edition(name).title for name in edition_names()}
    editions.setdefault(present, "your own")
    draft.put("edition", await talk.choose("Which one is played?", editions, present))
