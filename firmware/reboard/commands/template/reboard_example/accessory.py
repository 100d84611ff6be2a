"""Example: each press of the button is counted, and lights the lamp while a sound plays."""

from typing import Annotated

from reboard.kit import (
    BUTTON,
    LAMP,
    Event,
    FittedDevice,
    Game,
    GameAccessory,
    Record,
    Request,
    Section,
    pin,
)


class Pressed(Event, name="example.pressed"):
    """The button was pressed."""

    count: int


class Reset(Request, do="example_reset"):
    """Count from 0 again."""


class ExampleConfig(Record):
    """The section ``[example]`` of table.toml."""

    button: Annotated[int, pin]
    lamp: Annotated[int | None, pin] = None


class ExampleAccessory(GameAccessory[ExampleConfig]):
    """The settings, the devices and the game."""

    name = "example"
    title = "Example"
    section = Section(ExampleConfig)
    fitted = (
        FittedDevice(
            "example.button", "example's button", BUTTON, gesture="Press the button", usual=5, is_required=True
        ),
        FittedDevice("example.lamp", "example's lamp", LAMP, usual=6),
    )

    async def play(self, game: Game[ExampleConfig]) -> None:
        """Wait for presses until cancelled."""
        game.state["count"] = 0
        while True:
            await game.devices.button.pressed()
            game.state["count"] += 1
            game.emit(Pressed(game.state["count"]))
            game.devices.lamp.on()
            await game.speaker.played("coin")
            game.devices.lamp.off()

    async def answer(self, game: Game[ExampleConfig], request: Request) -> None:
        """Carry out the only request."""
        game.state["count"] = 0


EXAMPLE = ExampleAccessory()
