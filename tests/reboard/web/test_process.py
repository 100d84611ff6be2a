"""`reboard page` as a process."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from reboard.cli import main
from reboard.config.host_pin import HostPin
from reboard.web.http_server import listening
from tests.fake_systemd import Systemd
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime

PIN = HostPin.of("4711")


def command(folder: Path, listen: str) -> list[str]:
    config = folder / "table.toml"
    config.write_text(f'[block]\nbutton = 17\n[state]\ndirectory = "state"\n[page]\npin = "{PIN}"\n')
    return [sys.executable, "-m", "reboard", "page", "-c", str(config), "--listen", listen]


@contextmanager
def page_process(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    with listening("127.0.0.1", 0, option="--listen") as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(command(folder, f"127.0.0.1:{port}"), stderr=subprocess.PIPE, text=True)
    timeout = threading.Timer(PATIENCE_S, process.kill)
    timeout.start()
    try:
        assert process.stderr
        assert str(port) in process.stderr.readline()
        yield process, port
    finally:
        timeout.cancel()
        process.kill()
        process.communicate()


def status_of(arguments: list[str]) -> object:
    """Run a command that fails, in this process."""
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_tells_systemd_its_address_and_a_signal_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with closing(Systemd(str(tmp_path / "notify"))) as systemd, page_process(tmp_path) as (process, port):
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as browser:
            browser.request("GET", "/api/events")
            answer = browser.getresponse()
            assert answer.readline() == b"event: welcome\n"
            assert systemd.told() == [f"READY=1\nSTATUS=The table page is listening at 127.0.0.1:{port}."]
            assert status_of(command(tmp_path, f"127.0.0.1:{port}")[3:]) == 1
            assert f"127.0.0.1:{port} " in capsys.readouterr().err
            process.send_signal(number)
            while answer.readline():
                pass
        assert process.wait() == 0
        assert process.stderr
        assert "Traceback" not in process.stderr.read()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux counts stacks towards RLIMIT_DATA")
def test_the_host_signs_in_beside_many_requests_with_little_memory(tmp_path: Path) -> None:
    import resource

    def read(port: int) -> set[int]:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as browser:
            return {browser.get("/api/invitation").status_code for _ in range(8)}

    with page_process(tmp_path) as (process, port), ThreadPoolExecutor(60) as browsers:
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (200_000_000, 200_000_000))
        reading = [browsers.submit(read, port) for _ in range(60)]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as phone:
            answers = [phone.post("/api/host/session", json={"pin": "4711"}).status_code for _ in range(4)]
        assert answers == [204] * 4
        assert {status for each in reading for status in each.result()} == {200}


@pytest.mark.parametrize("listen", ["127.0.0.1", "127.0.0.1:99999"])
def test_a_wrong_address_exits_with_2(tmp_path: Path, listen: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(command(tmp_path, listen)[3:]) == 2
    assert "--listen must be an address and a port" in capsys.readouterr().err
