"""What the sheet "Inside" is told of a virtual table, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from reboard.devices.readers.reader_kind import READER_KINDS, FileReader, ReaderKind
from reboard_sim.bench.pin_view import InsideView
from reboard_sim.devices.readers.virtual_reader import DECK, virtual_reader
from reboard_sim.plays.play import Player
from reboard_sim.plays.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable


@asynccontextmanager
async def inside(scene: Scene) -> AsyncIterator[Callable[..., Awaitable[dict[str, Any]]]]:
    """Yield a function that performs a play at a table that is on, and returns the news for the sheet."""
    table, look = VirtualTable(scene, seed=1), InsideView()
    await table.power_on()

    async def news_after(*lines: str) -> dict[str, Any]:
        await Player(table).perform(parse_play("\n".join(lines)))
        return look.as_json(look.collect(table, asyncio.get_running_loop().time())) or {}

    yield news_after
    await table.close()


async def test_the_first_look_has_the_last_minute_and_later_ones_the_news(tmp_path: Path) -> None:
    async with inside(Scene.load(None, tmp_path)) as news_after:
        first = await news_after("press block", "wait 100", "press block")
        assert first["begins"]
        assert all(event["t"] > 40 for event in first["events"])
        assert [event["event"] for event in first["events"]].count("block.pressed") == 1
        before, *edges = first["edges"]["block_button"]
        assert before[0] < 40 < edges[0][0], "the level that the minute began with is there too"
        second = await news_after("wait 5", "press block", "wait 1")
        assert "begins" not in second
        assert "wires" not in second
        assert [event["event"] for event in second["events"]].count("block.pressed") == 1
        assert second["edges"]["block_button"][0][0] > first["t"]
        assert max(t for t, _ in first["sound"]) < min(t for t, _ in second["sound"])
        assert "sound" not in await news_after("wait 5")


@pytest.mark.parametrize(
    "kind", [kind for kind in READER_KINDS.values() if isinstance(kind, FileReader)], ids=attrgetter("name")
)
async def test_a_card_is_found_in_what_its_reader_sends(tmp_path: Path, kind: ReaderKind[Any]) -> None:
    reader = virtual_reader(kind.name)
    assert reader
    async with inside(Scene.load(None, tmp_path).changed("bank.left", kind.example("left"))) as news_after:
        await news_after("wait 0")
        news = await news_after("wait 1", "insert left 1", "wait 2")
        pieces = [piece for row in news["serial"] for piece in row["pieces"]]
        assert any(f"card {reader.says(DECK[0])}" in piece["means"] for piece in pieces)
        assert not any(piece["is_bad"] for piece in pieces)
        assert "reader" in {row["by"] for row in news["serial"]}
