"""Whatever hands do at a bench, the play that it was recorded as does the same again, to the microsecond."""

from __future__ import annotations

import io
import json
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reboard_sim.accessories.accessory import faults
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.plays.play_command import PASSED, play_file
from reboard_sim.scene import Scene

pytestmark = pytest.mark.realtime

PATIENCE_S = 30.0

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


def exported(table: TableThread, name: str) -> str:
    file = io.BytesIO()
    table.export(name, file)
    return file.getvalue().decode()


def told_in(lines: str) -> list[Any]:
    """Events, wherever the ledger lies."""
    return [json.loads(re.sub(r"/\S+/(?=ledger\.db)", "", line)) for line in lines.splitlines()]


def worked(table: TableThread, hands: Sequence[Sequence[str]], called_off_after_s: float) -> None:
    """Do what each hand is given, at the same time as the others; the last hand leaves off in the middle."""
    table.choose_pace(0).result(PATIENCE_S)
    for name, lines in enumerate(hands[:-1]):
        for line in lines:
            table.do([line], f"hand {name}").result(PATIENCE_S)
    table.choose_pace("fast").result(PATIENCE_S)
    leaving_off = table.do(list(hands[-1]))
    time.sleep(called_off_after_s)
    leaving_off.cancel()
    for name, _ in enumerate(hands):
        table.do(["wait 0.5"], f"hand {name}").result(PATIENCE_S)


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hands=EVENINGS, seed=st.integers(0, 999), called_off_after_s=st.sampled_from([0.0, 0.002, 0.03]))
def test_the_play_of_any_session_does_the_same_and_finds_the_same(
    hands: list[list[str]], seed: int, called_off_after_s: float, capsys: pytest.CaptureFixture[str]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        table = TableThread(Scene.load(None, Path(place)), seed=seed)
        try:
            worked(table, hands, called_off_after_s)
            table.choose_pace(0).result(PATIENCE_S)
            play, events = exported(table, "session.play"), exported(table, "events.jsonl")
        finally:
            table.close()
        file = Path(place) / "session.play"
        file.write_text(play)
        capsys.readouterr()
        status = play_file(file, as_json=True)
        said = capsys.readouterr()
    assert status == PASSED, f"{said.err}\n{play}"
    assert told_in(said.out) == told_in(events), play
