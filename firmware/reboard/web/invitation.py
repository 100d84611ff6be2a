"""The address at which other devices open the table page, and its QR code."""

from __future__ import annotations

import ipaddress
import shutil
import socket
from contextlib import suppress
from io import BytesIO, StringIO
from typing import NamedTuple, TextIO
from urllib.parse import urlsplit

import segno
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from reboard.config.pins_and_ports import Listen
from reboard.web.responses import problem

AVAHI = "/run/avahi-daemon/socket"
"""The socket at which the multicast DNS daemon of the OS answers nss-mdns. It speaks lines of text."""
ANSWER_S = 0.5
"""The time limit for avahi. It knows the name of its own machine without asking the network."""
BEYOND_THE_ROUTER = ("192.0.2.1", 9)
"""An address that exists nowhere (RFC 5737). A UDP socket that is connected to it sends nothing."""


class Invitation(NamedTuple):
    """The URL of the page for other devices. *ip_url* has the IP address if *url* has a name, and else is empty.

    Android resolves names in ``.local`` since version 12.
    """

    url: str
    ip_url: str = ""


def invitation(listen: Listen, came_by: str = "") -> Invitation | None:
    """Return how other devices open a page that listens at *listen*, or ``None`` if only this machine can.

    *came_by* is the ``Host`` of a request. An address by which one device came serves the others too, unless it has a
    meaning only on this machine or in one network's DNS, as ``localhost`` and ``raspberrypi`` have.
    """
    host, port = _host_and_port(came_by)
    if _is_number(host) and _is_shared(host):
        return Invitation(_url(host, port))
    name = number = ""
    if _is_number(listen.host) and ipaddress.ip_address(listen.host).is_unspecified:
        name, number = _own_name_and_number()
    if not _is_shared(host):
        host, port = name or number or listen.host, listen.port
    if not _is_shared(host):
        return None
    has_both = number and port == listen.port and not _is_number(host)
    return Invitation(_url(host, port), _url(number, port) if has_both else "")


def _host_and_port(host: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname or "", parts.port or 80
    except ValueError:
        return "", 80


def _is_shared(host: str) -> bool:
    if not _is_number(host):
        return "." in host and not host.endswith(".localhost")
    number = ipaddress.ip_address(host)
    return not (number.is_loopback or number.is_unspecified)


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _url(host: str, port: int) -> str:
    where = Listen(host, port)
    return f"http://{where}" if port != 80 else f"http://{where}".removesuffix(":80")


def _own_name_and_number() -> tuple[str, str]:
    """Return the name of this machine in multicast DNS, if it has one, and its IPv4 address, if it has a network."""
    name, number = _published()
    number = _routed() or number
    return (name, number) if _is_shared(number) else ("", "")


def _published() -> tuple[str, str]:
    """Return ``<hostname>.local`` and its address, if avahi runs and no other machine has taken the name."""
    name = f"{socket.gethostname().lower().partition('.')[0]}.local"
    try:
        with socket.socket(socket.AF_UNIX) as avahi:
            avahi.settimeout(ANSWER_S)
            avahi.connect(AVAHI)
            avahi.sendall(f"RESOLVE-HOSTNAME-IPV4 {name}\n".encode())
            # "+ 2 0 reboard.local 192.168.1.7", or "-" and a reason
            answer = avahi.recv(1024).decode().split()
        if answer[:1] != ["+"]:
            return "", ""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.bind((answer[-1], 0))  # fails for an address of another machine
    except (OSError, ValueError):
        return "", ""
    return name, answer[-1]


def _routed() -> str:
    """Return the IPv4 address of this machine on the default route."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
        route.connect(BEYOND_THE_ROUTER)
        return str(route.getsockname()[0])
    return ""


def qr_svg(url: str) -> bytes:
    """Return the QR code of *url* as a picture. It is black on white in every theme, for phones that need that."""
    file = BytesIO()
    segno.make_qr(url).save(
        file, kind="svg", xmldecl=False, omitsize=True, light="#fff", dark="#000", svgclass=None, lineclass=None
    )
    return file.getvalue()


def qr_lines(url: str, terminal: TextIO) -> str:
    """Return the QR code of *url* in half-block characters, or ``""`` if *terminal* cannot show it."""
    code = segno.make_qr(url)
    width, _ = code.symbol_size()
    if not terminal.isatty() or shutil.get_terminal_size().columns < width or not _has_blocks(terminal):
        return ""
    file = StringIO()
    code.terminal(file, compact=True)
    white_on_black, usual = "\x1b[38;5;231;48;5;16m", "\x1b[0m"
    return "".join(f"{white_on_black}{line}{usual}\n" for line in file.getvalue().splitlines())


def _has_blocks(terminal: TextIO) -> bool:
    try:
        "▀▄█".encode(terminal.encoding or "ascii")
    except UnicodeError:
        return False
    return True


def invitation_text(listen: Listen, terminal: TextIO) -> str:
    """Return the invitation to a page that listens at *listen*, with a QR code if *terminal* can show it.

    It is ``""`` if only this machine can open the page.
    """
    if not (it := invitation(listen)):
        return ""
    other = f" or {it.ip_url}" if it.ip_url else ""
    return f"{qr_lines(it.url, terminal)}Phones in your network can open {it.url}{other}"


def invitation_routes(listen: Listen) -> list[Route]:
    """Return the routes ``/qr.svg`` and ``/api/invitation`` for a table page that listens at *listen*."""

    # Starlette runs these in threads, because avahi may take a moment
    def found(request: Request) -> Response:
        it = invitation(listen, request.headers.get("host", ""))
        return JSONResponse({"url": it.url if it else None, "ip_url": (it and it.ip_url) or None})

    def qr_code(request: Request) -> Response:
        if it := invitation(listen, request.headers.get("host", "")):
            return Response(qr_svg(it.url), media_type="image/svg+xml")
        return problem("only this machine can open the page: listen in [page] of the config opens it to others", 404)

    return [Route("/api/invitation", found), Route("/qr.svg", qr_code)]
