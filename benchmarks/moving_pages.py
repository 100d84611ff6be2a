"""Pages at a table that plays: the worms' share of the main thread, and the time from a transfer to many phones.

``python benchmarks/moving_pages.py [--seconds 5] [--transfers 40] [--phones 50]``. One of the phones is the table page
in Chromium. The others only read the stream, so that the time is that of the server and of one browser.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
import urllib.request
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.pages import PAGES, opened_bench, opened_browser
from benchmarks.printing import at, ms, print_table

SLOWER = (1, 4)
SHARES = {
    "all": "TaskDuration",
    "scripts": "ScriptDuration",
    "style": "RecalcStyleDuration",
    "layout": "LayoutDuration",
}
"""Each share of the main thread, with its name in ``Performance.getMetrics``."""
SETTLED_MS = 1000
PAUSE_MS = 300
AMOUNT = 10_000

COUNT_FRAMES = """() => {
  window.framesDrawn = 0;
  const count = () => { window.framesDrawn++; requestAnimationFrame(count); };
  count();
}"""

WATCH_BALANCE = """() => {
  window.shownAt = [];
  const balance = document.querySelector(".player[data-card='1'] .balance");
  let before = balance.textContent;
  new MutationObserver(() => {
    if (balance.textContent === before) return;
    before = balance.textContent;
    window.shownAt.push(performance.timeOrigin + performance.now());
  }).observe(balance, { childList: true, characterData: true });
}"""
"""Keeps the time in ms since 1970 of each change of the balance of player 1."""


class Phone:
    """A client that reads the stream of the table page."""

    def __init__(self, url: str) -> None:
        self._snapshots: list[tuple[float, bytes]] = []
        self._answer = urllib.request.urlopen(f"{url}api/events")
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        kind = ""
        for line in self._answer:
            now = time.time()
            field, _, value = line.partition(b": ")
            kind = value.decode().strip() if field == b"event" else kind if field == b"data" else ""
            if field == b"data" and kind == "table":
                self._snapshots.append((now, value))

    @property
    def got(self) -> dict[int, float]:
        """When it got which balance of player 1; read after the measurement, since real phones have own processors."""
        return {
            card["balance"]: now
            for now, value in reversed(self._snapshots)
            for card in json.loads(value)["cards"]
            if card["number"] == 1
        }


class Browser:
    """Chromium, with a page of the bench at *url* or its table page."""

    def __init__(self, chromium: Any, url: str, slower: float = 1) -> None:
        self.page = chromium.new_page(viewport={"width": 1440, "height": 900})
        self._devtools = self.page.context.new_cdp_session(self.page)
        self._devtools.send("Performance.enable")
        self.page.goto(url)
        self.page.wait_for_selector(PAGES["bench"] + "," + PAGES["table page"], state="attached")
        self._devtools.send("Emulation.setCPUThrottlingRate", {"rate": slower})

    def metrics(self) -> dict[str, float]:
        """Return the seconds of each kind of work until now, and the time."""
        return {each["name"]: each["value"] for each in self._devtools.send("Performance.getMetrics")["metrics"]}


def do(bench: str, *lines: str) -> None:
    """Let the bench carry out *lines* of a play."""
    body = json.dumps({"lines": lines}).encode()
    urllib.request.urlopen(urllib.request.Request(f"{bench}api/bench/do", body, {"Content-Type": "application/json"}))


def dancing(browser: Browser, bench: str, seconds: float) -> list[str]:
    """Return the frames a second and the shares of the main thread while the worms dance."""
    browser.page.wait_for_timeout(SETTLED_MS)
    do(bench, "pull lever", "wait 0.3", "release lever")
    browser.page.wait_for_timeout(SETTLED_MS)
    browser.page.evaluate(COUNT_FRAMES)
    before = browser.metrics()
    browser.page.wait_for_timeout(1000 * seconds)
    after = browser.metrics()
    frames = browser.page.evaluate("window.framesDrawn")
    took = after["Timestamp"] - before["Timestamp"]
    shares = [f"{100 * (after[name] - before[name]) / took:.1f} %" for name in SHARES.values()]
    do(bench, "wait until apple.stopped within 130")
    return [f"{frames / took:.0f}", *shares]


def to_phones(browser: Browser, bench: str, phones: list[Phone], transfers: int) -> list[list[str]]:
    """Return the rows of the times from requests of transfers to the phones, and to what the page shows."""
    do(bench, "insert left 1")
    browser.page.wait_for_timeout(SETTLED_MS)
    balance = max(phones[0].got)
    browser.page.evaluate(WATCH_BALANCE)
    sent = []
    for number in range(transfers):
        payment = {
            "payment": f"{len(phones)} phones, {number}",
            "from": 0,
            "to": 1,
            "amount": AMOUNT,
            "reason": "measured",
        }
        sent.append(time.time())
        do(bench, f"request pay '{json.dumps(payment)}'")
        browser.page.wait_for_timeout(PAUSE_MS)
    shown = [at_ms / 1000 for at_ms in browser.page.evaluate("window.shownAt")]
    balances = range(balance + AMOUNT, balance + AMOUNT * transfers + 1, AMOUNT)
    first, last, page = [], [], []
    read = [phone.got for phone in phones]
    for began, paid, seen in zip(sent, balances, shown, strict=True):
        got = [each[paid] for each in read]
        first.append(min(got) - began)
        last.append(max(got) - began)
        page.append(seen - began)
    head = f"{len(phones)} streams and a page"
    rows = {"first stream": first, "last stream": last, "the page shows it": page}
    return [[f"{head}: {name}", ms(median(times)), ms(at(0.95, times))] for name, times in rows.items()]


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--transfers", type=int, default=40)
    parser.add_argument("--phones", type=int, nargs="+", default=[1, 50])
    options = parser.parse_args()
    rows, times = [], []
    with opened_bench() as urls, opened_browser() as chromium:
        if chromium is None:
            return
        bench = urls["bench"]
        for slower in SLOWER:
            for name, url in urls.items():
                browser = Browser(chromium, url, slower)
                rows.append([f"{name}, CPU x{slower}", *dancing(browser, bench, options.seconds)])
                browser.page.close()
        for count in options.phones:
            phones = [Phone(urls["table page"]) for _ in range(count - 1 or 1)]
            browser = Browser(chromium, urls["table page"])
            times += to_phones(browser, bench, phones, options.transfers)
            browser.page.close()
    head = ["page", "frames a second", *(f"main thread: {share}" for share in SHARES)]
    print_table("While the worms dance (aim: 60 frames, under 20 %)", head, rows)
    head = ["from the request of a transfer to", "median, ms", "p95, ms"]
    print_table("Many phones (aim: a median of 50 ms)", head, times)


if __name__ == "__main__":
    main()
