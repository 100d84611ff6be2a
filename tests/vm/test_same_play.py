"""A play gives the same events on a real kernel and on the virtual Pi. Where they differ, the virtual Pi is wrong.

The tests' requests take time between two acts, so the virtual Pi plays after the machine, with the machine's times.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reboard_sim.accessories.worm_apple.acts import PULL_S
from reboard_sim.devices.card_slot import CARD_S, TAKE_S
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.play import Player
from reboard_sim.plays.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop
from tests.vm.machine.table import CONFIG, Events, Table
from tests.vm.report import report

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
LATE_S = 0.15
"""An event may be this much later or earlier. A reader's silence is noticed up to 65 ms apart."""

Told = list[tuple[float, dict[str, Any]]]
"""Events without their times, each with the seconds since the first card came."""


def test_a_play_gives_the_same_events_on_a_real_kernel_and_on_the_virtual_pi(table: Table, tmp_path: Path) -> None:
    table.configure(**SETTINGS)
    table.start()
    table.pass_time(GREETED_S)
    events = Events(table.inside)
    began = _play(table)
    real = _told(events.rest())
    config = tmp_path / "table.toml"
    config.write_text(table.inside.must("cat", CONFIG))
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        virtual = runner.run(_virtual(config, tmp_path, began))
    assert [event for _, event in real] == [event for _, event in virtual]
    late = [(event, t - virtual_t) for (t, event), (virtual_t, _) in zip(real, virtual, strict=True)]
    report("an event of the same play on the virtual Pi", f"at most {max(abs(by) for _, by in late):.3f} s apart")
    assert not [(event, by) for event, by in late if abs(by) > LATE_S]


def _play(table: Table) -> list[float]:
    """Do what the play says, at the speed of a user of the virtual Pi. Return when each act began."""
    began = []
    for line in parse_play(PLAY):
        began.append(table.inside.now())
        match line.form.name, [*line.values.values()]:
            case "insert", [slot, card]:
                table.insert(slot, DECK.index(card) + 1)
                table.pass_time(CARD_S)
            case "remove", [slot]:
                getattr(table.machine, slot).take()
                table.pass_time(TAKE_S)
            case "type_amount" | "key", [keys]:
                table.type_keys(*([keys] if line.form.name == "key" else keys))
            case "press_block", _:
                table.press_block()
            case "pull_lever", _:
                table.header.contact("close", table.apple.lever)
                table.pass_time(PULL_S)
            case "release_lever", _:
                table.header.contact("open", table.apple.lever)
            case "wait", [seconds]:
                table.pass_time(seconds)
            case unknown:
                raise AssertionError(unknown)
    return began


async def _virtual(config: Path, directory: Path, began: Sequence[float]) -> Told:
    table, loop = VirtualTable(Scene.load(config, directory), seed=1), asyncio.get_running_loop()
    try:
        await table.power_on()
        player, ahead_s = Player(table), loop.time() - began[0]
        for line, t in zip(parse_play(PLAY), began, strict=True):
            await asyncio.sleep(t + ahead_s - loop.time())
            await player.perform([line])
        return _told([event for _, event in table.log.since(0)])
    finally:
        await table.close()


def _told(events: Iterable[Mapping[str, Any]]) -> Told:
    events = list(events)
    first = next(place for place, event in enumerate(events) if event["event"] == "card.inserted")
    begin = events[first]["t"]
    return [
        (event["t"] - begin, {name: value for name, value in event.items() if name not in ("t", "at")})
        for event in events[first:]
    ]
