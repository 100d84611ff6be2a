"""What somebody who looks inside a virtual table is told, in virtual time."""

from __future__ import annotations

import asyncio
import io
import json
import sqlite3
import wave
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from vcd.reader import TokenKind, tokenize

from reboard.banker.book import LEDGER_FILE
from reboard_sim.bench import inside
from reboard_sim.bench.exports import EXPORTS
from reboard_sim.bench.inside import PEAKS_PER_BLOCK, InsideLook, peaks
from reboard_sim.bench.ledger_rows import last_rows
from reboard_sim.deck import DECK
from reboard_sim.hands import Hands
from reboard_sim.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run

News = dict[str, Any]


class Visit:
    """A table that is switched on, hands to work it, and one pair of eyes that looks inside."""

    def __init__(self, table: VirtualTable) -> None:
        self.table = table
        self._eyes = InsideLook()
        self._hands = Hands(table)

    async def do(self, text: str) -> None:
        for line in parse_play(text):
            await self._hands.do(line)

    def look(self) -> News:
        return self.look_again() or {}

    def look_again(self) -> News | None:
        now = asyncio.get_running_loop().time()
        return self._eyes.told(self._eyes.take_in(self.table, now))

    def export(self, name: str) -> bytes:
        _, remember = EXPORTS[name]
        file = io.BytesIO()
        remember(self.table, asyncio.get_running_loop().time())(file)
        return file.getvalue()


def visiting(state: Path, story: Callable[[Visit], Awaitable[None]], *settings: tuple[str, str]) -> None:
    async def main() -> None:
        scene = Scene.load(None, state)
        for key, value in settings:
            scene = scene.changed(key, value)
        table = VirtualTable(scene, seed=1)
        await table.power_on()
        try:
            await story(Visit(table))
        finally:
            await table.close()

    run(main)


def meanings(news: News) -> list[str]:
    return [piece["means"] for row in news.get("serial", []) for piece in row["pieces"]]


# what is told, and when


