from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reboard.errors import GivenUpError
from reboard.failed_starts import COUNT_NAME, STEADY_S, paused_after_failures
from reboard_sim.virtual_time import run
from tests.fake_systemd import Systemd


@pytest.fixture(autouse=True)
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Systemd]:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with closing(Systemd(str(tmp_path / "notify"))) as systemd:
        yield systemd


async def life(directory: Path | None, *, seconds: float = 0.0, fails: bool = False) -> float:
    """One process; returns how long it waited before it did anything."""
    clock = asyncio.get_running_loop().time
    begun = clock()
    waited = -1.0
    try:
        async with paused_after_failures(directory):
            waited = clock() - begun
            await asyncio.sleep(seconds)
            if fails:
                raise OSError("it broke")
    except OSError:
        pass
    return waited


def test_the_pauses_between_failures_grow_to_half_a_minute(tmp_path: Path) -> None:
    async def main() -> list[float]:
        return [round(await life(tmp_path, fails=True), 3) for _ in range(6)]

    assert run(main) == [0, 2, 4, 8, 16, 32]


def test_after_six_failures_it_is_given_up_and_whoever_tries_again_begins_anew(tmp_path: Path) -> None:
    async def main() -> None:
        for _ in range(6):
            await life(tmp_path, fails=True)
        with pytest.raises(GivenUpError, match="failed 6 times in a row, and is tried no more"):
            await life(tmp_path)
        assert await life(tmp_path) == 0

    run(main)


def test_a_life_that_nobody_saw_the_end_of_is_a_failure_too(tmp_path: Path) -> None:
    async def main() -> None:
        async with paused_after_failures(tmp_path):
            count = (tmp_path / COUNT_NAME).read_text()
        (tmp_path / COUNT_NAME).write_text(count)  # as if it had been killed in there
        assert await life(tmp_path) == pytest.approx(2)

    run(main)


@pytest.mark.parametrize("seconds", [0.0, STEADY_S + 1])
def test_after_a_life_that_went_well_nothing_is_waited_for(tmp_path: Path, seconds: float) -> None:
    async def main() -> None:
        await life(tmp_path, fails=True)
        await life(tmp_path, seconds=seconds, fails=seconds > 0)
        assert await life(tmp_path) == 0

    run(main)


def test_one_who_is_told_to_stop_has_not_failed(tmp_path: Path) -> None:
    async def main() -> None:
        await life(tmp_path, fails=True)
        pausing = asyncio.create_task(life(tmp_path))
        await asyncio.sleep(1)
        pausing.cancel()
        await asyncio.wait({pausing})
        assert await life(tmp_path) == 0

    run(main)


def test_systemd_is_told_why_nothing_happens_and_to_be_patient(tmp_path: Path, systemd: Systemd) -> None:
    async def main() -> None:
        await life(tmp_path, fails=True)
        assert systemd.told() == []
        await life(tmp_path, fails=True)
        await life(tmp_path)

    run(main)
    assert systemd.told() == [
        "STATUS=The table failed once, and is tried again in 2 s.\nEXTEND_TIMEOUT_USEC=92000000",
        "STATUS=The table failed 2 times, and is tried again in 4 s.\nEXTEND_TIMEOUT_USEC=94000000",
    ]


@pytest.mark.parametrize("count", ["", "many", "-3", "9" * 5000])
def test_a_count_that_is_none_keeps_nobody_waiting_for_long(tmp_path: Path, count: str) -> None:
    (tmp_path / COUNT_NAME).write_text(count)
    assert run(lambda: life(tmp_path)) == 0


def test_without_systemd_nothing_is_counted() -> None:
    async def main() -> None:
        await life(None, fails=True)
        assert await life(None) == 0

    run(main)
