"""The steps of the setup wizard, forward and back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from reboard.accessories.accessory import Accessory, accessories
from reboard.devices.audio.sound_card import SPEAKER, try_out_speaker
from reboard.devices.device import FittedDevice, SetupStep
from reboard.editions.edition import editions_in_the_box
from reboard.setup.prompts import Back, Skip
from reboard.setup.setup_context import SetupContext

USUAL_EDITION = "world"

Step = Callable[[SetupContext], Awaitable[None]]


def all_steps() -> list[Step]:
    """Return the steps for the edition, every accessory with its devices, and the speaker."""
    steps: list[Step] = [_choose_edition]
    for accessory in accessories().values():
        if accessory.can_be_set_up:
            steps.append(partial(_set_up_accessory, accessory))
            steps += [partial(_set_up_part, accessory, part) for part in accessory.setup_steps()]
    return [*steps, _set_up_speaker]


async def take(steps: Sequence[Step], context: SetupContext) -> None:
    """Run *steps* one after the other.

    Going back leads to the last step that asked something, with the answers given so far. A step that is skipped
    leaves the draft as it was.
    """
    asked: list[int] = []
    place = 0
    while place < len(steps):
        before, questions = context.draft.copy(), context.prompts.questions
        context.begin_step()
        try:
            await steps[place](context)
        except Skip:
            context.draft = before
        except Back:
            context.draft = before
            place = asked.pop() if asked else 0
            continue
        if context.prompts.questions > questions:
            asked.append(place)
        place += 1


async def _choose_edition(context: SetupContext) -> None:
    context.prompts.show("\nThe game")
    present = str(context.draft.get("edition") or USUAL_EDITION)
    editions = {edition.name: edition.title for edition in editions_in_the_box()}
    editions.setdefault(present, "your own")
    context.put("edition", await context.prompts.choose("Which one is played?", editions, present))


async def _set_up_accessory(accessory: Accessory[Any], context: SetupContext) -> None:
    title = accessory.title.lower()
    context.prompts.show(f"\nThe {title}")
    if not await context.has(accessory.name, accessory.question or f"Is there a {title}?"):
        return
    required = [device for device in accessory.devices(None) if device.is_required]
    for device in required:
        await _try_out(device, context)
    if not required and context.draft.get(accessory.name) is None:
        context.put(accessory.name, {})


async def _set_up_part(
    accessory: Accessory[Any], part: FittedDevice[Any, Any] | SetupStep, context: SetupContext
) -> None:
    if context.draft.get(accessory.name) is None:
        return
    if not isinstance(part, FittedDevice):
        await part(context)
        return
    if part.kind.has_heading:
        context.prompts.show(f"\nThe {part.title}")
    if await context.has(part.label, part.question or f"Is there a {part.title}?"):
        await _try_out(part, context)


async def _try_out(device: FittedDevice[Any, Any], context: SetupContext) -> None:
    setting = await device.kind.try_out(device, context)
    if setting is not None:
        context.put(device.label, setting)


async def _set_up_speaker(context: SetupContext) -> None:
    context.prompts.show("\nThe speaker")
    if await context.has(SPEAKER, "Is there a speaker?") and (section := await try_out_speaker(context)) is not None:
        context.put(SPEAKER, section)
