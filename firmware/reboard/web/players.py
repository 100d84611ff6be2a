"""The HTTP request of players without the host's PIN, and the phones that send it.

The page gives each phone a random token, and its hash to the table, which knows what the phone may do. The host can
block phones that ask for something else than their players want.
"""

from __future__ import annotations

import logging
import math
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypedDict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from reboard.accessories.installed import all_requests
from reboard.accessories.shared_requests import SHORT_PHONE
from reboard.aiotools import loop_time
from reboard.control.table_requests import TableRequests
from reboard.errors import ReboardError
from reboard.record import Record
from reboard.vocabulary.declared import PHONE, Waits
from reboard.vocabulary.limits import Length
from reboard.web.api_description import (
    BUSY,
    Answer,
    DescribedRoute,
    Operation,
    players_answers,
    players_requests,
    problem_of,
    refusal,
    too_often,
)
from reboard.web.browser_requests import ACCEPTED, HOST, REJECTED, address_of, answered, check, json_object, sender
from reboard.web.host import TOKEN_BYTES, Host
from reboard.web.known_phones import COOKIE, COOKIE_S, MOST_KNOWN, KnownPhones, Phone, phone_of, token_of
from reboard.web.rate_limit import RateLimit
from reboard.web.responses import BadRequest, problem, too_many
from reboard.web.table_watch import TableWatch

log = logging.getLogger(__name__)

MOST_AT_ONCE = 4
"""The maximum number of players' requests that wait for the table at once. The host's requests do not count."""

LAG_S = 0.5
"""The time in seconds within which the page's snapshot of the table has an accepted request."""


class AskingPhones(TypedDict):
    """The phones of players."""

    waiting: Annotated[Mapping[str, Phone], "the phone of each request of a player that waits, by its id"]
    blocked: Annotated[Sequence[Phone], Length(0, MOST_KNOWN), "the blocked phones, oldest first"]


class Blocking(TypedDict):
    """Whether a phone is blocked."""

    phone: Annotated[str, "its name"]
    blocked: bool


class _Asked(Record):
    """A request of *phone*, which the page's snapshot has from *answered_s*, if it waits."""

    phone: Phone
    answered_s: float


ASK = Operation(
    "ask",
    "Send a request as a player: the table knows which card the phone has.",
    {
        200: Answer("The table's answer. The first sets the cookie that names the phone.", players_answers),
        403: refusal("The host has blocked this phone, or the request comes from a page of another site."),
        409: refusal("The table refuses, with the reason."),
        429: too_often("This phone or address asks too often, or has sent too many wrong codes."),
        503: BUSY,
    },
    body=players_requests,
)
PHONES = Operation(
    "phones",
    "From which phones requests of players wait, and which are blocked.",
    {200: Answer("The phones.", AskingPhones)},
    is_hosts=True,
)
BLOCK = Operation(
    "block",
    "Block the requests of a phone, or allow them again.",
    {
        204: Answer("Done. The requests of a blocked phone that wait are rejected."),
        404: problem_of("No request of such a phone waits."),
        409: problem_of("It is the phone of the host."),
    },
    body=Blocking,
    is_hosts=True,
)


