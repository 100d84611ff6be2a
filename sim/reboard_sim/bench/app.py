"""The HTTP application of the bench."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import starmap
from typing import Any, BinaryIO, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from reboard.accessories.installed import accessories
from reboard.config.pins_and_ports import Listen
from reboard.devices.readers.card_tags import mixed_readers
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.editions.edition import editions_in_the_box
from reboard.errors import ReboardError
from reboard.languages import Texts
from reboard.languages.html_texts import translated
from reboard.vocabulary.schema import Schema
from reboard.web.api_description import DescribedRoute, description
from reboard.web.bundle import language_of
from reboard.web.invitation import invitation_routes
from reboard.web.page_app import page_app
from reboard.web.panels import described_accessories, panels_route
from reboard.web.responses import BadRequest, EventStreams, problem, sse_response
from reboard_sim.accessories.installed import faults
from reboard_sim.bench import api
from reboard_sim.bench.act_requests import MOST_SCENE_BYTES as MOST_SCENE_BYTES
from reboard_sim.bench.act_requests import Work, answer_to, demo_in, lines_in, queue_in, setup_in, time_in
from reboard_sim.bench.bench_acts import DEMO, LONGEST_SCENE_S, NONE, BenchTable, Listener
from reboard_sim.bench.panels import (
    bench_bundle,
    described_generic,
    help_html,
    in_page_order,
    panels_html,
)
from reboard_sim.bench.runtime import COMMAND, Runtime
from reboard_sim.bench.streams import EventFeed, LivePages, numbered
from reboard_sim.bench.switches import OF_PHONES
from reboard_sim.session import exports

log = logging.getLogger(__name__)

CHUNK_BYTES = 1 << 16


class Attachment(StreamingResponse):
    """A response with a file for the browser to save. The file is closed even if the browser disconnects early."""

    def __init__(self, file: BinaryIO, name: str, media_type: str) -> None:
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        super().__init__(self._chunks(), media_type=media_type, headers=headers)
        self._file = file

    async def _chunks(self) -> AsyncIterator[bytes]:
        while chunk := await asyncio.to_thread(self._file.read, CHUNK_BYTES):
            yield chunk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._file:
            await super().__call__(scope, receive, send)


async def attachment(name: str, media_type: str, write: Callable[[BinaryIO], None]) -> Response:
    """Return a response with a file for the browser to save as *name*. *write* writes it in a worker thread."""
    return Attachment(await asyncio.to_thread(_written, write), name, media_type)


def _written(write: Callable[[BinaryIO], None]) -> BinaryIO:
    with ExitStack() as given_back:
        file = given_back.enter_context(tempfile.TemporaryFile())
        write(file)
        file.seek(0)
        given_back.pop_all()
        return file


MOST_CLIENTS = 20
"""The maximum number of clients of the server-sent events."""

LONGEST_FIRST_STATE_S = 0.3
"""The time limit for reading the state of the table for a new page, in seconds."""


@dataclass(frozen=True)
class Streams:
    """The event streams of the bench. The server cannot stop before they end.

    *ended* is set when the streams end. It also cancels requests in progress, and closes the WebSockets.
    """

    events: EventStreams = field(default_factory=lambda: EventStreams(most_clients=MOST_CLIENTS))
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def end_all(self) -> None:
        self.ended.set()
        self.events.end_all()


class PageLink(NamedTuple):
    """The link to a table page: its *url* on this machine, its listening address, and the host's *pin* (or ``""``)."""

    url: str
    listens_at: Listen
    pin: str = ""


class PageBeside:
    """The table page beside the bench, whose `link` is fixed."""

    can_let_in = False
    """Whether `let_in` works."""

    def __init__(self, link: PageLink) -> None:
        self.link = link

    @property
    def lets_in(self) -> bool:
        """Whether other devices can open the page."""
        return not self.link.listens_at.is_local

    def let_in(self, phones: bool) -> None:
        """Listen on the network if *phones* is true, or else on this machine only. `link` changes."""
        raise NotImplementedError

    def as_json(self) -> dict[str, Any]:
        return {
            "url": self.link.url,
            "pin": self.link.pin,
            "lets_in": self.lets_in,
            "can_let_in": self.can_let_in,
        }


