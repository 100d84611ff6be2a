import socket

import pytest

from reboard.web.known_hosts import own_names


@pytest.mark.parametrize("hostname", ["Table", "table.lan", "table.example.org"])
def test_a_machine_goes_by_its_own_name_and_by_those_that_homes_give_it(
    hostname: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: hostname)
    names = own_names()
    assert {"localhost", "table", "table.local", "table.home.arpa", hostname.lower()} <= names
    assert not names & {"table.example.com", "table.fritz.box", "table.com"}
