"""The speaker: each sound card plays, the config's before all others, until one is heard."""

from __future__ import annotations

import asyncio
from contextlib import closing

from reboard.parts.speaker import Speaker
from reboard.setup.visit import Visit
from reboard.sounds import SoundSet

SOUND = "paid"
TAIL_S = 0.5


async def set_up_sound(visit: Visit) -> None:
    """Which sound card does the speaker hang on?"""
    talk, draft = visit.talk, visit.draft
    talk.show("\nThe speaker")
    if not await visit.has("speaker", "Is there a speaker?"):
        return
    known = draft.get("speaker.device")
    devices: list[str | None] = [f"plughw:CARD={card}" for card in visit.machine.sound_cards()]
    devices.sort(key=lambda device: device != known)
    while True:
        for device in devices or [None]:
            trouble = await _play(visit, device)
            name = device or "the usual device"
            if trouble:
                talk.say(f"{trouble}.")
            # who presses Enter at each question must not end with a card that nobody hears
            elif await talk.yes(f"{name} played a sound. Did you hear it?", default=device == known):
                draft.put("speaker", {**(draft.get("speaker") or {}), **({"device": device} if device else {})})
                return
        talk.say("No other sound card is here: look at the speaker's plug and at its own volume.")
        if not await talk.yes("Try once more?"):
            return


async def _play(visit: Visit, device: str | None) -> str:
    """What kept the sound from being heard, or ``""``."""
    causes: list[str] = []

    def hear(event: str, /, **fields: object) -> None:
        if event == "fault":
            causes.append(str(fields["cause"]))

    with visit.machine.hushed():
        sink = visit.board.open_sink(visit.draft.get("speaker.library"), device)
        with closing(Speaker(SoundSet.built_in(), sink, emit=hear)) as speaker:
            await speaker.played(SOUND)
            await asyncio.sleep(TAIL_S)
    return causes[-1] if causes else ""
