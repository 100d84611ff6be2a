"""A sound box: each figure has an NFC tag, and plays its sound when it is put on the box."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

from reboard.kit import (
    CARD_SLOT,
    SLOT_KINDS,
    ByKind,
    Event,
    FittedDevice,
    Game,
    GameAccessory,
    Record,
    Section,
    Several,
    SlotConfig,
    sound_name,
    tag,
)


class FigurePut(Event, name="sound_box.figure"):
    """A figure was put on the box."""

    tag: str
    sound: str | None


class Figure(Record):
    """A figure: the *tag* that the reader reads, and the name of its *sound*, of reboard or in ``sounds``."""

    tag: Annotated[str, tag]
    sound: Annotated[str, sound_name]


class BoxConfig(Record):
    """The section ``[sound_box]``."""

    reader: Annotated[SlotConfig, ByKind("reader", SLOT_KINDS)]
    figures: Annotated[tuple[Figure, ...], Several(Section(Figure), 0, 100)] = ()


class SoundBox(GameAccessory[BoxConfig]):
    """The sound box."""

    name = "sound_box"
    title = "Sound box"
    section = Section(BoxConfig)
    fitted: Sequence[FittedDevice[Any, Any]] = (
        FittedDevice("sound_box.reader", "box's reader", CARD_SLOT, wiring="left", is_required=True),
    )

    async def play(self, game: Game[BoxConfig]) -> None:
        """Play the sound of each figure that is put on the box. The page shows its tag, for the config."""
        sounds = {figure.tag: figure.sound for figure in game.config.figures}
        figures: asyncio.Queue[str] = asyncio.Queue()
        game.devices.reader.start(figures.put_nowait, lambda _: None)
        game.state.update(tag=None, sound=None)
        while True:
            found = await figures.get()
            sound = sounds.get(found)
            game.state.update(tag=found, sound=sound)
            game.emit(FigurePut(found, sound))
            game.speaker.play(sound or "refused")
            game.devices.reader.forget(found)


SOUND_BOX = SoundBox()
