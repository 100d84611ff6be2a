"""The URL with which other devices open the table page, and the QR code of this URL."""

from __future__ import annotations

import ipaddress
import re
import shutil
import socket
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO, StringIO
from typing import Annotated, NamedTuple, TextIO, TypedDict
from urllib.parse import urlsplit

import segno
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from reboard.config.pins_and_ports import Listen
from reboard.web.api_description import SVG, Answer, DescribedRoute, Operation, problem_of, query_parameter
from reboard.web.responses import DEFAULT_PORTS, problem

AVAHI = "/run/avahi-daemon/socket"
"""The Unix socket of avahi, the multicast DNS daemon. Requests and answers are lines of text."""
ANSWER_S = 0.5
"""The time limit for an answer from avahi, in seconds. Avahi knows this machine's name without asking the network."""
BEYOND_THE_ROUTER = ("192.0.2.1", 9)
"""An address that no machine has (RFC 5737), and a port. Connecting a UDP socket to it sends nothing."""


LONGEST_CODE = 8
"""The maximum length of a code in an invitation."""


class Invitation(NamedTuple):
    """The URL of the page for other devices.

    If *url* has a host name, *ip_url* is the same URL with the IP address, or ``""`` if the address is unknown. It is
    for Android before version 12, which cannot resolve names in ``.local``. If *url* has an IP address, *ip_url* is
    ``""``.
    """

    url: str
    ip_url: str = ""


def invitation(listen: Listen, came_by: str = "", scheme: str = "http") -> Invitation | None:
    """Return the invitation to a page that listens at *listen*, or ``None`` if only this machine can open the page.

    *came_by* is the ``Host`` header of a request, or ``""``, and *scheme* that of its URL. The invitation contains this
    host, unless the host name works only on this machine or with one network's DNS, such as ``localhost`` or
    ``raspberrypi``.
    """
    host, port = _host_and_port(came_by, scheme)
    if _is_number(host) and _is_shared(host):
        return Invitation(_url(host, port, scheme))
    name = number = ""
    if _is_number(listen.host) and ipaddress.ip_address(listen.host).is_unspecified:
        name, number = _own_name_and_number()
    if not _is_shared(host):
        host, port, scheme = name or number or listen.host, listen.port, "http"
    if not _is_shared(host):
        return None
    has_both = number and port == listen.port and not _is_number(host)
    return Invitation(_url(host, port, scheme), _url(number, port, scheme) if has_both else "")


