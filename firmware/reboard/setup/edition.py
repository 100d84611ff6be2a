"""The edition: which boxed game is played."""

from __future__ import annotations

from reboard.edition import editions_in_the_box
from reboard.setup.visit import Visit

USUAL = "world"


async def set_up_edition(visit: Visit) -> None:
    """Which game is it?"""
    talk, draft = visit.talk, visit.draft
    talk.show("\nThe game")
    present = str(draft.get("edition") or USUAL)
    editions = {edition.name: edition.title for edition in editions_in_the_box()}
    editions.setdefault(present, "your own")
    draft.put("edition", await talk.choose("Which one is played?", editions, present))
