"""The command ``reboard-sim hall``: a hall's page with virtual tables where families play."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import webbrowser
from contextlib import ExitStack
from itertools import cycle
from multiprocessing.connection import Connection, wait
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from reboard.config.mqtt import BrokerAddress
from reboard.editions.edition import editions_in_the_box, load_edition
from reboard.errors import ReboardError
from reboard.web.http_server import listening
from reboard_sim.hall.family import family_names
from reboard_sim.hall.local_broker import LOCALHOST, local_broker
from reboard_sim.hall.table_group import MOST_TABLES, TableGroup, TablePlan
from reboard_sim.scene import state_directory

LOOK_S = 0.2
HALL_STARTED_S = 60.0


def play_hall(
    tables: int,
    *,
    pace: float,
    broker: BrokerAddress | None,
    edition: str | None,
    state: Path | None,
    seed: int,
    port: int,
    lan: bool,
    headless: bool,
) -> None:
    """Serve a hall with this number of *tables* until Ctrl-C, which raises ``KeyboardInterrupt``, or SIGTERM.

    Without *broker*, start one. *port* is that of the hall's page, or 0 for any free one. Raises `ReboardError` if
    something does not start, or stops.
    """
    host = "0.0.0.0" if lan else LOCALHOST
    # checked before the processes start, because each of them would report it with a traceback
    with listening(host, port, option="--port") as taken:
        port = taken.getsockname()[1]
    if edition:
        load_edition(edition)
    with ExitStack() as opened:
        state = state_directory(state or Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="reboard-"))))
        processes: dict[str, subprocess.Popen[bytes]] = {}
        if broker is None:
            broker, processes["the broker"] = opened.enter_context(local_broker(state))
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)  # so that no process is left over
        command = ["--broker", broker.host, "--port", str(broker.port), "--listen", f"{host}:{port}"]
        hall = subprocess.Popen(
            [sys.executable, "-m", "reboard", "hall", *command, "--store", str(state / "hall.sqlite")], process_group=0
        )
        processes["the hall"] = hall
        opened.callback(hall.wait)
        opened.callback(hall.terminate)
        groups = [
            opened.enter_context(group.playing()) for group in _groups(tables, pace, broker, edition, state, seed)
        ]
        url = f"http://{LOCALHOST}:{port}/"
        _wait_for(url, hall)
        print(f"The hall is at {url}, the broker at {broker} (seed {seed}). Press Ctrl-C to stop it.", flush=True)
        if not headless:
            webbrowser.open(url)
        playing = 0
        for group in groups:
            playing += _answer(group)
        print(f"{playing} {'table plays' if playing == 1 else 'tables play'} at pace {pace:g}.", flush=True)
        while not wait(groups, LOOK_S):
            for name, process in processes.items():
                if process.poll() is not None:
                    raise ReboardError(f"{name} has ended with exit code {process.returncode}")
        raise ReboardError("some of the tables have stopped, see above")


def _groups(
    tables: int, pace: float, broker: BrokerAddress, edition: str | None, state: Path, seed: int
) -> list[TableGroup]:
    """Return groups of equal size: at least one for each processor, and none with more than `MOST_TABLES`."""
    boxes = [edition] if edition else [box.name for box in editions_in_the_box() if "/" not in box.name]
    plans = [
        TablePlan(f"table-{number}", box, seed + number, family_names(number, seed))
        for number, box in zip(range(1, tables + 1), cycle(boxes))
    ]
    count = max(min(os.cpu_count() or 1, tables), -(-tables // MOST_TABLES))
    return [TableGroup(plans[first::count], state, pace, broker) for first in range(count)]


def _wait_for(url: str, hall: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + HALL_STARTED_S
    while True:
        try:
            urlopen(url, timeout=1).close()
        except (URLError, TimeoutError):
            if hall.poll() is not None or time.monotonic() > end:
                raise ReboardError("the hall does not start, see above") from None
            time.sleep(LOOK_S)
        else:
            return


def _answer(group: Connection) -> int:
    try:
        return int(group.recv())
    except EOFError:
        raise ReboardError("some of the tables do not start, see above") from None
