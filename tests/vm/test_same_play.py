"""What is played on a real kernel and on the virtual Pi is told alike. Where they differ, the virtual Pi is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.play import Player as VirtualPlayer
from reboard_sim.plays.play_language import parse_play
from reboard_sim.recording import LoggedEvent
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop
from tests.vm.machine.door import Event
from tests.vm.machine.player import Player
from tests.vm.machine.table import CONFIG, Table

SETTINGS = {
    "odds": "{ coins = [0, 0, 1], laugh = 0, power_up = 0, game_over = 0 }",
    "seconds": "5.0",
    "cards": "[" + ", ".join(f'"{tag}"' for tag in DECK) + "]",
}
PLAY = """
insert left 1
type 1.5M
remove left
insert right 2
type 260K
remove right
insert left 3
insert right 1
type 4M
key GO
type 12
key C
remove left
type 99M
remove right
press block
wait 3
pull lever
wait 0.5
release lever
wait 2
key .
wait 5
"""

GREETED_S = 2.0
"""So long after it is ready the table has shown and sounded that it is."""

LATE_S = 0.25
"""So much later or earlier a thing may be told there than here: what a real clock and a real scheduler take."""

CLOCKED = ("t", "at")


def test_a_play_is_told_alike_on_a_real_kernel_and_on_the_virtual_pi(table: Table, tmp_path: Path) -> None:
    table.configure(**SETTINGS)
    table.start()
    table.pass_time(GREETED_S)
    door = table.door()
    Player(table).perform(parse_play(PLAY))
    real = _as_told(door.rest())
    config = tmp_path / "table.toml"
    config.write_text(table.machine.inside.must("cat", CONFIG))
    virtual = _as_told(_virtually_played(config, tmp_path))
    assert [what for _, what in real] == [what for _, what in virtual]
    late = [(what, here - there) for (here, what), (there, _) in zip(real, virtual, strict=True)]
    assert not [(what, by) for what, by in late if abs(by) > LATE_S]


def _as_told(events: Sequence[Event | LoggedEvent]) -> list[tuple[float, dict[str, object]]]:
    """Each event without its times, and the seconds since the first card came."""
    first = next(place for place, event in enumerate(events) if event["event"] == "card.inserted")
    begin = float(str(events[first]["t"]))
    told = []
    for event in events[first:]:
        what = {name: value for name, value in event.items() if name not in CLOCKED}
        told.append((float(str(event["t"])) - begin, what))
    return told


def _virtually_played(config: Path, directory: Path) -> list[LoggedEvent]:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(_play_virtually(config, directory))


async def _play_virtually(config: Path, directory: Path) -> list[LoggedEvent]:
    table = VirtualTable(Scene.load(config, directory), seed=1)
    try:
        await VirtualPlayer(table).perform(parse_play(PLAY))
        return [told for _, told in table.log.since(0)]
    finally:
        await table.close()
