"""The way through the setup: one part after the other, and back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from reboard.setup.apple import set_up_lever, set_up_motor
from reboard.setup.block import set_up_block, set_up_lamp
from reboard.setup.display import set_up_display
from reboard.setup.edition import set_up_edition
from reboard.setup.keypad import set_up_keypad
from reboard.setup.readers import set_up_bank, set_up_cards, set_up_left, set_up_right
from reboard.setup.sound import set_up_sound
from reboard.setup.talk import Back, Skip
from reboard.setup.visit import Visit

Step = Callable[[Visit], Awaitable[None]]

PARTS: tuple[Step, ...] = (
    set_up_edition,
    set_up_block,
    set_up_lamp,
    set_up_lever,
    set_up_motor,
    set_up_bank,
    set_up_left,
    set_up_right,
    set_up_cards,
    set_up_display,
    set_up_keypad,
    set_up_sound,
)


async def walk(visit: Visit, steps: Sequence[Step]) -> None:
    """Take *steps* one after the other. Who goes back comes to the last one before that asked something, and finds
    there what was answered; who skips one leaves the draft as it was before."""
    asked: list[int] = []
    place = 0
    while place < len(steps):
        before, questions = visit.draft.copy(), visit.talk.questions
        try:
            await steps[place](visit)
        except Skip:
            visit.draft = before
        except Back:
            visit.draft = before
            place = asked.pop() if asked else 0
            continue
        if visit.talk.questions > questions:
            asked.append(place)
        place += 1
