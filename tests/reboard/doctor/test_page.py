from __future__ import annotations

from email.message import Message
from urllib.error import HTTPError

import pytest

from reboard.finding import note, wrong
from tests.reboard.doctor.made_up import A_TABLE, TABLE, MadeUpMachine, examined

URL = "http://127.0.0.1:8080/api/table"


def http_error(code: int) -> HTTPError:
    return HTTPError(URL, code, "", Message(), None)


def test_a_page_that_should_be_there_and_is_not_is_wrong(pi: MadeUpMachine) -> None:
    del pi.pages[URL]
    assert examined(pi)["page.answers"] == wrong(
        "page.answers",
        "The page does not answer at 0.0.0.0:8080: Connection refused.",
        "`journalctl -u reboard-page -n 30` shows its last words.",
    )


def test_a_page_that_nobody_installed_is_worth_a_note(pi: MadeUpMachine) -> None:
    del pi.pages[URL]
    del pi.units["reboard-page.service"]
    assert examined(pi)["page.answers"] == note(
        "page.answers", "No page is at work at 0.0.0.0:8080.", "`reboard page` starts one."
    )


def test_a_page_without_a_table_is_worth_a_note(pi: MadeUpMachine) -> None:
    pi.pages[URL] = http_error(503)
    assert examined(pi)["page.answers"] == note("page.answers", "The page answers at 0.0.0.0:8080, but finds no table.")


@pytest.mark.parametrize("answer", ["<html>", "[]", '{"uptime": 3}', http_error(404)])
def test_another_program_at_its_address_is_wrong(pi: MadeUpMachine, answer: str | OSError) -> None:
    pi.pages[URL] = answer
    found = examined(pi)["page.answers"]
    assert found.what == "What answers at 0.0.0.0:8080 is not the table page."
    assert found.do.startswith("End that program, or give the page another port")


def test_a_page_that_only_this_machine_can_open_is_worth_a_note(pi: MadeUpMachine) -> None:
    assert examined(pi, TABLE.replace("0.0.0.0", "127.0.0.1"))["page.reach"] == note(
        "page.reach",
        "Only this machine can open the page.",
        '`listen = "0.0.0.0:8080"` in [page] lets everybody in your network in.',
    )


def test_a_page_on_every_ipv6_address_is_asked_on_this_machines_own(pi: MadeUpMachine) -> None:
    pi.pages = {"http://[::1]:8080/api/table": A_TABLE}
    assert examined(pi, TABLE.replace("0.0.0.0", "[::]"))["page.answers"].what == "The page answers at [::]:8080."
