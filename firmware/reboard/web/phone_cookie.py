"""The cookie by which the page knows a phone, and the phones that may host a table without a PIN."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request

from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.shared_requests import JoinCode
from reboard.control.table_requests import NotSentError, TableRequests
from reboard.errors import ReboardError, Rejection
from reboard.vocabulary.declared import PHONE
from reboard.web.table_watch import TableWatch

COOKIE = "reboard_phone"
COOKIE_S = 365 * 86_400
"""The time for which a phone keeps its token, in seconds."""

TOKEN = re.compile("[A-Za-z0-9_-]{43}")

LONGEST_WAIT_S = 1.0
"""The time limit for asking the table about a phone, in seconds. A new page waits for the answer."""


def token_of(request: Request) -> str:
    """Return the token of the phone that sends *request*, or ``""``."""
    token = request.cookies.get(COOKIE, "")
    return token if TOKEN.fullmatch(token) else ""


def phone_of(token: str) -> str:
    """Return the name of the phone with a *token* at the table: a hash, from which no program can find the token."""
    return sha256(token.encode()).hexdigest()


class PhoneHosts:
    """The phones that may host a table without a PIN: those that have a card, while players pay at once.

    *watch* has the snapshots of the table at the control *socket*.
    """

    def __init__(self, socket: Path, watch: TableWatch) -> None:
        self._watch = watch
        self._table = TableRequests(socket, most_at_once=1)
        self._asking = asyncio.Lock()

    @property
    def may_be(self) -> bool:
        """Whether the table may have such hosts now."""
        phones = (self._watch.snapshot or {}).get("phones") or {}
        return bool(phones.get("cards")) and phones.get("pay") == "free"

    async def has(self, request: Request) -> bool:
        """Return whether the browser that sends *request* is such a phone. If the table does not answer, it is none."""
        with suppress(ReboardError):
            await self.check(request)
            return True
        return False

    async def check(self, request: Request) -> None:
        """Ask the table, which knows the phones with cards, whether *request* is from such a phone.

        Raises `Rejection` if it is not, and `ControlSocketError` if the table does not answer.
        """
        if not self.may_be or not (token := token_of(request)):
            raise Rejection(BankWhy.NO_PHONE)
        try:
            # all phones ask when one has joined
            async with asyncio.timeout(LONGEST_WAIT_S), self._asking:
                await self._table.carry_out({"do": JoinCode.do, PHONE: phone_of(token)}, by="the page")
        except TimeoutError:
            raise NotSentError("the table is busy: try again") from None
