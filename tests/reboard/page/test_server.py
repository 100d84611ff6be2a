from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.fake_systemd import Systemd
from tests.reboard.page.running_page import RunningPage

pytestmark = pytest.mark.realtime


@pytest.fixture
def page(tmp_path: Path) -> Iterator[RunningPage]:
    with closing(RunningPage(tmp_path)) as page:
        yield page


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_page_cleanly_though_browsers_listen(page: RunningPage, number: int) -> None:
    assert page.said == f"the table page is at http://127.0.0.1:{page.port}\n"
    with closing(page.connection()) as browser:
        browser.request("GET", "/api/events")
        answer = browser.getresponse()
        assert answer.readline() == b"event: connection\n"
        page.process.send_signal(number)
        while answer.readline():
            pass
    assert page.process.wait() == 0
    assert page.process.stderr
    assert "Traceback" not in page.process.stderr.read()


def test_systemd_is_told_when_the_page_answers_and_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with closing(Systemd(str(tmp_path / "notify"))) as systemd, closing(RunningPage(tmp_path)) as page:
        with closing(page.connection()) as browser:
            browser.request("GET", "/api/table")
            browser.getresponse().read()
        assert systemd.told() == [f"READY=1\nSTATUS=The table page listens at 127.0.0.1:{page.port}."]


def test_a_port_that_is_taken_is_told_in_a_sentence(page: RunningPage) -> None:
    page.connection().close()
    second = subprocess.run(
        [sys.executable, "-m", "reboard", "page", "-c", str(page.config), "--listen", f"127.0.0.1:{page.port}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert second.returncode == 1
    taken = f"reboard: 127.0.0.1:{page.port} is taken by another program; choose another port with --listen\n"
    assert second.stderr == taken


@pytest.mark.parametrize("listen", ["here", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:x"])
def test_an_address_that_is_none_exits_with_2(tmp_path: Path, listen: str) -> None:
    config = tmp_path / "table.toml"
    config.write_text("[block]\nbutton = 17\n")
    page = subprocess.run(
        [sys.executable, "-m", "reboard", "page", "-c", str(config), "--listen", listen],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert page.returncode == 2
    assert "--listen must be an address and a port" in page.stderr