def test_the_first_look_tells_the_last_minute_and_each_later_one_what_is_new(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
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


def test_nothing_is_told_while_nothing_passes_and_time_stands_still(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        visit.look()
        assert visit.look_again() is None

    visiting(tmp_path, story)


def test_what_passes_in_the_very_instant_of_a_look_is_told_by_the_next(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        t = visit.look()["t"]
        visit.table.pi.button.close()
        news = visit.look()
        assert news["t"] == t
        assert news["edges"] == {"block_button": [(t, 0.0)]}

    visiting(tmp_path, story)


def test_every_bounce_of_a_switch_is_told_with_its_time(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        visit.look()
        await visit.do("press block\nwait 1")
        edges = visit.look()["edges"]["block_button"]
        assert edges == list(visit.table.pi.wires()["block_button"].timeline)[1:][-len(edges) :]
        assert len(edges) > 3
        assert min(b[0] - a[0] for a, b in pairwise(edges)) < 0.002

    visiting(tmp_path, story)


def test_the_wires_are_told_with_their_pins_and_anew_when_they_are_others(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        wires = {wire["name"]: wire["pin"] for wire in visit.look()["wires"]}
        assert wires["block_button"] == visit.table.config.block.button  # type: ignore[union-attr]
        await visit.do("config block.lamp 4\nwait 1\npress block\nwait 1")
        news = visit.look()
        assert {wire["name"]: wire["pin"] for wire in news["wires"]} == {**wires, "block_lamp": 4}
        assert news["edges"]["block_lamp"][-1][1] in (0.0, 1.0)
        await visit.do("insert left 1\nwait 1")
        assert f"card {DECK[0]}, checksum right" in meanings(visit.look()), "the new Pi's lines are listened to"

    visiting(tmp_path, story)


def test_a_power_cut_is_survived(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        visit.look()
        await visit.do("key GO\npower off")
        assert not any(row["is_bad"] for row in visit.look()["display"]), "what was written before the cut is told"
        await visit.do("wait 1")
        assert "display" not in visit.look(), "and nothing that a dying firmware still tries"
        await visit.do("power on")
        assert "clear" in [row["means"] for row in visit.look()["display"]]

    visiting(tmp_path, story)


def test_more_edges_than_are_told_at_once_leave_a_gap_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inside, "MOST_AT_ONCE", 10)

    async def story(visit: Visit) -> None:
        since = visit.look()["t"]
        line = visit.table.pi.wires()["block_button"]
        for level in (True, False) * 20:
            await asyncio.sleep(0.1)
            line.drive(level)
        gap, *edges = visit.look()["edges"]["block_button"]
        assert gap == (since, None)
        assert edges == line.timeline.since(line.timeline.end - 10)

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
    async def story(visit: Visit) -> None:
        visit.look()
        await visit.do("wait 1\ninsert left 1\nwait 2")
        news = visit.look()
        assert set(words) <= set(meanings(news))
        assert not any(piece["is_bad"] for row in news["serial"] for piece in row["pieces"])
        assert {row["by"] for row in news["serial"]} >= {"reader"}

    visiting(tmp_path, story, ("bank.left", slot))


def test_what_two_readers_say_is_told_in_the_order_in_which_they_said_it(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        visit.look()
        await visit.do("insert left 1\ninsert right 2\nwait 1")
        rows = visit.look()["serial"]
        assert [row["t"] for row in rows] == sorted(row["t"] for row in rows)
        assert {row["line"] for row in rows[-4:]} == {"left", "right"}

    visiting(tmp_path, story)


def test_noise_is_told_as_noise(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        await visit.do("fault noise left\nwait 20")
        kinds = {means.split(", ")[-1] for means in meanings(visit.look())}
        assert kinds == {"noise", "half a frame", "checksum wrong"}

    visiting(tmp_path, story)


def test_what_the_display_is_asked_for_is_told(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        visit.look()
        await visit.do("insert left 1\nwait 1")
        rows = visit.look()["display"]
        assert "set DDRAM 0x80" not in [row["means"] for row in rows]
        word = next(row for row in rows if row["is_data"])
        assert word["means"].startswith("write “+1 15M")
        assert word["taken"].startswith("2B 31 20 31 35 4D")
        assert len(word["bus"]) > len(word["taken"])
        await visit.do("fault display\ntype 1\nwait 1")
        assert "nobody answers at 0x27" in [row["means"] for row in visit.look()["display"]]

    visiting(tmp_path, story)


# the sound


def test_sound_is_told_in_peaks_at_the_time_it_was_heard(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        visit.look()
        begun = asyncio.get_running_loop().time()
        await visit.do("key GO\nwait 1")
        sound = visit.look()["sound"]
        assert begun <= sound[0][0] < begun + 0.3
        assert {len(tops) for _, tops in sound} == {2 * PEAKS_PER_BLOCK}
        assert all(low <= high for _, tops in sound for low, high in zip(tops[::2], tops[1::2], strict=True))
        assert max(max(tops) for _, tops in sound) > 1000
        assert "sound" not in visit.look()

    visiting(tmp_path, story)


def test_peaks_are_the_lowest_and_the_highest_sample() -> None:
    samples = [0] * 960
    samples[130], samples[131] = -700, 900
    raw = b"".join(sample.to_bytes(2, "little", signed=True) for sample in samples)
    assert list(peaks(raw)) == [0, 0, -700, 900, *[0] * 12]


# the ledger


def test_the_ledgers_last_rows_stand_as_they_are_in_the_file(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        await visit.do("insert left 1\ntype 1.5M\nwait 1\nkey C\nwait 1")
        told = last_rows(tmp_path / LEDGER_FILE)
        undone, received, start = (dict(zip(told["columns"], row, strict=True)) for row in told["rows"])
        assert (start["from"], start["to"], start["amount"], start["reason"]) == (0, 1, 15_000_000, "start")
        assert (received["amount"], received["reason"], received["undoes"]) == (1_500_000, "received", None)
        assert (undone["from"], undone["undoes"], undone["reason"]) == (1, received["id"], "undo")
        assert len({undone["press"], received["press"], start["press"]}) == 3
        assert told["problem"] is None

    visiting(tmp_path, story)


@pytest.mark.parametrize("fault", ["disk full", "disk read-only", "disk failing", "disk slow"])
def test_the_ledger_can_be_read_whatever_ails_the_disk_and_the_table_does_not_wait(tmp_path: Path, fault: str) -> None:
    async def story(visit: Visit) -> None:
        await visit.do(f"insert left 1\nwait 1\nfault {fault}\ntype 1.5M\nwait 0.1")
        told = last_rows(tmp_path / LEDGER_FILE)
        assert told["problem"] is None
        assert told["rows"][-1][4] == 15_000_000

    visiting(tmp_path, story)


def test_a_ledger_that_cannot_be_read_is_told_in_words(tmp_path: Path) -> None:
    file = tmp_path / LEDGER_FILE
    assert last_rows(file)["problem"] == "there is no ledger yet: it begins with the first game"
    file.write_bytes(b"no database" * 1000)
    told = last_rows(file)
    assert told["rows"] == []
    assert "damaged" in told["problem"]
    file.unlink()
    sqlite3.connect(file).close()
    file.write_bytes(b"")
    assert last_rows(file)["problem"]


# what can be kept


def test_the_pins_are_kept_as_a_vcd_with_every_edge_to_the_microsecond(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
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


def test_the_sound_is_kept_as_a_wav(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        visit.table.sound_card.keep_s = 5.0
        await visit.do("key GO\nwait 20\nkey GO\nwait 2")
        with wave.open(io.BytesIO(visit.export("sound.wav"))) as wav:
            assert (wav.getnchannels(), wav.getsampwidth(), wav.getframerate()) == (1, 2, 48_000)
            assert wav.getnframes() == 5 * 48_000
            samples = wav.readframes(5 * 48_000)
        first = next(place for place, byte in enumerate(samples) if byte) / 2 / 48_000
        assert 2.7 < first < 3.0

    visiting(tmp_path, story)


def test_the_events_are_kept_one_a_line(tmp_path: Path) -> None:
    async def story(visit: Visit) -> None:
        await visit.do("press block\nwait 1")
        lines = visit.export("events.jsonl").decode().splitlines()
        assert [json.loads(line) for line in lines] == [told for _, told in visit.table.log.since(0)]

    visiting(tmp_path, story)
