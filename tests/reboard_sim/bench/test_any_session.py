"""Whatever users do at a bench, the play of the session does the same again, to the microsecond."""

from __future__ import annotations

import asyncio
import io
import json
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reboard_sim.accessories.installed import faults
from reboard_sim.bench import pace
from reboard_sim.bench.bench_acts import ReplacedError, Setup
from reboard_sim.bench.pace import Pacing
from reboard_sim.bench.stage import Stage
from reboard_sim.plays.play_command import PASSED, play_file
from reboard_sim.scene import Scene
from reboard_sim.session import exports
from reboard_sim.virtual_time import VirtualTimeLoop, run


def on_a_stage(state: Path, scenario: Callable[[Stage, Pacing], Awaitable[None]], *, seed: int = 1) -> None:
    """Run *scenario* without real time, also while the user holds something."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        pacing = Pacing(loop, lambda: False, "fast")
        stage = Stage(Scene.load(None, state), seed=seed, pacing=pacing, socket=None)
        await stage.begin()
        try:
            await scenario(stage, pacing)
        finally:
            await stage.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pace, "FAST", pace.AT_ONCE)
        run(main)


def done_at(stage: Stage) -> list[str]:
    """Return what was done since the table was switched on."""
    acts = [act.text for act in stage.table.done.acts]
    return acts[acts.index("power on") + 1 :]


def test_another_setup_cancels_the_lines_of_the_one_before(tmp_path: Path) -> None:
    async def scenario(stage: Stage, pacing: Pacing) -> None:
        lines = ["insert left 1", "wait 100", "press block", "wait 100", "remove left"]
        first = asyncio.create_task(stage.load(Setup("classic-de"), 1, lines))
        await asyncio.sleep(50)
        assert done_at(stage) == ["insert left 1"]
        await stage.load(Setup("nintendo"), 1, [])
        with pytest.raises(ReplacedError):
            await first
        assert (stage.table.config.edition, done_at(stage)) == ("nintendo", [])

    on_a_stage(tmp_path, scenario)


KEYS = st.sampled_from([*"0123456789.KMC", "GO", "DEAL"])
SLOTS = st.sampled_from(["left", "right"])
CARDS = st.sampled_from([*"12345678", "tag 62E3086CED"])
SECONDS = st.sampled_from(["0.0005", "0.05", "0.08", "0.7", "1.6", "3.2"])
LINES = st.one_of(
    st.builds("insert {} {}".format, SLOTS, CARDS),
    st.builds("remove {}".format, SLOTS),
    st.builds("type {}".format, st.sampled_from(["1.5M", "200K", "25"])),
    st.builds("key {}".format, KEYS),
    st.builds("hold {} {}".format, KEYS, SECONDS),
    st.builds("hold {}".format, KEYS),
    st.builds("release {}".format, KEYS),
    st.builds("press block {}".format, SECONDS),
    st.builds("{} block".format, st.sampled_from(["hold", "release"])),
    st.builds("{} lever".format, st.sampled_from(["pull", "release"])),
    st.builds("wait {}".format, SECONDS),
    st.builds("wait until {} within 20".format, st.sampled_from(["block.outcome", "deal.tick", "apple.stopped"])),
    st.builds("{} {}".format, st.sampled_from(["fault", "mend"]), st.sampled_from(sorted(faults()))),
    st.builds("power {}".format, st.sampled_from(["off", "on"])),
    st.builds("seed {}".format, st.integers(0, 99)),
    st.sampled_from(
        [
            "config block.quiet true",
            "config bank.cards []",
            "config apple.seconds 1",
            'config bank.left \'{ reader = "id12", port = "/dev/left" }\'',
            "edition classic-de",
            "edition world",
            "meanwhile type 12M",
            "meanwhile press block 3 # by somebody else",
            "expect lamp off",
            "expect not motor on",
        ]
    ),
)
EVENINGS = st.lists(st.lists(LINES, min_size=1, max_size=8), min_size=1, max_size=3)


def exported(stage: Stage, name: str) -> str:
    file = io.BytesIO()
    exports()[name][1](stage.table, asyncio.get_running_loop().time())(file)
    return file.getvalue().decode()


def events_in(lines: str) -> list[Any]:
    """Return events. The directory of the ledger does not matter."""
    return [json.loads(re.sub(r"/\S+/(?=ledger\.db)", "", line)) for line in lines.splitlines()]


@settings(max_examples=10, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hands=EVENINGS, seed=st.integers(0, 999), cancelled_after_s=st.sampled_from([0.0, 0.0123456789, 0.5, 2.001]))
def test_the_play_of_any_session_does_the_same_and_finds_the_same(
    hands: list[list[str]], seed: int, cancelled_after_s: float, capsys: pytest.CaptureFixture[str]
) -> None:
    files: list[str] = []

    async def scenario(stage: Stage, pacing: Pacing) -> None:
        """All users work at the same time, and the last one is cancelled while something is held."""
        pacing.choose(0)
        for name, lines in enumerate(hands[:-1]):
            for line in lines:
                await stage.do([line], f"hand {name}")
        pacing.choose("fast")
        last = asyncio.create_task(stage.do(["pull lever", *hands[-1], "wait 3.2"], ""))
        await asyncio.sleep(cancelled_after_s)
        last.cancel()
        for name, _ in enumerate(hands):
            await stage.do(["wait 0.5"], f"hand {name}")
        pacing.choose(0)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        await loop.come_last()
        files.extend(exported(stage, name) for name in ("session.play", "events.jsonl"))

    with tempfile.TemporaryDirectory() as place:
        on_a_stage(Path(place), scenario, seed=seed)
        [play, events] = files
        file = Path(place) / "session.play"
        file.write_text(play)
        capsys.readouterr()
        status = play_file(file, as_json=True)
        said = capsys.readouterr()
    assert status == PASSED, f"{said.err}\n{play}"
    assert events_in(said.out) == events_in(events), play
