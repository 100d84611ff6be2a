"""Example: each press of the button is counted, and lights the lamp while a sound plays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from reboard.kit import (
    BUTTON,
    LAMP,
    EventKind,
    FittedDevice,
    Game,
    GameAccessory,
    Request,
    Section,
    pin,
)


@dataclass(frozen=True)
class ExampleConfig:
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
    events = {"example.pressed": EventKind("count")}
    requests = {"example_reset": Request({})}

    async def play(self, game: Game[ExampleConfig]) -> None:
        """Wait for presses until cancelled."""
        game.state["count"] = 0
        while True:
            await game.devices.button.pressed()
            game.state["count"] += 1
            game.emit("example.pressed", count=game.state["count"])
            game.devices.lamp.on()
            await game.speaker.played("coin")
            game.devices.lamp.off()

    async def answer(self, game: Game[ExampleConfig], name: str, args: Mapping[str, Any]) -> None:
        """Count from 0 again: the request ``example_reset``."""
        game.state["count"] = 0


EXAMPLE = ExampleAccessory()