def _host_and_port(host: str, scheme: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname or "", parts.port or DEFAULT_PORTS[scheme]
    except ValueError:
        return "", 0


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


def _url(host: str, port: int, scheme: str) -> str:
    where = str(Listen(host, port))
    return f"{scheme}://{where.removesuffix(f':{port}') if port == DEFAULT_PORTS[scheme] else where}"


def _own_name_and_number() -> tuple[str, str]:
    """Return this machine's multicast DNS name and IPv4 address, each ``""`` if it is unknown."""
    own = socket.gethostname().lower().partition(".")[0]
    number = _routed()
    # avahi renames this machine, for example to raspberrypi-2.local, if another one has its name already
    name = _avahi(f"RESOLVE-ADDRESS {number}")[-1] if number else ""
    if not re.fullmatch(rf"{re.escape(own)}(-\d+)?\.local", name):
        name, published = _published(f"{own}.local")
        number = number or published
    return (name, number) if _is_shared(number) else ("", "")


def _published(name: str) -> tuple[str, str]:
    """Return the multicast DNS name *name* and its address, or ``""`` twice if it is not of this machine."""
    address = _avahi(f"RESOLVE-HOSTNAME-IPV4 {name}")[-1]
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.bind((address, 0))  # fails for an address of another machine
    except OSError:
        return "", ""
    return (name, address) if address else ("", "")


def _avahi(question: str) -> list[str]:
    """Return the words of avahi's answer, of which the last one is the name or address, or ``[""]``."""
    try:
        with socket.socket(socket.AF_UNIX) as avahi:
            avahi.settimeout(ANSWER_S)
            avahi.connect(AVAHI)
            avahi.sendall(f"{question}\n".encode())
            # "+ 2 0 reboard.local 192.168.1.7" or "+ 2 0 reboard.local", or "-" and a reason
            answer = avahi.recv(1024).decode().split()
    except (OSError, ValueError):
        return [""]
    return answer if answer[:1] == ["+"] else [""]


def _routed() -> str:
    """Return the IPv4 address of this machine on the default route, or ``""`` if there is no route."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
        route.connect(BEYOND_THE_ROUTER)
        return str(route.getsockname()[0])
    return ""


def qr_svg(url: str) -> bytes:
    """Return the QR code of *url* as SVG, black on white in every theme, because some phones read no other colors."""
    file = BytesIO()
    segno.make_qr(url).save(
        file, kind="svg", xmldecl=False, omitsize=True, light="#fff", dark="#000", svgclass=None, lineclass=None
    )
    return file.getvalue()


def qr_lines(url: str, terminal: TextIO) -> str:
    """Return the QR code of *url* in half-block characters, or ``""`` if *terminal* cannot show it."""
    code = segno.make_qr(url)
    width, _ = code.symbol_size()
    if not terminal.isatty() or shutil.get_terminal_size().columns < width:
        return ""
    try:
        "▀▄█".encode(terminal.encoding or "ascii")
    except UnicodeError:
        return ""
    file = StringIO()
    code.terminal(file, compact=True)
    white_on_black, usual = "\x1b[38;5;231;48;5;16m", "\x1b[0m"
    return "".join(f"{white_on_black}{line}{usual}\n" for line in file.getvalue().splitlines())


def joining(url: str, code: str) -> str:
    """Return the *url* of the page with the *code* with which a phone joins, or *url* alone if *code* is empty."""
    return f"{url}/?join={code}" if code else url


def invitation_text(listen: Listen, terminal: TextIO, code: str = "") -> str:
    """Return the invitation to a page that listens at *listen*, with a QR code if *terminal* can show it.

    *code* is the code with which a phone joins, if any. Return ``""`` if no other device can open the page.
    """
    if not (it := invitation(listen)):
        return ""
    other = f" or {it.ip_url}" if it.ip_url else ""
    ends = f"\nThe code to join is {code}." if code else ""
    return f"{qr_lines(joining(it.url, code), terminal)}Phones in your network can open {it.url}{other}{ends}"


class Urls(TypedDict):
    """The address of the page for other devices."""

    url: Annotated[str | None, "null: no other device can open the page"]
    ip_url: Annotated[str | None, "the same with the IP address, if url has a name"]
    listens: Annotated[bool, "whether the page listens on the network; if so, a null url means that there is none"]


INVITATION = Operation(
    "invitation", "The address of the page for other devices in the network.", {200: Answer("The address.", Urls)}
)
QR_CODE = Operation(
    "qrCode",
    "That address as a QR code.",
    {
        200: Answer("The code, black on white.", None, SVG),
        404: problem_of("Only this machine can open the page."),
    },
    parameters=[query_parameter("join", {"type": "string"}, "The code with which a phone joins, as digits.")],
)


def invitation_routes(listen: Callable[[], Listen], *, do: str = "") -> list[DescribedRoute]:
    """Return the routes ``/qr.svg`` and ``/api/invitation`` for a page that listens where *listen* says.

    *do* says how other devices can open the page, by default the table page.
    """

    def invited(request: Request) -> Invitation | None:
        # any client may choose its scheme, because only this client gets the answer
        scheme = "https" if "https" in (request.url.scheme, request.headers.get("x-forwarded-proto")) else "http"
        return invitation(listen(), request.headers.get("host", ""), scheme)

    # Starlette runs these in threads, because avahi may take a moment
    def found(request: Request) -> Response:
        it = invited(request)
        listens = not listen().is_local
        return JSONResponse(Urls(url=it.url if it else None, ip_url=(it and it.ip_url) or None, listens=listens))

    def qr_code(request: Request) -> Response:
        if it := invited(request):
            join = re.sub(r"\D", "", request.query_params.get("join", ""))[:LONGEST_CODE]
            return Response(qr_svg(joining(it.url, join)), media_type=SVG)
        usual = f'set listen = "0.0.0.0:{listen().port}" in [page] of the config, and restart the page'
        return problem(f"only this machine can open the page: {do or usual}", 404)

    return [
        DescribedRoute("/api/invitation", found, get=INVITATION),
        DescribedRoute("/qr.svg", qr_code, get=QR_CODE),
    ]
