"""The phones that the page knows, by a cookie: those whose players have a card, and those that the host has blocked."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Annotated, TypedDict

from starlette.requests import Request

from reboard.accessories.shared_requests import SHORT_PHONE, JoinCode
from reboard.aiotools import loop_time
from reboard.control.table_requests import NotSentError, TableRequests
from reboard.errors import ReboardError
from reboard.vocabulary.declared import PHONE
from reboard.web.browser_requests import address_of
from reboard.web.rate_limit import Limits, RateLimit
from reboard.web.table_watch import TableWatch

COOKIE = "reboard_phone"
COOKIE_S = 365 * 86_400
"""The time for which a phone keeps its token, in seconds."""
TOKEN = re.compile("[A-Za-z0-9_-]{43}")

LIMITS = Limits(free=12, first_pause_s=2.0, longest_pause_s=2.0, forgotten_s=20.0, most_in_all=200)
"""The limits of requests from phones. All of them together only protect the Pi: that is ten requests a second.

The pause does not grow: a player who pays every few seconds all evening never waits.
"""

LONGEST_WAIT_S = 1.0
"""The time limit for asking the table about a phone, in seconds. A new page waits for the answer."""

MOST_KNOWN = 64
"""The maximum number of phones with a card, and that of blocked ones. One more forgets the oldest."""


def token_of(request: Request) -> str:
    """Return the token of the phone that sends *request*, or ``""``."""
    token = request.cookies.get(COOKIE, "")
    return token if TOKEN.fullmatch(token) else ""


def phone_of(token: str) -> str:
    """Return the name of the phone with a *token* at the table: a hash, from which no program can find the token."""
    return sha256(token.encode()).hexdigest()


class Phone(TypedDict):
    """A phone."""

    phone: Annotated[str, "its name, hex digits"]
    address: Annotated[str, "its IP address, as a hint for the host"]


class KnownPhones:
    """The phones that may send requests, and those that may host a table without a PIN.

    A phone with a card has a rate limit of its own, because a stranger can have the same address: behind a reverse
    proxy, or in the same IPv6 network. All others are counted by address. A phone can host if it has a card, and
    players pay at once, or only a host can confirm what they ask for, because there is no keypad. *watch* has the
    snapshots of the table at the control *socket*. A restart of the page forgets all.
    """

    def __init__(self, socket: Path, watch: TableWatch) -> None:
        self.blocked: dict[str, Phone] = {}
        """The blocked phones, keyed by short name, oldest first."""
        self._watch = watch
        self._table = TableRequests(socket, most_at_once=1)
        self._asking = asyncio.Lock()
        self._with_card: dict[str, None] = {}
        self._rate = RateLimit(loop_time, LIMITS)
        self._rate_of_others = RateLimit(loop_time, LIMITS)

    def is_blocked(self, phone: str) -> bool:
        return phone[:SHORT_PHONE] in self.blocked

    def block(self, phone: Phone) -> None:
        """Block a phone."""
        self.blocked[phone["phone"]] = phone
        while len(self.blocked) > MOST_KNOWN:
            del self.blocked[next(iter(self.blocked))]

    def begin(self, phone: str, address: str) -> float:
        """Return the time that *phone* must wait before a request, in seconds. 0 means that it is accepted."""
        return self._rate.begin(phone) if phone in self._with_card else self._rate_of_others.begin(address)

    def may_host(self, request: Request) -> bool:
        """Return whether a phone with a card may host now, and the one that sends *request* is not blocked."""
        snapshot = self._watch.snapshot or {}
        phones = snapshot.get("phones") or {}
        has_go = "keypad" in snapshot.get("fitted", ())
        may_any = bool(phones.get("cards")) and phones.get("pay") in (("free",) if has_go else ("free", "ask"))
        return may_any and not self.is_blocked(phone_of(token_of(request)))

    async def can_host(self, request: Request) -> bool:
        """Return whether the phone that sends *request* may become the host. If it asks too often, it may not."""
        if not self.may_host(request) or not (token := token_of(request)):
            return False
        phone = phone_of(token)
        return not self.begin(phone, address_of(request)) and await self.has_card(phone)

    async def has_card(self, phone: str) -> bool:
        """Return whether *phone* has a card. If the table does not answer, it has none."""
        with suppress(ReboardError):
            await self.check_card(phone)
            return True
        return False

    async def check_card(self, phone: str) -> None:
        """Ask the table whether *phone* has a card, and remember it.

        Raises `Rejection` if it has none, and `ControlSocketError` if the table does not answer.
        """
        try:
            # all phones ask when one has joined
            async with asyncio.timeout(LONGEST_WAIT_S), self._asking:
                await self._table.carry_out({"do": JoinCode.do, PHONE: phone}, by="the page")
        except TimeoutError:
            raise NotSentError("the table is busy: try again") from None
        self._with_card.pop(phone, None)
        self._with_card[phone] = None
        while len(self._with_card) > MOST_KNOWN:
            del self._with_card[next(iter(self._with_card))]

    async def notice(self, phone: str) -> None:
        """Ask the table about *phone*, of which it accepted a request, unless the phone is known to have a card."""
        if phone not in self._with_card:
            await self.has_card(phone)
