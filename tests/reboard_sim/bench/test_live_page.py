"""The connection of a bench page: many pages at once, a late answer, and the same time everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, WebSocket, expect

from reboard_sim.bench.bench_acts import Listener, Setup
from reboard_sim.bench.servers import TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

HIDE = """hidden => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_the_eighth_page_with_sound_and_inside_answers_and_a_hidden_one_disconnects(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    page = open_page(viewport={"width": 400, "height": 300})  # eight large pages take the processor from the test
    pages = [page, *(page.context.new_page() for _ in range(7))]
    heard = set[Page]()
    table.choose_pace(0).result(PATIENCE_S)  # eight pages that draw take the processor too

    def listen(page: Page, message: str | bytes) -> None:
        if isinstance(message, bytes):
            heard.add(page)

    eighth = pages[-1]
    for each in pages:
        with each.expect_websocket() as socket:
            each.goto(f"{url}?inside=pins" if each == eighth else url)
        socket.value.on("framereceived", partial(listen, each))
    expect(eighth.locator(".lanes li")).not_to_have_count(0)
    table.choose_pace(1).result(PATIENCE_S)
    with eighth.expect_response("**/api/bench/do") as answer:
        eighth.locator("#block-button").click()
    assert answer.value.ok
    for each in pages:
        expect(each.locator("#events li:not(.detail)")).not_to_have_count(0)

    def all_hear() -> bool:  # not the first sound, if the bench does not know yet that the last page listens
        table.do(["press block", "wait 2"]).result(PATIENCE_S)
        page.wait_for_timeout(100)
        return heard == set(pages)

    eventually(all_hear, "every page plays the sound", page)
    for each in pages[:-1]:
        each.close()

    eighth.evaluate(HIDE, True)
    eventually(lambda: socket.value.is_closed(), "a hidden page has no connection", eighth)
    with eighth.expect_websocket():
        eighth.evaluate(HIDE, False)
    expect(eighth.locator("#line")).to_have_attribute("data-line", "open")

    eighth.add_init_script(f"({HIDE})(true)")
    opened: list[WebSocket] = []
    eighth.on("websocket", lambda socket: opened.append(socket))
    eighth.goto(url, wait_until="networkidle")
    assert opened == [], "a page that begins hidden has none either"
    eighth.evaluate(HIDE, False)
    expect(eighth.locator("#line")).to_have_attribute("data-line", "open")
    assert len(opened) == 1


def test_a_late_answer_is_shown_until_it_comes(page: Page) -> None:
    line, waiting = page.locator("#line"), list[Route]()
    page.route("**/api/bench/do", lambda route: waiting.append(route))
    page.locator("#act-line").fill("press block")
    page.locator("#act-line").press("Enter")
    expect(line).to_have_attribute("data-line", "late")
    expect(line).to_contain_text("press block")
    waiting.pop().continue_()
    expect(line).to_have_attribute("data-line", "open")


def test_a_page_at_rest_does_almost_nothing(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})  # without what other processes take

    def metrics() -> dict[str, float]:
        return {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}

    page.wait_for_timeout(1000)

    def is_at_rest() -> bool:  # at times it is not, because the machine is busy
        before = metrics()
        page.wait_for_timeout(3000)
        after = metrics()
        styles = after["RecalcStyleCount"] - before["RecalcStyleCount"]
        return styles <= 4 and after["ScriptDuration"] - before["ScriptDuration"] < 0.01 * 3

    eventually(is_at_rest, "only the clock moves, once a second", page)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    (tmp_path / "state").mkdir()
    scene = Scene.load(None, tmp_path / "state")
    with closing(TableThread(scene, seed=1, socket=tmp_path / "table.sock")) as table:
        yield table


def test_the_log_the_clock_inside_and_the_phone_show_the_same_time(
    open_page: Callable[..., Page], table: TableThread, url: str, tmp_path: Path
) -> None:
    seen = list[str]()
    table.do(["wait 1.5"]).result(PATIENCE_S)
    table.set_scene(Setup(), 1, ["wait 63.25", "power off", "power on"]).result(PATIENCE_S)
    bench = open_page()
    bench.goto(f"{url}?inside=events")
    with closing(TablePage(tmp_path / "table.sock", port=0)) as server:
        phone = bench.context.new_page()
        phone.goto(server.link.url)
        expect(phone.locator("body")).to_have_attribute("data-connection", "live")
        table.listeners.append(Listener(lambda event: seen.append(event["event"])))
        table.choose_pace(0).result(PATIENCE_S)
        assert not table.do(["pull lever"]).result(PATIENCE_S)
        while "apple.wound" not in seen:
            table.step().result(PATIENCE_S)
        inside = time_of(bench.locator("#panel-events li", has_text="apple.wound"))
        assert inside.startswith("1:")
        expect(bench.locator("#clock")).to_have_text(inside)
        for page in (bench, phone):
            shown = time_of(page.locator("#events li", has_text="wound"))
            assert (inside[: len(shown)], len(inside) - len(shown)) == (shown, 5), "to a hundredth"


def time_of(row: Locator) -> str:
    return row.first.locator("time").inner_text()
