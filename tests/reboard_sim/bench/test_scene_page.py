"""Scenes in a browser: set in a dialog, begun again, and shown by every page."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from reboard_sim.bench.scene_wish import SceneWish
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.reboard_sim.bench.address import asked
from tests.reboard_sim.bench.conftest import BLOCK_ONLY, PATIENCE_S, PHONE, eventually

pytestmark = pytest.mark.realtime

MOST_SEED = 2**53 - 1
YEARS_AGO_S = 1_000_000_000


def opened(page: Page) -> None:
    expect(page).to_have_url(re.compile("seed="))
    page.get_by_role("button", name="Scene").click()
    expect(page.get_by_role("dialog", name="Set the table anew")).to_be_visible()


def answered(route: Route, answer: dict[str, object]) -> None:
    """Let the bench say no."""
    route.fulfill(status=400, json=answer)


def shown(table: TableThread) -> list[str]:
    return [card["shown"] for card in table.table()["cards"]]


# the dialog


def test_a_scene_is_set_in_the_dialog(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    expect(page.locator("#events")).to_contain_text("left slot")
    opened(page)
    page.get_by_label("Edition").select_option("classic-de")
    page.get_by_label("Left reader").select_option("pn532")
    page.get_by_label("Right reader").select_option("none")
    page.get_by_label("Seed").fill("77")
    page.get_by_role("button", name="Set the table", exact=True).click()
    expect(page.get_by_role("dialog")).not_to_be_visible()
    expect(page.locator("#display-text")).to_contain_text("MONOPOLY")
    expect(page.locator("#events")).not_to_contain_text("left slot")
    expect(page.locator("#slot-left")).to_be_enabled()
    expect(page.locator("#slot-right")).to_be_disabled()
    assert {name: table.scene()[name] for name in ("edition", "left", "right", "seed")} == {
        "edition": "classic-de",
        "left": "pn532",
        "right": "none",
        "seed": 77,
    }
    eventually(lambda: asked(page).get("seed") == "77", "the address tells the scene", page)
    assert asked(page) == {
        "edition": "classic-de",
        "wiring": "own",
        "left": "pn532",
        "right": "none",
        "seed": "77",
    }


def test_two_kinds_of_reader_are_warned_of_and_can_be_set(page: Page, table: TableThread) -> None:
    opened(page)
    warning = page.locator("#scene-mixed")
    expect(warning).to_be_hidden()
    page.get_by_label("Right reader").select_option("pn532")
    expect(warning).to_contain_text("The left slot (rdm6300)")
    page.get_by_label("Right reader").select_option("id12")
    expect(warning).to_be_hidden()
    page.get_by_label("Left reader").select_option("bumps")
    expect(warning).to_contain_text("the right slot (id12)")
    page.get_by_role("button", name="Set the table", exact=True).click()
    expect(page.get_by_role("dialog")).not_to_be_visible()
    assert (table.scene()["left"], table.scene()["right"]) == ("bumps", "id12")


def test_the_dialog_begins_with_what_is_on_the_table_and_can_be_left(page: Page, table: TableThread) -> None:
    table.set_scene(SceneWish("nintendo", readers={"left": "id12"}), 12, []).result(PATIENCE_S)
    eventually(lambda: asked(page).get("seed") == "12", "the address tells the scene", page)
    opened(page)
    expect(page.get_by_label("Edition")).to_have_value("nintendo")
    expect(page.get_by_label("Wiring")).to_have_value("own")
    expect(page.get_by_label("Left reader")).to_have_value("id12")
    expect(page.get_by_label("Right reader")).to_have_value("")
    expect(page.get_by_label("Seed")).to_have_value("12")
    page.get_by_role("button", name="Another").click()
    expect(page.get_by_label("Seed")).not_to_have_value("12")
    page.keyboard.press("1")
    page.get_by_role("button", name="Leave it").click()
    expect(page.get_by_role("dialog")).not_to_be_visible()
    assert table.scene()["number"] == 2
    assert table.hardware()["keys"] == []


def test_a_wiring_comes_from_a_file_and_what_is_wrong_in_it_is_told_line_by_line(
    page: Page, table: TableThread, tmp_path: Path
) -> None:
    wrong, right = tmp_path / "wrong.toml", tmp_path / "block.toml"
    wrong.write_text(f"{BLOCK_ONLY}lamb = 27\n")
    right.write_text(BLOCK_ONLY)
    opened(page)
    page.get_by_label("Wiring").select_option("file")
    page.get_by_label("Its table.toml").set_input_files(wrong)
    page.get_by_role("button", name="Set the table", exact=True).click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("wrong.toml:3: ")
    assert table.scene()["number"] == 1
    page.get_by_label("Its table.toml").set_input_files(right)
    page.get_by_role("button", name="Set the table", exact=True).click()
    expect(page.locator("#bank")).to_be_hidden()
    expect(page.locator("#block")).to_be_visible()
    opened(page)
    expect(page.get_by_label("Wiring").locator("option:checked")).to_have_text("block.toml, as it is now")


def test_another_file_has_an_edition_and_readers_of_its_own(page: Page, table: TableThread, tmp_path: Path) -> None:
    table.set_scene(SceneWish("nintendo", readers={"left": "id12"}), 12, []).result(PATIENCE_S)
    eventually(lambda: asked(page).get("seed") == "12", "the address tells the scene", page)
    opened(page)
    expect(page.get_by_label("Edition")).to_have_value("nintendo")
    page.get_by_label("Wiring").select_option("file")
    for field in ("Edition", "Left reader", "Right reader"):
        expect(page.get_by_label(field)).to_have_value("")
    file = tmp_path / "block.toml"
    file.write_text(f'edition = "classic-de"\n{BLOCK_ONLY}')
    page.get_by_label("Right reader").select_option("none")
    page.get_by_label("Its table.toml").set_input_files(file)
    expect(page.get_by_label("Right reader")).to_have_value("none")
    page.get_by_label("Right reader").select_option("")
    page.get_by_role("button", name="Set the table", exact=True).click()
    expect(page.locator("#bank")).to_be_hidden()
    assert table.table()["edition"] == "classic-de"


def test_a_file_that_is_too_big_is_refused_by_its_name_before_it_is_sent(page: Page, tmp_path: Path) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    big = tmp_path / "big.toml"
    big.write_text("#" * (256 * 1024 + 1))
    opened(page)
    page.get_by_label("Wiring").select_option("file")
    page.get_by_label("Its table.toml").set_input_files(big)
    page.get_by_role("button", name="Set the table", exact=True).click()
    expect(page.get_by_role("alert").filter(visible=True)).to_have_text(
        "big.toml is too big for a table.toml: more than 256 kB."
    )
    assert "POST" not in sent


def test_a_file_that_was_changed_after_it_was_chosen_is_to_be_chosen_again(
    page: Page, table: TableThread, tmp_path: Path
) -> None:
    wiring = tmp_path / "block.toml"
    wiring.write_text(BLOCK_ONLY)
    opened(page)
    page.get_by_label("Wiring").select_option("file")
    file = page.get_by_label("Its table.toml")
    file.set_input_files(wiring)
    file.evaluate("input => input.files[0].lastModified")  # from now on the browser knows which state was chosen
    wiring.write_text(f"{BLOCK_ONLY}lamp = 27\n")
    os.utime(wiring, (YEARS_AGO_S, YEARS_AGO_S))
    page.get_by_role("button", name="Set the table", exact=True).click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("choose it again")
    page.get_by_label("Its table.toml").set_input_files([])
    page.get_by_label("Its table.toml").set_input_files(wiring)
    page.get_by_role("button", name="Set the table", exact=True).click()
    eventually(lambda: "lamp" in str(table.scene()["wiring"]), "the table is set", page)


def test_a_seed_can_be_as_large_as_a_browser_counts(page: Page, table: TableThread) -> None:
    opened(page)
    seed = page.get_by_label("Seed")
    for wrong in (str(MOST_SEED + 1), "-1", "1.5", ""):
        seed.fill(wrong)
        assert not seed.evaluate("field => field.checkValidity()"), wrong
    page.get_by_role("button", name="Another").click()
    assert 0 <= int(seed.input_value()) < 1_000_000
    seed.fill(str(MOST_SEED))
    page.get_by_role("button", name="Set the table", exact=True).click()
    eventually(lambda: table.scene()["seed"] == MOST_SEED, "the table is set", page)


def test_keys_reach_nothing_behind_a_dialog(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    opened(page)
    page.get_by_role("dialog").get_by_role("heading").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.type("5pn", delay=120)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).not_to_be_visible()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("7", delay=120)
    eventually(lambda: table.table()["typed"], "7 was typed", page)
    assert table.table()["typed"] == "7"
    assert table.hardware()["pace"] == 1


def test_start_over_sets_the_same_scene_with_an_empty_ledger_if_somebody_means_it(
    page: Page, table: TableThread
) -> None:
    table.set_scene(SceneWish("classic-de"), 5, ["insert left 1", "type 200M", "wait 1"]).result(PATIENCE_S)
    eventually(lambda: asked(page).get("seed") == "5", "the page knows the scene", page)
    dialog = page.get_by_role("dialog", name="Start over?")
    page.get_by_role("button", name="Start over").click()
    expect(dialog).to_contain_text("Taken away are the cards in the slots, all games")
    dialog.get_by_role("button", name="Leave it").click()
    expect(dialog).not_to_be_visible()
    assert (table.scene()["number"], shown(table)) == (2, ["1700"])
    page.get_by_role("button", name="Start over").click()
    dialog.get_by_role("button", name="Start over").click()
    expect(dialog).not_to_be_visible()
    assert table.scene()["number"] == 3
    assert (table.scene()["edition"], table.scene()["seed"], shown(table)) == ("classic-de", 5, [])


def test_why_nothing_starts_over_is_told_in_the_dialog(page: Page) -> None:
    expect(page.get_by_role("button", name="Start over")).to_be_enabled()
    page.route("**/api/bench/scene", lambda route: answered(route, {"error": "the disk is full"}))
    page.get_by_role("button", name="Start over").click()
    dialog = page.get_by_role("dialog", name="Start over?")
    dialog.get_by_role("button", name="Start over").click()
    expect(dialog.get_by_role("alert")).to_have_text("the disk is full")
    dialog.get_by_role("button", name="Leave it").click()
    page.get_by_role("button", name="Start over").click()
    expect(dialog.get_by_role("alert")).to_have_count(0)


def test_a_question_that_is_left_while_its_deed_is_done_calls_it_off_and_hears_no_more_of_it(page: Page) -> None:
    expect(page.get_by_role("button", name="Start over")).to_be_enabled()
    held: list[Route] = []
    page.route("**/api/bench/scene", lambda route: held.append(route))
    dialog = page.get_by_role("dialog", name="Start over?")
    page.get_by_role("button", name="Start over").click()
    dialog.get_by_role("button", name="Start over").click()
    eventually(lambda: held, "it is being done", page)
    with page.expect_event("requestfailed"):
        page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    page.get_by_role("button", name="Start over").click()
    dialog.get_by_role("button", name="Start over").click()
    eventually(lambda: len(held) == 2, "the newer one is being done", page)
    expect(dialog.get_by_role("alert")).to_have_count(0)
    answered(held[1], {"error": "the disk is full"})
    expect(dialog.get_by_role("alert")).to_have_text("the disk is full")


def test_the_dialog_fits_on_a_phone(phone: Page) -> None:
    opened(phone)
    phone.get_by_label("Wiring").select_option("file")
    box = phone.get_by_role("dialog").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["height"] <= PHONE["height"]


# what is on the table


def test_a_page_that_outlives_its_bench_shows_what_the_next_one_has(
    browser: Browser, serve: Callable[..., AbstractContextManager[str]], tmp_path: Path
) -> None:
    page = browser.new_page()
    one, other = (TableThread(Scene.load(None, tmp_path), seed=seed) for seed in (1, 2))
    try:
        with serve(one) as url:
            page.goto(url)
            expect(page).to_have_url(re.compile(r"seed=1\b"))
        with serve(other, port=urlsplit(url).port):
            expect(page).to_have_url(re.compile(r"seed=2\b"))
    finally:
        page.close()
        one.close()
        other.close()


def test_a_scene_that_could_not_be_asked_for_is_asked_for_again(page: Page, url: str) -> None:
    page.route("**/api/bench/scene", lambda route: answered(route, {"error": "not now"}), times=1)
    page.goto(url)
    expect(page.get_by_role("button", name="Scene")).to_be_disabled()
    opened(page)


def test_while_the_lines_of_a_scene_are_done_there_is_no_clock_to_be_worked(
    page: Page, table: TableThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = table.hardware
    page.get_by_role("button", name="Pause").focus()
    monkeypatch.setattr(table, "hardware", lambda: {**looks(), "pace": "scene", "rate": 1e6})
    expect(page.locator("#line")).to_have_text("the table is being set")
    for button in page.get_by_role("group", name="Time").get_by_role("button").all():
        expect(button).to_be_disabled()
    page.keyboard.press("p")
    page.keyboard.press("Enter")
    monkeypatch.undo()
    expect(page.locator("#line")).to_have_text("live")
    expect(page.get_by_role("button", name="Pause")).to_be_enabled()
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    assert table.hardware()["pace"] == 1