def make_app(
    virtual: BenchTable, streams: Streams, table_page: PageBeside | None = None, runtime: Runtime = COMMAND
) -> Starlette:
    """Return the HTTP application of the bench, which *runtime* runs.

    *table_page* is the table page beside it, or ``None`` for none.
    """
    bench = _Bench(virtual, streams, table_page, runtime)

    @cache
    def described() -> Response:
        return JSONResponse(described_api(app))

    async def openapi(_: Request) -> Response:
        return described()

    app = page_app(
        [
            DescribedRoute("/", bench.page, get=api.PAGE),
            DescribedRoute("/api/table", bench.table, get=api.TABLE),
            DescribedRoute("/api/events", bench.events, get=api.EVENTS),
            DescribedRoute("/api/openapi.json", openapi, get=api.DESCRIPTION),
            DescribedRoute("/api/bench", bench.choices, get=api.CHOICES),
            WebSocketRoute("/api/bench/live", bench.live),
            DescribedRoute("/api/bench/ledger", bench.ledger, get=api.LEDGER),
            DescribedRoute("/api/bench/export/{name}", bench.export, get=api.EXPORT),
            DescribedRoute("/api/bench/wiring.svg", bench.wiring, get=api.WIRING),
            DescribedRoute("/api/bench/do", bench.do, post=api.DO),
            DescribedRoute("/api/bench/demo", bench.demo, post=api.DEMO),
            DescribedRoute("/api/bench/time", bench.time, post=api.TIME),
            DescribedRoute("/api/bench/scene", bench.scene, get=api.SCENE, post=api.SET_SCENE),
            DescribedRoute("/api/bench/phones", bench.phones, get=api.PHONES, post=api.LET_IN),
            panels_route(),
            *(invitation_routes(lambda: table_page.link.listens_at) if table_page else ()),
            *bench.bundle.routes,
        ],
        bench.run,
        names=("localhost",),
    )
    return app


def described_api(app: Starlette) -> Schema:
    """Return the OpenAPI description of the bench *app*."""
    return description(app.routes, info=api.INFO, parts=[api.OfBench])


