"""Whatever is written into the door, it answers in its own words, and to the next client as if nothing had been."""

from __future__ import annotations

import asyncio
import json
from itertools import chain
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reboard.door import words
from reboard.door.server import TableDoor
from reboard.events import Events
from reboard_sim.virtual_time import run

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
REQUESTS = st.fixed_dictionaries(
    {"id": JSON, "do": st.sampled_from(sorted(words.REQUESTS)) | JSON},
    optional=dict.fromkeys(["strange", *chain.from_iterable(words.REQUESTS.values())], JSON),
)
LINES = st.one_of(
    st.binary(max_size=80),
    JSON.map(lambda value: json.dumps(value).encode()),
    REQUESTS.map(lambda value: json.dumps(value).encode()),
)


class AnyTable:
    """Takes whatever comes through to it."""

    def __init__(self) -> None:
        self.events = Events(asyncio.get_running_loop().time)

    def snapshot(self) -> dict[str, object]:
        return {"edition": "world"}

    async def history(self) -> str:
        return '{"game": null, "before": {}, "transfers": []}'

    async def request(self, do: str, **args: object) -> object:
        assert isinstance(do, str)
        return None


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, max_size=6))
def test_whatever_line_comes_the_answer_is_one_of_the_doors_and_the_door_stays_open(
    lines: list[bytes], tmp_path: Path
) -> None:
    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))
        door = TableDoor(AnyTable(), tmp_path / "table.sock")
        door.claim()
        await door.open()
        try:
            reader, writer = await asyncio.open_unix_connection(door.path)
            writer.write(b"\n".join(lines) + b"\n")
            writer.write_eof()
            for answer in (await reader.read()).splitlines():
                said = json.loads(answer)
                assert said.keys() & {"ok", "error", "event"}, said
            writer.close()
            reader, writer = await asyncio.open_unix_connection(door.path)
            writer.write(b'{"id": "next", "do": "snapshot"}\n')
            assert json.loads(await reader.readline()) == {"id": "next", "ok": {"edition": "world"}}
            writer.close()
        finally:
            await door.close()

    problems: list[Any] = []
    run(main)
    assert problems == []