class Players:
    """The HTTP routes of players, for the table at the control *socket*.

    The snapshots of *watch* have the requests that wait to be confirmed. *host* may block some of *phones*.
    """

    def __init__(self, socket: Path, host: Host, watch: TableWatch, phones: KnownPhones) -> None:
        self._host = host
        self._watch = watch
        self._known = phones
        self._guesses = RateLimit(loop_time)
        self._table = TableRequests(socket, most_at_once=MOST_AT_ONCE)
        self._hosts_table = TableRequests(socket, most_at_once=MOST_AT_ONCE)
        self._asked: dict[tuple[Waits, str], _Asked] = {}
        self.routes = [
            DescribedRoute("/api/ask", self._ask, post=ASK),
            DescribedRoute("/api/host/phones", self._phones, get=PHONES, post=BLOCK),
        ]

    async def _ask(self, request: Request) -> Response:
        body = await json_object(request)
        do = body.get("do")
        allowed = [name for name, kind in all_requests().items() if kind.is_for_players]
        if do not in allowed:
            raise BadRequest(f'"do" must be one of {", ".join(allowed)}')
        check(body)
        address, token = address_of(request), token_of(request)
        phone = phone_of(token or (new_token := secrets.token_urlsafe(TOKEN_BYTES)))
        if self._known.is_blocked(phone):
            return problem("the host has blocked requests from this phone", 403, why="blocked")
        if wait_s := math.ceil(self._known.begin(phone, address)):
            return too_many("you ask too often", wait_s)
        guesses = bool(body.get(all_requests()[do].secret))
        if guesses and (wait_s := math.ceil(self._guesses.begin(address))):
            return too_many("too many wrong codes", wait_s, why="wrong code")
        answer = await self._answer(body, phone, address)
        if guesses and answer.status_code != REJECTED:
            self._guesses.forgive(address)
        if answer.status_code == ACCEPTED:
            await self._known.notice(phone)
        if not token:
            answer.set_cookie(COOKIE, new_token, max_age=COOKIE_S, httponly=True, samesite="strict")
        return answer

    async def _answer(self, body: dict[str, Any], phone: str, address: str) -> Response:
        """Pass a request of *phone* on to the table, and keep which phone it is from if it can wait."""
        kind = all_requests()[body["do"]]
        key = (kind.waits, body[kind.waits.id]) if kind.waits else None
        is_new = key not in self._waiting()
        if key and is_new:
            # until the answer, which a slow disk delays
            self._asked[key] = _Asked(Phone(phone=phone[:SHORT_PHONE], address=address), math.inf)
        sent = {**body, PHONE: phone} if kind.has_phone else body
        try:
            answer = await answered(self._table.carry_out(sent, by="a phone"))
        finally:
            if key in self._asked:
                self._asked[key] = _Asked(self._asked[key].phone, loop_time())
        if key and is_new and answer.status_code == REJECTED:
            self._asked.pop(key, None)
        return answer

    def _waiting(self) -> dict[tuple[Waits, str], Phone]:
        """Return the phone of each request that waits to be confirmed. Forget the others."""
        snapshot = self._watch.snapshot or {}
        listed = {
            (kind.waits, entry[kind.waits.id])
            for kind in all_requests().values()
            if kind.waits
            for entry in snapshot.get(kind.waits.listed, ())
        }
        now_s = loop_time()
        self._asked = {
            key: asked for key, asked in self._asked.items() if key in listed or now_s < asked.answered_s + LAG_S
        }
        return {key: asked.phone for key, asked in self._asked.items()}

    async def _phones(self, request: Request) -> Response:
        self._host.must_be_host(request, "see and block phones")
        if request.method == "POST":
            return await self._block(request, await json_object(request))
        waiting = {request_id: phone for (_, request_id), phone in self._waiting().items()}
        return JSONResponse(AskingPhones(waiting=waiting, blocked=[*self._known.blocked.values()]))

    async def _block(self, request: Request, body: dict[str, Any]) -> Response:
        name, is_blocked = body.get("phone"), body.get("blocked")
        if not isinstance(name, str) or not isinstance(is_blocked, bool) or len(body) > len(("phone", "blocked")):
            raise BadRequest('send {"phone": "1f83d9ab", "blocked": true} or false')
        if not is_blocked:
            self._known.blocked.pop(name, None)
        elif (token := token_of(request)) and phone_of(token)[:SHORT_PHONE] == name:
            return problem("this is your own phone: you cannot block it", 409)
        elif phone := next((each for each in self._waiting().values() if each["phone"] == name), None):
            self._known.block(phone)
            await self._reject(name)
        else:
            return problem("no request of this phone waits: block it when it asks again", 404)
        log.info("%s the phone %s, by %s, at %s", "block" if is_blocked else "unblock", name, HOST, sender(request))
        return Response(status_code=204)

    async def _reject(self, name: str) -> None:
        for (waits, request_id), phone in self._waiting().items():
            if phone["phone"] == name:
                with suppress(ReboardError):  # it has just ended, or the host can still reject it
                    await self._hosts_table.carry_out({"do": waits.reject, waits.id: request_id}, by=HOST)
