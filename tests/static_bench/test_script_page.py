"""A visitor who writes programs in the static bench, in Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.realtime

Visit = Callable[..., Page]

LIGHTS = """\
from time import sleep
from gpiozero import LED, Button, TrafficLights

lights = TrafficLights(25, 24, 23)
waiting = LED(17)
button = Button(21)
waiting.blink(0.2, 0.2)
button.when_pressed = lambda: print("pressed")
while True:
    lights.red.toggle()
    sleep(0.5)
"""

BROKEN = """\
name = input("Who plays? ")
print("Hello", name)
print(1 / 0)
"""


TOO_DEEP = "deep = []\nfor _ in range(100_000): deep = [deep]\nprint(deep)"

TASKS = """\
import asyncio
from threading import Thread

async def work(name):
    await asyncio.sleep(0.1)
    print(name, "has waited")

asyncio.run(work("a task"))
thread = Thread(target=lambda: asyncio.run(work("a thread")))
thread.start()
thread.join()
"""

EARLY_END = "import _thread\nprint('begun')\n_thread.start_new_thread(print, ('never',))"


@pytest.fixture
def open_page(visit: Visit) -> Callable[..., Page]:
    """A function that opens the page of a program and waits until it can run one."""

    def open_page(address: str = "", **options: Any) -> Page:
        page = visit(f"script.html{address}", **options)
        expect(page.get_by_role("button", name="Run")).to_be_enabled(timeout=60_000)
        return page

    return open_page


def run(page: Page, program: str) -> None:
    page.get_by_role("textbox", name="Program", exact=True).fill(program)
    page.get_by_role("button", name="Run").click()


def printed(page: Page) -> Any:
    return expect(page.get_by_role("log", name="What the program prints"))


def test_a_program_blinks_in_two_threads_and_hears_a_button(open_page: Callable[..., Page]) -> None:
    page = open_page()
    expect(page.locator("#program-says")).to_have_text("Press “Run” to run the program.")
    run(page, LIGHTS)
    page.get_by_role("button", name="button", exact=True).click()
    printed(page).to_contain_text("pressed")
    for state in ("waiting: on", "waiting: off", "lights: red", "lights: off"):
        expect(page.get_by_role("img", name=state, exact=True)).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#program-says")).to_have_text("Press “Run” to run the program.")


def test_an_error_is_shown_with_its_line_and_the_text_is_kept(open_page: Callable[..., Page]) -> None:
    page = open_page()
    run(page, BROKEN)
    page.get_by_role("textbox", name="Answer to the program").fill("Ada")
    page.get_by_role("button", name="Enter", exact=True).click()
    printed(page).to_contain_text("Hello Ada")
    expect(page.locator("#program-says")).to_contain_text("program.py:3: ZeroDivisionError")
    expect(page.locator("#events .bad").first).to_contain_text("program.py:3: ZeroDivisionError")
    printed(page).not_to_contain_text("reboard_sim")
    expect(page.locator("#editor-lines mark")).to_have_text("3\n")
    page.reload(wait_until="commit")
    text = page.get_by_role("textbox", name="Program", exact=True)
    expect(text).to_have_value(BROKEN)
    text.press("Control+End")
    text.press_sequentially("if 1:\nprint()")
    expect(text).to_have_value(f"{BROKEN}if 1:\n    print()")
    expect(page.locator("#editor-lines mark")).to_have_count(0)


def test_a_program_that_never_waits_can_be_stopped(open_page: Callable[..., Page]) -> None:
    page = open_page()
    run(page, "while True: pass")
    expect(page.locator("#program-says")).to_have_text("program.py is running.")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#editor-says")).to_contain_text("The program did not wait, so it was stopped.", timeout=20_000)
    expect(page.get_by_role("button", name="Run")).to_be_enabled(timeout=60_000)
    run(page, "print('again')")
    printed(page).to_contain_text("again")


def test_tasks_of_asyncio_wait_also_in_two_runs(open_page: Callable[..., Page]) -> None:
    page = open_page()
    for _ in range(2):
        run(page, TASKS)
        expect(page.locator("#program-says")).to_have_text("program.py has ended. Press “Run” to run it again.")
        printed(page).to_contain_text("a task has waited")
        printed(page).to_contain_text("a thread has waited")


def test_a_program_can_end_before_the_first_turn_of_its_thread(open_page: Callable[..., Page]) -> None:
    page = open_page()
    for _ in range(2):
        run(page, EARLY_END)
        expect(page.locator("#program-says")).to_have_text("program.py has ended. Press “Run” to run it again.")
        printed(page).to_have_text("begun")


def test_a_program_that_breaks_python_leaves_the_text(open_page: Callable[..., Page]) -> None:
    page = open_page(complains=True)
    run(page, TOO_DEEP)
    expect(page.get_by_text("The bench has stopped: ")).to_contain_text("Maximum call stack size exceeded")
    page.get_by_role("button", name="Reload").click()
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_have_value(TOO_DEEP)
    expect(page.get_by_role("button", name="Run")).to_be_enabled(timeout=60_000)


def test_an_example_does_not_replace_a_program_without_a_question(open_page: Callable[..., Page]) -> None:
    page = open_page()
    text = page.get_by_role("textbox", name="Program", exact=True)
    example = page.get_by_label("Example")
    expect(example).to_have_value("traffic_light")
    example.select_option("reaction_game")  # without a question: the visitor has written nothing
    expect(text).to_have_value(re.compile("A reaction game"))
    page.reload(wait_until="commit")
    expect(text).to_have_value(re.compile("A reaction game"))
    expect(example).to_have_value("reaction_game")
    text.fill("print('mine')")
    expect(example).to_have_value("")
    page.on("dialog", lambda question: question.dismiss())
    example.select_option("traffic_light")
    expect(text).to_have_value("print('mine')")
    expect(example).to_have_value("")


def test_a_link_and_a_file_carry_the_program(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_have_value(re.compile("TrafficLights"))
    page.get_by_role("textbox", name="Program", exact=True).fill("print('from afar')")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#editor-says")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    assert download.value.suggested_filename == "program.py"
    download.value.save_as(tmp_path / "program.py")
    assert (tmp_path / "program.py").read_text() == "print('from afar')"
    other = open_page(copied[copied.index("#") :])
    expect(other.locator("#editor-says")).to_contain_text("This program is from a link.")
    assert "#" not in other.url
    other.get_by_role("button", name="Run").click()
    printed(other).to_contain_text("from afar")
    other.reload(wait_until="commit")
    text = other.get_by_role("textbox", name="Program", exact=True)
    expect(text).to_have_value("print('from afar')")
    text.fill("print('mine')")
    other.once("dialog", lambda question: question.dismiss())
    other.evaluate("hash => { location.hash = hash; }", copied[copied.index("#") :])
    expect(other).not_to_have_url(re.compile("#"))
    expect(text).to_have_value("print('mine')")
    other.evaluate("location.hash = 'elsewhere'")
    expect(text).to_have_value("print('mine')")


def test_the_events_cover_no_device_on_a_tablet(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.set_viewport_size({"width": 810, "height": 1080})
    run(page, "from gpiozero import LED\nleds = [LED(pin) for pin in range(4, 13)]\nprint()\ninput()")
    expect(page.get_by_role("img", name="leds[8]: off", exact=True)).to_be_visible()
    assert page.locator("#table").evaluate("table => table.scrollHeight <= table.clientHeight")


def test_each_example_runs(open_page: Callable[..., Page], site: Any) -> None:
    page = open_page()
    names = json.loads((site.folder / "examples" / "names.json").read_text())
    assert len(names) == 6
    for name in names:
        page.get_by_label("Example").select_option(name)
        page.get_by_role("button", name="Run").click()
        expect(page.locator("#program")).to_have_attribute("data-state", "running")
        printed(page).not_to_contain_text("Traceback")


def test_a_browser_without_stack_switching_is_told_so(visit: Visit) -> None:
    page = visit("manifest.webmanifest")
    page.add_init_script("delete WebAssembly.Suspending")
    page.goto(page.url.replace("manifest.webmanifest", "script.html"), wait_until="domcontentloaded")
    nothing = page.locator("#events").evaluate("events => getComputedStyle(events, '::before').content")
    assert "question block" not in nothing
    expect(page.get_by_text("This browser cannot run programs.")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Run")).to_be_disabled()
    expect(page.locator("#power")).to_be_disabled()
