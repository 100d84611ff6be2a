"""What somebody who looks inside a virtual table is told, in virtual time."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from vcd.reader import TokenKind, tokenize

from reboard.accessories.banker_unit.database import LEDGER_FILE
from reboard_sim.bench.pin_view import InsideView
from reboard_sim.bench.table_thread import last_rows
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.acts import Acts
from reboard_sim.plays.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.session import EXPORTS
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run

News = dict[str, Any]


class SetupContext:
    """A table that is switched on, hands to work it, and one pair of eyes that looks inside."""

    def __init__(self, table: VirtualTable) -> None:
        self.table = table
        self._eyes = InsideView()
        self._hands = Acts(table)

    async def do(self, text: str) -> None:
        for line in parse_play(text):
            await self._hands.do(line)

    def look(self) -> News:
        return self.look_again() or {}

    def look_again(self) -> News | None:
        now = asyncio.get_running_loop().time()
        return self._eyes.as_json(self._eyes.collect(self.table, now))

    def export(self, name: str) -> bytes:
        _, remember = EXPORTS[name]
        file = io.BytesIO()
        remember(self.table, asyncio.get_running_loop().time())(file)
        return file.getvalue()


def visiting(state: Path, story: Callable[[SetupContext], Awaitable[None]], *settings: tuple[str, str]) -> None:
    async def main() -> None:
        scene = Scene.load(None, state)
        for key, value in settings:
            scene = scene.changed(key, value)
        table = VirtualTable(scene, seed=1)
        await table.power_on()
        try:
            await story(SetupContext(table))
        finally:
            await table.close()

    run(main)


def meanings(news: News) -> list[str]:
    return [piece["means"] for row in news.get("serial", []) for piece in row["pieces"]]


# what is told, and when


def test_the_first_look_has_the_last_minute_and_later_ones_the_news(tmp_path: Path) -> None:
    async def story(visit: SetupContext) -> None:
        await visit.do("press block\nwait 100\npress block")
        first = visit.look()
        assert first["begins"]
        assert {event["t"] > 40 for event in first["events"]} == {True}
        assert [event["event"] for event in first["events"]].count("block.pressed") == 1
        before, *edges = first["edges"]["block_button"]
        assert before[0] < 40 < edges[0][0], "the level that the minute began with is told too"
        await visit.do("wait 5\npress block\nwait 1")
        second = visit.look()
        assert "begins" not in second
        assert "wires" not in second
        assert [event["event"] for event in second["events"]].count("block.pressed") == 1
        assert second["edges"]["block_button"][0][0] > first["t"]

    visiting(tmp_path, story)


# the languages on the lines


@pytest.mark.parametrize(
    ("slot", "words"),
    [
        ('{ reader = "rdm6300", port = "/dev/serial0" }', [f"card {DECK[0]}, checksum right"]),
        ('{ reader = "id12", port = "/dev/serial0" }', [f"card {DECK[0]}, checksum right"]),
        (
            '{ reader = "pn532", port = "/dev/serial0" }',
            [
                "InListPassiveTarget: look for one card",
                "ACK: understood",
                f"InListPassiveTarget answered: card {DECK[0][-8:]}",
            ],
        ),
        ('{ reader = "keyboard", device = "/dev/input/by-id/usb-a-event-kbd" }', ["0", "Enter: card 0012852999"]),
    ],
    ids=["rdm6300", "id12", "pn532", "keyboard"],
)
def test_a_card_is_found_in_what_its_reader_says(tmp_path: Path, slot: str, words: list[str]) -> None:
    async def story(visit: SetupContext) -> None:
        visit.look()
        await visit.do("wait 1\ninsert left 1\nwait 2")
        news = visit.look()
        assert set(words) <= set(meanings(news))
        assert not any(piece["is_bad"] for row in news["serial"] for piece in row["pieces"])
        assert {row["by"] for row in news["serial"]} >= {"reader"}

    visiting(tmp_path, story, ("bank.left", slot))


# the sound


# the ledger


def test_the_last_rows_of_the_ledger_are_read_from_its_file(tmp_path: Path) -> None:
    async def story(visit: SetupContext) -> None:
        await visit.do("insert left 1\ntype 1.5M\nwait 1\nkey C\nwait 1")
        told = last_rows(tmp_path / LEDGER_FILE)
        undone, received, start = (dict(zip(told["columns"], row, strict=True)) for row in told["rows"])
        assert (start["from"], start["to"], start["amount"], start["reason"]) == (0, 1, 15_000_000, "start")
        assert (received["amount"], received["reason"], received["undoes"]) == (1_500_000, "received", None)
        assert (undone["from"], undone["undoes"], undone["reason"]) == (1, received["id"], "undo")
        assert len({undone["press"], received["press"], start["press"]}) == 3
        assert told["problem"] is None

    visiting(tmp_path, story)


# what can be kept


def test_the_pins_are_kept_as_a_vcd_with_every_edge_to_the_microsecond(tmp_path: Path) -> None:
    async def story(visit: SetupContext) -> None:
        await visit.do("press block\nwait 1\npull lever\nrelease lever\nwait 2")
        names: dict[str, str] = {}
        edges: dict[str, list[tuple[int, str]]] = {}
        tick = 0
        for token in tokenize(io.BytesIO(visit.export("pins.vcd"))):
            if token.kind is TokenKind.VAR:
                names[token.var.id_code] = token.var.reference
            elif token.kind is TokenKind.CHANGE_TIME:
                tick = token.time_change
            elif token.kind is TokenKind.CHANGE_SCALAR and tick:
                edges.setdefault(names[token.scalar_change.id_code], []).append((tick, token.scalar_change.value))
        for name in ("block_button", "apple_lever"):
            timeline = list(visit.table.pi.wires()[name].timeline)
            made = [(round(t * 1e6), str(int(duty))) for (_, before), (t, duty) in pairwise(timeline) if duty != before]
            assert edges[name] == [edge for edge in made if edge[0]]
        assert set(names.values()) >= {"block_lamp", "apple_motor", "apple_motor_duty"}

    visiting(tmp_path, story)
