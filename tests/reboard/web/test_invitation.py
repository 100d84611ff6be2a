"""To which address other devices are invited, and its code in a terminal."""

from __future__ import annotations

import io
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer

import numpy as np
import pytest
import zxingcpp

from reboard.config.pins_and_ports import Listen
from reboard.web import invitation as module
from reboard.web.invitation import Invitation, invitation, invitation_text

EVERYWHERE, HERE = "0.0.0.0", "127.0.0.1"
NUMBER = "http://192.168.1.7:8080"


class Avahi(StreamRequestHandler):
    """Knows ``table.local``, which is this machine, and ``other.local``, which is not."""

    renamed = ""

    def handle(self) -> None:
        question, name = self.rfile.readline().decode().split()
        address = {"table.local": HERE, "other.local": "192.0.2.99"}.get(name)
        answer = f"+ 2 0 {name} {address}" if address else "-15 Timeout reached"
        if question == "RESOLVE-ADDRESS" and self.renamed:
            answer = f"+ 2 0 {self.renamed}"
        self.wfile.write(f"{answer}\n".encode())


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine in a network, with avahi."""
    monkeypatch.setattr(module, "AVAHI", str(tmp_path / "avahi"))
    monkeypatch.setattr(module, "_routed", lambda: "192.168.1.7")
    monkeypatch.setattr(socket, "gethostname", lambda: "Table.lan")
    with ThreadingUnixStreamServer(str(tmp_path / "avahi"), Avahi) as avahi:
        threading.Thread(target=avahi.serve_forever).start()
        yield
        avahi.shutdown()


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("listens", "came_by", "url", "ip_url"),
    [
        (EVERYWHERE, "", "http://table.local:8080", NUMBER),
        ("::", "localhost:8080", "http://table.local:8080", NUMBER),
        (EVERYWHERE, "[::1]:8080", "http://table.local:8080", NUMBER),
        (EVERYWHERE, "table:8080", "http://table.local:8080", NUMBER),
        (EVERYWHERE, "table.home.arpa:8080", "http://table.home.arpa:8080", NUMBER),
        (EVERYWHERE, "table.lan", "http://table.lan", ""),  # through a proxy
        (EVERYWHERE, "10.1.2.3:8080", "http://10.1.2.3:8080", ""),
        (EVERYWHERE, "[fd00::2]:8080", "http://[fd00::2]:8080", ""),
        ("other.local", "localhost:8080", "http://other.local:8080", ""),
        ("192.168.5.5", "localhost:8080", "http://192.168.5.5:8080", ""),
        (HERE, "10.1.2.3:8080", "http://10.1.2.3:8080", ""),
    ],
)
def test_others_are_invited_to_an_address_that_they_can_reach(
    listens: str, came_by: str, url: str, ip_url: str
) -> None:
    assert invitation(Listen(listens, 8080), came_by) == Invitation(url, ip_url)


@pytest.mark.realtime
def test_a_page_behind_a_proxy_with_tls_invites_to_its_address() -> None:
    here = Listen(HERE, 8080)
    assert invitation(here, "table.example", "https") == Invitation("https://table.example")
    assert invitation(here, "table.example:8443", "https") == Invitation("https://table.example:8443")
    assert invitation(here, "192.168.1.7", "https") == Invitation("https://192.168.1.7")
    assert invitation(Listen(EVERYWHERE, 8080), "localhost", "https") == Invitation("http://table.local:8080", NUMBER)


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("renamed", "url"), [("table-2.local", "http://table-2.local:8080"), ("evil.local", "http://table.local:8080")]
)
def test_a_machine_that_avahi_renamed_has_its_new_name(monkeypatch: pytest.MonkeyPatch, renamed: str, url: str) -> None:
    monkeypatch.setattr(Avahi, "renamed", renamed)
    assert invitation(Listen(EVERYWHERE, 8080)) == Invitation(url, NUMBER)


@pytest.mark.realtime
@pytest.mark.parametrize(
    "came_by", ["", "localhost:8080", "127.0.0.1:8080", "table", "table.local:x", "[::1", "0.0.0.0"]
)
def test_nobody_is_invited_to_a_page_that_only_this_machine_can_open(came_by: str) -> None:
    assert invitation(Listen(HERE, 8080), came_by) is None
    assert invitation(Listen("::1", 8080), came_by) is None


@pytest.mark.realtime
@pytest.mark.parametrize("name", ["other", "unknown"])
def test_without_a_name_of_its_own_the_machine_has_a_number_and_without_a_network_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    assert invitation(Listen(EVERYWHERE, 8080)) == Invitation(NUMBER)
    monkeypatch.setattr(module, "AVAHI", "/nowhere")
    assert invitation(Listen(EVERYWHERE, 8080)) == Invitation(NUMBER)
    monkeypatch.setattr(module, "_routed", lambda: "")
    assert invitation(Listen(EVERYWHERE, 8080)) is None


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def pixels(lines: list[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A picture of the half-block characters, white on black."""
    halves = {"█": (255, 255), "▀": (255, 0), "▄": (0, 255), " ": (0, 0)}
    rows = [[halves[block][half] for block in line] for line in lines for half in (0, 1)]
    return np.array(rows, np.uint8).repeat(8, axis=0).repeat(8, axis=1)


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("columns", "encoding", "has_code"), [(80, "utf-8", True), (32, "utf-8", False), (80, "ascii", False)]
)
def test_a_terminal_shows_the_code_if_it_can(
    monkeypatch: pytest.MonkeyPatch, columns: int, encoding: str, has_code: bool
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    with closing(Terminal(io.BytesIO(), encoding)) as terminal:
        *code, sentence = invitation_text(Listen(EVERYWHERE, 8080), terminal).splitlines()
    assert "http://table.local:8080" in sentence
    assert NUMBER in sentence
    assert bool(code) == has_code
    if code:
        blocks = [line.split("m", 1)[1].removesuffix("\x1b[0m") for line in code]
        assert [found.text for found in zxingcpp.read_barcodes(pixels(blocks))] == ["http://table.local:8080"]
    with Path(os.devnull).open("w") as no_terminal:
        assert len(invitation_text(Listen(EVERYWHERE, 8080), no_terminal).splitlines()) == 1
