"""The page behind nginx and Caddy, as docs/http.md sets them up, and behind nginx with its defaults."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from reboard.table_config import TableConfig, parse_config
from reboard.web.rate_limit import GUESSES
from tests.mosquitto import free_port
from tests.reboard.web.app_client import PIN
from tests.reboard.web.conftest import PHONE
from tests.reboard.web.fake_table import PLAYS
from tests.reboard.web.served_page import ServedPage
from tests.reboard.web.test_players import ASK
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

SECTION = (Path(__file__).parents[3] / "docs" / "http.md").read_text("utf-8").partition("## Behind a reverse proxy")[2]
CONFIG, NGINX, CADDYFILE = re.findall(r"^```\w+ title=.*?\n(.*?)^```", SECTION, re.DOTALL | re.MULTILINE)[:3]
NAME = "table.example.org"
DEFAULTS = re.sub(r" *proxy_set_header .*\n", "", NGINX).replace("location /", "gzip on; gzip_types *; location /")
"""nginx speaks HTTP/1.0 to the page and passes on no name."""

AROUND_NGINX = """
pid nginx.pid;
error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path .; proxy_temp_path .; fastcgi_temp_path .; uwsgi_temp_path .; scgi_temp_path .;
  {server}
}}
"""
AROUND_CADDY = "{{\nadmin off\nauto_https disable_redirects\nskip_install_trust\nhttps_port {port}\n}}\n{site}"


def page_config() -> TableConfig:
    return parse_config(tomllib.loads(f"[block]\nbutton = 17\n{CONFIG}"), path=Path("table.toml"))


@contextmanager
def proxied(folder: Path, program: str, text: str, page: str) -> Iterator[str]:
    """Run a proxy with the documented configuration in front of *page*. Yield its address."""
    found = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        pytest.skip(f"{program} is not installed")
    port = free_port()
    text = text.replace("127.0.0.1:8080", page)
    if program == "nginx":
        subject = ["-subj", "/CN=table", "-keyout", "table.key", "-out", "table.crt", "-days", "2"]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject],
            cwd=folder, check=True, capture_output=True,
        )  # fmt: skip
        server = re.sub(r"/etc/ssl/\w+/", f"{folder}/", text).replace("listen 443", f"listen 127.0.0.1:{port}")
        (folder / "nginx.conf").write_text(AROUND_NGINX.format(server=server))
        command = [found, "-p", str(folder), "-c", "nginx.conf", "-g", "daemon off;"]
    else:
        site = text.replace("reverse_proxy", "tls internal\n    reverse_proxy")  # no certificate from the internet
        (folder / "Caddyfile").write_text(AROUND_CADDY.format(port=port, site=site))
        command = [found, "run", "--config", "Caddyfile", "--adapter", "caddyfile"]
    places = {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "HOME": str(folder)}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env={**os.environ, **places}, stderr=log)
    try:
        eventually(lambda: answers(port), f"{program} answers: {(folder / 'log').read_text()}")
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def answers(port: int) -> bool:
    with browser_of(f"127.0.0.1:{port}") as browser:
        try:
            return browser.get("/api/host").is_success
        except httpx.TransportError:
            return False


def browser_of(address: str) -> httpx.Client:
    """Return a browser that has opened the page under its name."""
    port = address.rpartition(":")[2]
    headers = {"host": f"{NAME}:{port}", "accept-encoding": "gzip", "x-forwarded-for": "10.9.9.9"}
    client = httpx.Client(base_url=f"https://{address}", verify=False, headers=headers, timeout=PATIENCE_S)
    client.event_hooks["request"] = [lambda request: request.extensions.update(sni_hostname=NAME)]
    return client


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServedPage]:
    page = page_config().page
    assert page
    assert page.names == (NAME,)
    with ServedPage(tmp_path, pin=PIN, players_ask=True, names=page.names, proxy=page.proxy) as server:
        yield server


@pytest.mark.parametrize(
    ("program", "text"),
    [("nginx", NGINX), ("nginx", DEFAULTS), ("caddy", CADDYFILE)],
    ids=["nginx", "defaults", "caddy"],
)
def test_events_come_at_once_and_players_and_the_host_can_act(
    tmp_path: Path, server: ServedPage, program: str, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "reboard.web")
    with proxied(tmp_path, program, text, server.address) as address, browser_of(address) as browser:
        origin = f"https://{NAME}:{address.rpartition(':')[2]}"
        own = {"origin": origin}
        if text == DEFAULTS:
            own["sec-fetch-site"] = "same-origin"  # as every browser of today adds over HTTPS
            del browser.headers["x-forwarded-for"]
        with browser.stream("GET", "/api/events") as stream:
            lines = stream.iter_lines()
            for number in range(3):
                server.emit_with("lamp", {"device": f"lamp {number}", "on": True})
                assert any(f"lamp {number}" in line for line in lines if line.startswith("data: "))
        server.table.answer = {"state": "asked"}
        assert browser.post("/api/ask", json=ASK, headers=own).json() == {"ok": {"state": "asked"}}
        foreign = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
        assert browser.post("/api/ask", json=ASK, headers=foreign).status_code == 403
        if text != DEFAULTS:
            assert browser.get("/api/invitation").json()["url"] == origin
        pins = ["4711"] + ["0000"] * GUESSES.free + ["4711"]
        answered = [browser.post("/api/host/session", json={"pin": pin}, headers=own).status_code for pin in pins]
        assert answered == [204] + [403] * GUESSES.free + [429]
        assert caplog.text.count("wrong PIN from a browser at 127.0.0.1\n") == GUESSES.free


@pytest.mark.parametrize("text", [NGINX, DEFAULTS], ids=["nginx", "defaults"])
def test_a_phone_follows_and_pays_over_https(tmp_path: Path, server: ServedPage, browser: Browser, text: str) -> None:
    with proxied(tmp_path, "nginx", text, server.address) as address:
        page = browser.new_context(**PHONE, ignore_https_errors=True).new_page()
        page.goto(f"https://{address}/")
        expect(page.locator("body")).to_have_attribute("data-connection", "live")
        cards = [{"number": 1, "balance": 1, "shown": "1K", "name": "", **PLAYS}]
        server.emit("deal.cancelled", cards=cards)
        expect(page.locator("#cards .balance")).to_have_text(["1K"])
        page.get_by_role("button", name="I am card 1").click()
        page.locator("#pay-salary").click()
        eventually(
            lambda: [name for name, _ in server.table.requests] == ["join", "ask_payment"], "the phone asks", page
        )
        expect(page.locator("#pay-problem")).to_be_hidden()
        page.context.close()


def test_only_the_named_proxy_chooses_the_address(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "reboard.web")
    for proxy, expected in ((None, "127.0.0.1"), ("127.0.0.1", "10.0.0.7"), ("10.0.0.1", "127.0.0.1")):
        folder = tmp_path / str(proxy)
        folder.mkdir()
        with ServedPage(folder, pin=PIN, proxy=proxy) as page, httpx.Client(timeout=PATIENCE_S) as phone:
            for sent, seen in (("10.0.0.7", expected), ("nonsense", "::" if expected == "10.0.0.7" else expected)):
                caplog.clear()
                guess, headers = {"pin": "0000"}, {"x-forwarded-for": sent}
                answer = phone.post(f"http://{page.address}/api/host/session", json=guess, headers=headers)
                assert answer.status_code == 403
                assert f"wrong PIN from a browser at {seen}\n" in caplog.text
