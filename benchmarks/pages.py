"""The first and the second visit to the bench and to the table page, in Chromium.

``python benchmarks/pages.py [--runs 5] [--only local]``. A round trip of 150 ms is that of a phone far from its router;
a fourth of this computer's speed is that of a cheap phone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import print_table
from tests.conftest import BROWSERS, QUIETLY

PAGES = {"bench": "#line[data-line=open]", "table page": "body[data-connection=live]"}
"""Each page, with the CSS selector that matches when it is live."""
CONDITIONS = {"local": (0, 1), "150 ms": (150, 1), "CPU x4": (0, 4)}
"""Each condition, with the round trip in ms and the factor by which the processor is slower."""
PATIENCE_MS = 30_000
SETTLED_MS = 1000

WATCH = """(selector) => {
  const look = () => document.querySelector(selector) ? window.liveAt = performance.now() : setTimeout(look, 2);
  look();
}"""


@dataclass
class Visit:
    """A visit: its requests to the server, its kilobytes, and its seconds until the first paint and until live."""

    requests: list[str] = field(default_factory=list)
    kilobytes: float = 0.0
    paint_s: float = 0.0
    live_s: float = 0.0


def visit(context: Any, url: str, selector: str, round_trip_ms: float, slower: float) -> Visit:
    """Open *url* in a new tab of the browser *context* and return what it took."""
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    asked: dict[str, str] = {}
    seen = Visit()

    def received(message: dict[str, Any]) -> None:
        seen.kilobytes += message["encodedDataLength"] / 1000

    devtools.on("Network.requestWillBeSent", lambda sent: asked.update({sent["requestId"]: sent["request"]["url"]}))
    devtools.on("Network.requestServedFromCache", lambda cached: asked.pop(cached["requestId"], None))
    devtools.on(
        "Network.responseReceived",
        lambda got: asked.pop(got["requestId"], None) if got["response"].get("fromDiskCache") else None,
    )
    devtools.on("Network.loadingFinished", received)
    devtools.send("Network.enable")
    devtools.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": round_trip_ms, "downloadThroughput": -1, "uploadThroughput": -1},
    )
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.add_init_script(f"({WATCH})({json.dumps(selector)})")
    page.goto(url, wait_until="commit")
    page.wait_for_selector(selector, state="attached", timeout=PATIENCE_MS)
    page.wait_for_timeout(SETTLED_MS)
    seen.requests = sorted(asked.values())
    seen.live_s = page.evaluate("window.liveAt") / 1000
    seen.paint_s = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN") / 1000
    page.close()
    return seen


def measured(
    browser: Any, url: str, selector: str, runs: int, condition: tuple[float, float]
) -> dict[str, list[Visit]]:
    """Return the visits *runs* times with an empty cache (cold) and then with a full one (warm)."""
    visits: dict[str, list[Visit]] = {"cold": [], "warm": []}
    for _ in range(runs):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        for cache in visits:
            visits[cache].append(visit(context, url, selector, *condition))
        context.close()
    return visits


def main() -> None:
    """Measure each page under each condition, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=CONDITIONS)
    parser.add_argument("--requests", action="store_true", help="list the requests")
    options = parser.parse_args()
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        print("The pages are not measured: no browser here. Install chromium.")
        return
    from playwright.sync_api import sync_playwright

    command = [str(Path(sys.executable).with_name("reboard-sim")), "--headless", "--port", "0", "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bench, sync_playwright() as playwright:
        try:
            assert bench.stdout
            url = next(word for line in bench.stdout for word in line.split() if word.startswith("http://"))
            with urllib.request.urlopen(f"{url}api/bench") as answer:
                urls = {"bench": url, "table page": json.load(answer)["table_page"]["url"]}
            fence = ("--no-sandbox",) if os.geteuid() == 0 else ()
            browser = playwright.chromium.launch(executable_path=path, args=[*QUIETLY, *fence])
            rows = []
            for name, condition in CONDITIONS.items():
                for page, selector in PAGES.items() if options.only in (None, name) else ():
                    for cache, visits in measured(browser, urls[page], selector, options.runs, condition).items():
                        figures = [median(getattr(one, what) for one in visits) for what in ("paint_s", "live_s")]
                        requests, kilobytes = len(visits[0].requests), visits[0].kilobytes
                        rows.append([f"{page}, {name}, {cache}", f"{requests}", f"{kilobytes:.0f}"])
                        rows[-1] += [f"{figure:.2f}" for figure in figures]
                        if options.requests:
                            print(*visits[0].requests, sep="\n")
            browser.close()
        finally:
            bench.terminate()
    head = ["page, condition, browser's cache", "requests", "kB", "first paint, s", "live, s"]
    print_table(f"The pages, median of {options.runs}", head, rows)
    print("\nAt most: 12 requests cold and 2 warm; live in 0.4 s, with 150 ms in 1.2 s; first paint in 0.25 s.")


if __name__ == "__main__":
    main()
