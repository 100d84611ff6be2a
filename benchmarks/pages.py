"""The first and the second visit to the bench and to the table page, in Chromium, beside bare pages of their weight.

``python benchmarks/pages.py [--runs 5] [--only local]``. A round trip of 150 ms with 1.6 Mbit/s is that of a phone far
from its router; a fourth of this computer's speed is that of a cheap phone. A bare page makes as many requests for as
many bytes, which do nothing. It shows what the browser and the network cost, so compare the two.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import print_table
from tests.conftest import BROWSERS, QUIETLY

PAGES = {"bench": "#line[data-line=open]", "table page": "body[data-connection=live]"}
"""Each page, with the CSS selector that matches when it is live."""
BARE = "body[data-bare]"
SLOW_NETWORK = 1_600_000 / 8
CONDITIONS = {"local": (0, -1, 1), "150 ms": (150, SLOW_NETWORK, 1), "CPU x4": (0, -1, 4)}
"""Each condition: the round trip in ms, the bytes a second (-1: no limit), and how much slower the processor is."""
PATIENCE_MS = 30_000
SETTLED_MS = 1000

WATCH = """(selector) => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: "longtask", buffered: true });
  const look = () => document.querySelector(selector) ? window.liveAt = performance.now() : setTimeout(look, 2);
  look();
}"""


@dataclass
class Visit:
    """A visit: the bytes of each request to the server, its seconds until the first paint and until live, its longest
    task in ms (0: none of 50 ms or more).
    """

    requests: dict[str, float] = field(default_factory=dict)
    paint_s: float = 0.0
    live_s: float = 0.0
    longest_ms: float = 0.0


@contextmanager
def opened_bench() -> Iterator[dict[str, str]]:
    """Run the bench, and yield the URL of each of the `PAGES`."""
    command = [str(Path(sys.executable).with_name("reboard-sim")), "--headless", "--port", "0", "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bench:
        try:
            assert bench.stdout
            url = next(word for line in bench.stdout for word in line.split() if word.startswith("http://"))
            with urllib.request.urlopen(f"{url}api/bench") as answer:
                yield {"bench": url, "table page": json.load(answer)["table_page"]["url"]}
        finally:
            bench.terminate()


@contextmanager
def opened_browser() -> Iterator[Any]:
    """Run Chromium, and yield it, or ``None`` with a message if it is not installed."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        print("The pages are not measured: no browser here. Install chromium.")
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        fence = ("--no-sandbox",) if os.geteuid() == 0 else ()
        browser = playwright.chromium.launch(executable_path=path, args=[*QUIETLY, *fence])
        yield browser
        browser.close()


@contextmanager
def bare_page(sizes: Sequence[float]) -> Iterator[str]:
    """Serve a page whose files have these *sizes* in bytes, itself first, and yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            number = int(self.path.strip("/").removesuffix(".js") or 0)
            scripts = "".join(f'<script defer src="/{n}.js"></script>' for n in range(1, len(sizes)))
            start = "document.body.dataset.bare = 1;"
            text = f"// {'.' * int(sizes[number])}" if number else f"<!DOCTYPE html><title>Bare</title>{scripts}<p>Bare"
            if not number:
                text += f"<!-- {'.' * int(sizes[0])} --><script type=module>{start}</script>"
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript" if number else "text/html")
            self.send_header("Content-Length", str(len(text)))
            self.send_header("Cache-Control", "max-age=3600, immutable" if number else "no-store")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def visit(context: Any, url: str, selector: str, condition: tuple[float, float, float]) -> Visit:
    """Open *url* in a new tab of the browser *context* and return what it took."""
    round_trip_ms, bytes_a_second, slower = condition
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    asked: dict[str, str] = {}
    sizes: dict[str, float] = {}
    seen = Visit()
    devtools.on("Network.requestWillBeSent", lambda sent: asked.update({sent["requestId"]: sent["request"]["url"]}))
    devtools.on("Network.requestServedFromCache", lambda cached: asked.pop(cached["requestId"], None))
    devtools.on(
        "Network.responseReceived",
        lambda got: asked.pop(got["requestId"], None) if got["response"].get("fromDiskCache") else None,
    )
    devtools.on("Network.loadingFinished", lambda end: sizes.update({end["requestId"]: end["encodedDataLength"]}))
    devtools.send("Network.enable")
    devtools.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": round_trip_ms,
            "downloadThroughput": bytes_a_second,
            "uploadThroughput": bytes_a_second,
        },
    )
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.add_init_script(f"({WATCH})({json.dumps(selector)})")
    page.goto(url, wait_until="commit")
    page.wait_for_selector(selector, state="attached", timeout=PATIENCE_MS)
    page.wait_for_timeout(SETTLED_MS)
    seen.requests = {url: sizes.get(number, 0.0) for number, url in asked.items()}
    seen.longest_ms = page.evaluate("window.longest")
    seen.live_s = page.evaluate("window.liveAt") / 1000
    seen.paint_s = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN") / 1000
    page.close()
    return seen


def measured(
    browser: Any, url: str, selector: str, runs: int, condition: tuple[float, float, float]
) -> dict[str, list[Visit]]:
    """Return the visits *runs* times with an empty cache (cold) and then with a full one (warm)."""
    visits: dict[str, list[Visit]] = {"cold": [], "warm": []}
    for _ in range(runs):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        for cache in visits:
            visits[cache].append(visit(context, url, selector, condition))
        context.close()
    return visits


def figures(visits: Sequence[Visit]) -> list[str]:
    """Return the cells of a row: requests, kB, first paint, live, longest task."""
    requests = visits[0].requests
    paint_s, live_s, longest_ms = (
        median(getattr(one, what) for one in visits) for what in ("paint_s", "live_s", "longest_ms")
    )
    kilobytes = sum(requests.values()) / 1000
    return [f"{len(requests)}", f"{kilobytes:.0f}", f"{paint_s:.2f}", f"{live_s:.2f}", f"{longest_ms:.0f}"]


def main() -> None:
    """Measure each page under each condition, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=CONDITIONS)
    parser.add_argument("--requests", action="store_true", help="list the requests")
    options = parser.parse_args()
    rows = []
    with opened_bench() as urls, opened_browser() as browser:
        if browser is None:
            return
        for name, condition in CONDITIONS.items():
            for page, selector in PAGES.items() if options.only in (None, name) else ():
                found = measured(browser, urls[page], selector, options.runs, condition)
                with bare_page([*found["cold"][0].requests.values()]) as bare:
                    beside = measured(browser, bare, BARE, options.runs, condition)
                for cache, visits in found.items():
                    rows.append([f"{page}, {name}, {cache}", *figures(visits), *figures(beside[cache])[2:4]])
                    if options.requests:
                        print(*sorted(visits[0].requests), sep="\n")
    head = ["page, condition, browser's cache", "requests", "kB", "first paint, s", "live, s", "longest task, ms"]
    head += ["bare: first paint", "live"]
    print_table(f"The pages, median of {options.runs}", head, rows)
    print("\nAt most: 12 requests cold and 2 warm; live cold/warm in 0.4/0.3 s, with 150 ms in 1.2/0.6 s, with CPU x4")
    print("in 1.5 s and without a task of 100 ms; first paint in 0.25 s.")


if __name__ == "__main__":
    main()
