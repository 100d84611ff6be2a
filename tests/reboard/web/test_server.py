from __future__ import annotations

import os
import socket

import pytest

from reboard.web.server import ListenError, listening

pytestmark = pytest.mark.realtime


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid"])
def test_an_address_of_another_machine_is_told(host: str) -> None:
    with pytest.raises(ListenError, match="cannot be listened on"):
        listening(host, 8080, option="--listen")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may have every port")
def test_a_port_for_root_alone_is_told() -> None:
    with pytest.raises(ListenError, match="Permission denied"):
        listening("127.0.0.1", 80, option="--listen")


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_the_page_may_listen_on_ipv6() -> None:
    with listening("::1", 0, option="--listen") as taken:
        assert taken.family == socket.AF_INET6