class _Bench:
    def __init__(self, virtual: BenchTable, streams: Streams, table_page: PageBeside | None, runtime: Runtime) -> None:
        self._virtual = virtual
        self._streams = streams
        self._table_page = table_page
        self._feed = EventFeed()
        # a program drives its devices without events, and a short pulse must be seen
        can_rest = not runtime.has_program
        self._pages = LivePages(virtual.hardware, virtual.open_inside_view, streams.ended, can_rest=can_rest)
        self._runtime = runtime
        self.bundle = bench_bundle(runtime)
        titles = {device.label: device.title for each in accessories().values() for device in each.fitted}
        self._demos = {
            name: demo.read_text("utf-8").splitlines()
            for name, accessory in in_page_order(runtime)
            for demo in accessory.files("demo.play")
        }
        self._faults = [
            {
                "name": fault.name,
                "meaning": fault.meaning,
                "accessory": fault.accessory,
                "device": fault.part if "." in fault.part else None,
                "part": titles.get(fault.part, fault.part),
            }
            for fault in faults().values()
        ]
        self._choices = {
            "editions": [
                {"name": edition.name, "title": edition.title, "units": edition.money.units}
                for edition in editions_in_the_box()
            ],
            "mixed_readers": {
                left: {right: mixed.what for right in READER_KINDS if (mixed := mixed_readers(left, right))}
                for left in READER_KINDS
            },
            "accessories": [name for name, _ in in_page_order(runtime)],
            "demos": list(self._demos),
            "acts": list(virtual.vocabulary()),
            "read_only": virtual.read_only,
            "longest_scene_s": LONGEST_SCENE_S,
            "modules": runtime.modules,
            "loads_links": runtime.loads_links,
            "has_program": runtime.has_program,
        }

    async def run(self) -> None:
        """Send what the table reports to the pages, until cancelled."""
        loop = asyncio.get_running_loop()

        def on_our_loop(listen: Callable[..., None], *news: object) -> None:
            with suppress(RuntimeError):  # the loop is closed: the bench was shut down meanwhile
                loop.call_soon_threadsafe(listen, *news)

        is_due = self._pages.is_due

        def report_work() -> None:
            if not is_due.is_set():  # a fast table works a thousand times between two looks
                on_our_loop(is_due.set)

        listener = Listener(
            event=partial(on_our_loop, self._send_event),
            sound=partial(on_our_loop, self._hear),
            refusal=partial(on_our_loop, self._pages.publish, "refusals"),
            work=report_work,
        )
        self._virtual.listeners.append(listener)
        try:
            await self._pages.watch()
        finally:
            self._virtual.listeners.remove(listener)

    def _send_event(self, event: dict[str, Any]) -> None:
        number = self._feed.add(event)
        self._streams.events.publish(numbered(number, event))
        self._pages.publish("events", [number, event])

    def _hear(self, t: float, pcm: bytes) -> None:
        if pcm.strip(b"\0"):  # silence is not sent
            self._pages.publish_sound(t, pcm)

    async def page(self, request: Request) -> Response:
        say = Texts(language_of(request))
        accessories = [] if self._runtime.has_program else described_accessories()
        state: dict[str, object] = {"choices": self._choices_in(say), "accessories": accessories}
        state |= {"past": self._feed.recent(), "after": self._feed.count}
        with suppress(TimeoutError):  # a busy table: the page asks for these itself
            async with asyncio.timeout(LONGEST_FIRST_STATE_S):
                for name, ask in (("scene", partial(self._scene_in, say)), ("table", self._virtual.table)):
                    state[name] = await asyncio.to_thread(ask)
        contents = {
            "<!-- runtime -->": translated(self._runtime.html(), say),
            "<!-- accessories -->": translated(panels_html(self._runtime), say),
            "<!-- help of the accessories -->": translated(help_html(self._runtime), say),
        }
        if "inside" in request.query_params:
            # its place, so that nothing moves when it opens
            contents |= {'class="desk"': 'class="desk docked"', 'id="inside" hidden': 'id="inside"'}
        return self.bundle.page(request, state, contents)

    async def table(self, _: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(self._virtual.table))

    def _choices_in(self, say: Texts) -> dict[str, object]:
        named = [{**fault, **{key: say(str(fault[key])) for key in ("part", "meaning")}} for fault in self._faults]
        readers = {kind.name: say(kind.title) for kind in READER_KINDS.values()} | {NONE: say(NONE)}
        of_language = {"readers": readers, "generic": described_generic(say), "faults": named}
        page = self._table_page.as_json() if self._table_page else None
        return {**self._choices, **of_language, "table_page": page, "remedy": self._runtime.remedy(say)}

    async def choices(self, request: Request) -> Response:
        return JSONResponse(self._choices_in(Texts(language_of(request))))

    async def events(self, request: Request) -> Response:
        return sse_response(request, self._streams.events, lambda: starmap(numbered, self._feed.missed(request)))

    async def live(self, socket: WebSocket) -> None:
        # one connection for everything: a browser opens only six others to one server, for all its windows together
        await self._pages.serve(socket, lambda: self._feed.missed(socket))

    async def ledger(self, _: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(self._virtual.ledger))

    async def export(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in exports():
            return problem(f"There is no such file. The files are {', '.join(exports())}.", 404)
        media_type, _ = exports()[name]
        try:
            return await attachment(f"reboard-{name}", media_type, partial(self._virtual.export, name))
        except ReboardError as error:
            return problem(error, 404)

    async def wiring(self, _: Request) -> Response:
        try:
            return Response(await asyncio.to_thread(self._virtual.wiring), media_type="image/svg+xml")
        except ReboardError as error:
            return problem(error, 404)

    async def _answer(self, request: Request, work: Work, *most: int) -> Response:
        self._pages.stir()
        try:
            return await answer_to(request, work, self._streams.ended, *most)
        finally:
            self._pages.stir()

    async def do(self, request: Request) -> Response:
        async def work(asked: dict[str, Any]) -> Response:
            lines, queue = lines_in(asked), queue_in(asked)
            is_done = await asyncio.wrap_future(self._virtual.do(lines, queue))
            now = await asyncio.to_thread(self._virtual.table)
            return JSONResponse(now, status_code=200 if is_done else 202)

        return await self._answer(request, work)

    async def demo(self, request: Request) -> Response:
        async def work(asked: dict[str, Any]) -> Response:
            name, stops = demo_in(asked, self._demos)
            now = await asyncio.to_thread(self._virtual.hardware)
            if now["pace"] == 0:
                await asyncio.wrap_future(self._virtual.choose_pace(1))
            if stops:
                await asyncio.wrap_future(self._virtual.finish(DEMO + name))
            elif name in now.get("demos", ()):
                raise BadRequest("A demo is running. Wait until it ends, or stop it.", 409)
            else:
                demo = asyncio.wrap_future(self._virtual.do(self._demos[name], DEMO + name))
                demo.add_done_callback(_log_failure)
                await asyncio.shield(demo)  # it goes on without its page, because its last lines restore the table
            return JSONResponse(await asyncio.to_thread(self._virtual.table))

        return await self._answer(request, work)

    async def time(self, request: Request) -> Response:
        async def work(asked: dict[str, Any]) -> Response:
            steps, pace = time_in(asked)
            await asyncio.wrap_future(self._virtual.step() if steps else self._virtual.choose_pace(pace))
            now = await asyncio.to_thread(self._virtual.hardware)
            return JSONResponse({name: now[name] for name in ("t", "pace", "rate")})

        return await self._answer(request, work)

    async def scene(self, request: Request) -> Response:
        if request.method != "POST":
            return JSONResponse(await asyncio.to_thread(self._scene_in, Texts(language_of(request))))

        async def work(asked: dict[str, Any]) -> Response:
            setup, seed, lines = setup_in(asked)
            if asked.get("check") is True:
                await asyncio.to_thread(self._virtual.check_scene, setup, lines)
            else:
                await asyncio.wrap_future(self._virtual.set_scene(setup, seed, lines))
            return JSONResponse(await asyncio.to_thread(self._virtual.table))

        return await self._answer(request, work, MOST_SCENE_BYTES)

    def _scene_in(self, say: Texts) -> dict[str, Any]:
        switches = self._virtual.switches(say)
        hidden = () if self._table_page else OF_PHONES
        return {
            **self._virtual.scene(),
            "switches": [switch for switch in switches if switch["setting"] not in hidden],
        }

    async def phones(self, request: Request) -> Response:
        if request.method != "POST":
            return JSONResponse({"code": await asyncio.to_thread(self._virtual.join_code)})

        async def work(asked: dict[str, Any]) -> Response:
            page, phones = self._table_page, asked.get("let_in")
            if not isinstance(phones, bool):
                raise BadRequest('Send {"let_in": true} or false.')
            if page is None or not page.can_let_in:
                raise BadRequest("This bench has no table page that can let phones in.", 404)
            await asyncio.to_thread(page.let_in, phones)
            return JSONResponse(page.as_json())

        return await self._answer(request, work)


def _log_failure(demo: asyncio.Future[bool]) -> None:
    # its page may be gone
    if not demo.cancelled() and (problem := demo.exception()):
        log.warning("a demo ended early: %s", problem)
