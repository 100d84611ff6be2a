"""From a pin to a pixel: how soon the bench and a family's phone show what happens, and what a page costs.

``python benchmarks/pages.py [--times 100] [--idle 20]``. The firmware on a virtual Pi at the pace of life, both pages
in one Chromium. A pixel is taken to change with the first frame that is drawn after the page has changed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import at, ms, print_table
from reboard_sim.bench.server import BenchServer
from reboard_sim.bench.table_page import TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.conftest import BROWSERS

LONGEST_S = 10.0
POLL_MS = 500

SEEN = """([selector, what]) => {
    const element = document.querySelector(selector);
    const now = () => what === "class" ? element.className : element.textContent;
    const before = now();
    window.seen = new Promise((told) => {
        const watcher = new MutationObserver(() => {
            if (now() === before) return;
            watcher.disconnect();
            requestAnimationFrame(() => told(performance.timeOrigin + performance.now()));
        });
        watcher.observe(element, { attributes: true, childList: true, characterData: true, subtree: true });
    });
}"""
"""Notes when the first frame is drawn in which an element's class, or its text, is another one."""

POLLED = """([pause]) => {
    const shown = async () => JSON.stringify((await (await fetch("/api/table")).json()).cards);
    window.seen = (async () => {
        const before = await shown();
        while (await shown() === before) await new Promise((on) => setTimeout(on, pause));
        return performance.timeOrigin + performance.now();
    })();
}"""
"""The obvious alternative: a page that asks twice a second."""

WAIT_FOR_IT = """(longest) => Promise.race([
    window.seen,
    new Promise((_, fail) => setTimeout(fail, longest, new Error("nothing was seen to change"))),
])"""


@contextmanager
def chromium(path: str) -> Iterator[Browser]:
    """The browser at *path*."""
    fence = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's own fence does not work for root
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=fence)
        yield browser
        browser.close()


class Table:
    """A table with its two pages; when what is listened for happened stands in ``happened_ms``."""

    def __init__(self, folder: Path) -> None:
        self._open = ExitStack()
        (folder / "state").mkdir()
        door = folder / "table.sock"
        scene = Scene.load(None, folder / "state")
        self.thread = self._open.enter_context(closing(TableThread(scene, seed=1, door=door)))
        self.page = self._open.enter_context(closing(TablePage(door, port=0)))
        self.bench = BenchServer(self.thread, port=0, table_page=self.page.url)
        serving = threading.Thread(target=self.bench.run)
        serving.start()
        self._open.callback(serving.join)
        self._open.callback(self.bench.stop)
        self.happened_ms = 0.0

    def close(self) -> None:
        """Put it all away."""
        self._open.close()

    def listen(self, event: str) -> Callable[[], None]:
        """Note when *event* happens, if nothing is noted, until what is returned is called."""

        def heard(told: dict[str, object]) -> None:
            if told["event"] == event and not self.happened_ms:
                self.happened_ms = 1000 * time.time()

        return self.thread.subscribe_events(heard)

    def do(self, *lines: str) -> None:
        """What hands do."""
        self.thread.do(list(lines)).result(LONGEST_S)


def delays(
    table: Table, page: Page, prepare: tuple[str, list[object]], event: str, *acts: str, times: int
) -> list[float]:
    """Seconds from *event*, which *acts* bring about, to the frame that shows it."""
    script, arguments = prepare
    spent = []
    stop = table.listen(event)
    for _ in range(times):
        page.evaluate(script, arguments)
        table.happened_ms = 0.0
        table.do(*acts)
        spent.append((page.evaluate(WAIT_FOR_IT, 1000 * LONGEST_S) - table.happened_ms) / 1000)
    stop()
    return spent


def first_sight(browser: Browser, url: str, ready: str) -> tuple[float, float]:
    """Bytes on the wire, heads included, and seconds to the first paint, of a browser that was never here."""
    context = browser.new_context()
    page = context.new_page()
    line = context.new_cdp_session(page)
    sizes: list[float] = []
    line.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
    line.send("Network.enable")
    page.goto(url)
    page.wait_for_selector(ready)
    page.wait_for_timeout(1000)
    paint_ms = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    context.close()
    return sum(sizes), paint_ms / 1000


def idle(page: Page, seconds: float) -> tuple[float, float]:
    """Parts of a processor that a page takes which is left open: of the browser, and of this process, its server."""
    line = page.context.new_cdp_session(page)
    line.send("Performance.enable")

    def busy() -> float:
        told = line.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in told if each["name"] == "TaskDuration"))

    browser, own, began = busy(), time.process_time(), time.monotonic()
    page.wait_for_timeout(1000 * seconds)
    spent = time.monotonic() - began
    return (busy() - browser) / spent, (time.process_time() - own) / spent


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="From a pin to a pixel, and what a page costs.")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--idle", type=float, default=20.0, help="seconds")
    asked = parser.parse_args()
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        print(f"The pages are not measured: none of {', '.join(BROWSERS)} is on the path.")
        return
    with tempfile.TemporaryDirectory() as folder, closing(Table(Path(folder))) as table, chromium(path) as browser:
        table.do("insert left 1", "wait 0.5")
        sights = [
            ("the bench", *first_sight(browser, table.bench.url, "#line[data-line=open]")),
            ("the table page", *first_sight(browser, table.page.url, "#connection[data-line=open]")),
        ]
        costs: list[tuple[str, float, float]] = []
        rows = []
        bench = browser.new_page()
        bench.goto(table.bench.url)
        bench.wait_for_selector("#line[data-line=open]")
        costs.append(("the bench", *idle(bench, asked.idle)))
        watched: tuple[str, list[object]] = (SEEN, ["#block-button", "class"])
        shown = delays(table, bench, watched, "lamp", "press block", "wait 4.5", times=max(1, asked.times // 10))
        rows.append(["the block's lamp, on the bench", ms(at(0.5, shown)), ms(at(0.99, shown))])
        bench.close()
        phone = browser.new_page(viewport={"width": 390, "height": 844})
        phone.goto(table.page.url)
        phone.wait_for_selector("#cards .balance")
        costs.append(("the table page", *idle(phone, asked.idle)))
        watched = (SEEN, ["#cards .balance", "text"])
        table.do("key C", "wait 1")  # the unit has fallen asleep: the first key only wakes it
        shown = delays(table, phone, watched, "transfer", "key GO", "wait 0.3", times=asked.times)
        rows.append(["a balance, on a phone", ms(at(0.5, shown)), ms(at(0.99, shown))])
        asking = delays(
            table, phone, (POLLED, [POLL_MS]), "transfer", "wait 0.1", "key GO", "wait 0.3", times=asked.times
        )
        rows.append(["the same, asked for twice a second", ms(at(0.5, asking)), ms(at(0.99, asking))])
    print_table("From what happens to the frame that shows it", ["what, ms", "median", "p99"], rows)
    print_table(
        "At first sight",
        ["page", "kB on the wire", "first paint, s"],
        [[name, f"{size / 1000:.0f}", f"{paint_s:.2f}"] for name, size, paint_s in sights],
    )
    print_table(
        "Left open while nothing happens, parts of one processor",
        ["page", "browser", "server and table"],
        [[name, f"{drawing:.1%}", f"{serving:.1%}"] for name, drawing, serving in costs],
    )


if __name__ == "__main__":
    main()
