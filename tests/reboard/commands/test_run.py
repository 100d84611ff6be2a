from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reboard.commands import run as module
from reboard.commands.run import run
from reboard.errors import StateError
from reboard.events import Events
from reboard.settings.state_directory import LAST_GOOD_NAME
from reboard_sim import virtual_time

CONFIG = """
[speaker]
library = "silent"
[state]
directory = "state"
[block]
button = 4
"""


def test_every_event_of_a_table_comes_from_its_loop_the_greeting_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG)
    heard: list[tuple[object, threading.Thread]] = []

    @contextmanager
    def noting(events: Events) -> Iterator[None]:
        events.listen(lambda event: heard.append((event.fields.get("name"), threading.current_thread())))
        yield

    async def main() -> None:
        # the virtual clock would jump over what comes from outside the loop
        asyncio.get_running_loop().call_later(2, signal.raise_signal, signal.SIGTERM)
        await run(config, as_json=True)

    monkeypatch.setattr(module, "event_lines", noting)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    virtual_time.run(main)
    assert "ready" in [name for name, _ in heard]
    assert {thread for _, thread in heard} == {threading.current_thread()}
    assert (tmp_path / "state" / LAST_GOOD_NAME).read_text() == CONFIG


@pytest.mark.parametrize("why", ["Not a directory", "you may not write there"])
def test_a_state_directory_that_cannot_be_used_is_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG)
    if why == "Not a directory":
        (tmp_path / "state").write_text("a file")
        config.write_text(CONFIG.replace('"state"', '"state/of/the/table"'))
    else:
        monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(StateError, match=rf"cannot be kept in {tmp_path}/state.*: {why}. .*sudo install -d -o \$USER"):
        virtual_time.run(lambda: run(config, as_json=False))
