"""The speed die as an accessory: a button rolls the dice, which LED modules or the banker unit's display show."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

from reboard.accessories.accessory import Announcement, OtherSections
from reboard.accessories.game_accessory import Game, GameAccessory
from reboard.accessories.shared_requests import ShowLines
from reboard.accessories.speed_die.dice import WHITE_DICE, Roll, roll, roll_for_rent
from reboard.accessories.speed_die.faces import Text, frames, glyphs, lines
from reboard.accessories.speed_die.vocabulary import Double, Jail, Rent, Rolled, Triple
from reboard.aiotools import first_of
from reboard.config.kinds import Choice, Section, flag
from reboard.config.pins_and_ports import pin
from reboard.config.reading import Reading
from reboard.devices.contact import BUTTON
from reboard.devices.device import FittedDevice
from reboard.devices.matrix import MATRIX, MATRIX_SETTING, MatrixConfig
from reboard.errors import ReboardError
from reboard.languages import DISPLAY, Texts, languages
from reboard.record import Record
from reboard.vocabulary.vocabulary import Vocabulary

TUMBLE_S = (0.05,) * 6 + (0.08,) * 4 + (0.12, 0.12, 0.14)
"""The times between the faces of a rolling die, in seconds: one second in total, slower towards the end.

A button that is held for all of it rolls the white dice alone. A second press during it makes the roll one for rent.
"""

SHOWN_S = 120.0
"""The time for which LED modules show a roll, in seconds."""

MEANINGS = {"double": Double, "jail": Jail, "triple": Triple}

DISPLAYED_S = 8.0
"""The time for which the display shows a roll, in seconds."""


class DieConfig(Record):
    """The section ``[die]``. Without a *matrix*, the banker unit's display shows the dice. *language* is for it."""

    button: Annotated[int, pin, "the button, which closes to ground"]
    matrix: Annotated[
        MatrixConfig | None,
        MATRIX_SETTING,
        "a row of LED modules, at least one for each die, see below. "
        "Left out: the banker unit's display shows the dice",
    ] = None
    mode: Annotated[
        str,
        Choice(*WHITE_DICE),
        '`"speed"`: two white dice and the [speed die](speed-die.md); the others: white dice only',
    ] = "speed"
    quiet: Annotated[bool, flag, "`true`: no sound"] = False
    language: Annotated[
        str | None,
        Choice(*languages()),
        "of the dice on the banker unit's display. Left out: the language of the banker unit",
    ] = None

    @property
    def dice(self) -> int:
        """The number of dice."""
        return WHITE_DICE[self.mode] + (self.mode == "speed")


class SpeedDie(GameAccessory[DieConfig]):
    """The two white dice and the red speed die of the German Monopoly classic, or ordinary dice."""

    name = "die"
    title = "Speed die"
    order = 40
    section = Section(DieConfig)
    fitted: Sequence[FittedDevice[Any, Any]] = (
        FittedDevice(
            "die.button",
            "die's button",
            BUTTON,
            gesture="Press the button",
            usual=4,
            is_required=True,
        ),
        FittedDevice(
            "die.matrix",
            "LED dice",
            MATRIX,
            question="Has the die a row of LED modules (MAX7219)?",
            usual=MatrixConfig(modules=3),
        ),
    )
    vocabulary = Vocabulary("reboard.accessories.speed_die.vocabulary")

    def validate(self, reading: Reading, config: DieConfig, table: OtherSections) -> None:
        if config.matrix is None and getattr(table.sections.get("bank"), "display", None) is None:
            matrix = f"set matrix, with modules = {config.dice}"
            reading.wrong(("die",), f"nothing shows the dice: {matrix}, or in table.toml add a [bank] with a display")
        elif config.matrix and config.matrix.modules < config.dice:
            what = f'mode "{config.mode}" has {config.dice} dice, but die.matrix has {config.matrix.modules} modules'
            reading.wrong(("die", "matrix"), f"{what}: set modules = {config.dice}, or a mode with fewer dice")

    def describe(self, config: DieConfig) -> Iterator[tuple[str, str]]:
        shown_on = "the banker unit's display" if config.matrix is None else f"{config.matrix.modules} LED modules"
        words = [f"button on GPIO{config.button}", f"mode {config.mode}", f"shown on {shown_on}"]
        yield self.title.lower(), ", ".join(words + (["quiet"] if config.quiet else []))

    def announcements(self) -> Mapping[str, Announcement]:
        from reboard.accessories.speed_die.spoken import ANNOUNCEMENTS  # a table without a voice does not load it

        return ANNOUNCEMENTS

    def spoken_texts(self, say: Texts) -> Iterable[str]:
        from reboard.accessories.speed_die.spoken import spoken_texts

        return spoken_texts(say)

    async def play(self, game: Game[DieConfig]) -> None:
        """Roll the dice at each press. Announce a double, the third double in a row, a triple, and a roll for rent."""
        config, button, matrix = game.config, game.devices.button, game.devices.matrix
        say = Texts(config.language or game.context.language, DISPLAY)
        moved: Roll | None = None
        game.state |= {"mode": config.mode, "dice": None, "means": None, "doubles": 0}
        is_pressed = is_double_announced = False
        while True:
            if not is_pressed and await first_of(button.pressed(), asyncio.sleep(SHOWN_S)) == 1:
                matrix.clear()
                continue
            if is_double_announced or await first_of(button.pressed(), _tumble(game)) == 0:
                await _tumble(game, say(Text.RENT))
                rolled = roll_for_rent(config.mode, game.random)
            else:
                # not pressed again, so a button that is still closed was held for the whole second
                rolled = moved = roll(config.mode, game.random, moved, is_plain=button.is_closed)
            means = rolled.means
            game.state |= {"dice": f"{rolled}", "means": means, "doubles": moved.doubles if moved else 0}
            game.emit(Rolled(list(rolled.white), rolled.red))
            if means == "rent":
                game.emit(Rent(rolled.total))
            elif means:
                game.emit(MEANINGS[means]())
                _play(game, f"die_{means}")
            await _display(game, lines(rolled, say), DISPLAYED_S)
            is_pressed = await first_of(button.pressed(), _announce(game, frames(rolled))) == 0
            # the player has not moved yet, so this press cannot be the next move and must not cost the double
            is_double_announced = is_pressed and means == "double"


async def _announce(game: Game[DieConfig], shown: Iterable[tuple[Sequence[Sequence[int]], float]]) -> None:
    """Show glyphs one after the other, each for its time in seconds."""
    for glyphs_now, seconds in shown:
        game.devices.matrix.show(*glyphs_now)
        await asyncio.sleep(seconds)


async def _tumble(game: Game[DieConfig], line: str = "") -> None:
    """Let the dice roll for a second, with their sound and this second *line* of the display."""
    _play(game, "die_roll")
    # other random numbers, so that the pictures have no part in the dice
    faces = game.context.randomness("die.tumbling")
    await _display(game, ("- " * game.config.dice, line), DISPLAYED_S)
    for seconds in TUMBLE_S:
        game.devices.matrix.show(*glyphs(roll(game.config.mode, faces)))
        await asyncio.sleep(seconds)


async def _display(game: Game[DieConfig], shown: Sequence[str], seconds: float) -> None:
    """Show two lines on the banker unit's display, if the die has no matrix."""
    if game.config.matrix is None:
        with suppress(ReboardError):  # the page has the roll, too
            await game.context.request(ShowLines(shown, seconds))


def _play(game: Game[DieConfig], sound: str) -> None:
    if not game.config.quiet:
        game.speaker.play(sound)


SPEED_DIE = SpeedDie()
