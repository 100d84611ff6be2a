"""HTTP clients of the page without a browser and without a port."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from reboard.config.host_pin import HostPin
from reboard.web.power import Power
from reboard.web.responses import EventStreams
from reboard.web.table_page import make_app
from reboard_sim.virtual_time import run
from tests.reboard.web.api_description import Described
from tests.reboard.web.fake_table import FakeTable

PIN = HostPin.of("4711")

Client = httpx.AsyncClient


@asynccontextmanager
async def served(
    socket: Path, pin: HostPin | None = PIN, *, power: Power | None = None
) -> AsyncIterator[Callable[..., Client]]:
    """Yield a function that returns a client at an address. Every answer must be described."""
    names = {"localhost", "table.local"}
    app = make_app(socket, EventStreams(), names=names, pin=pin, power=power)

    def client(address: str = "192.168.1.7") -> Client:
        transport = Described(httpx.ASGITransport(app=app, client=(address, 50000)))
        return Client(transport=transport, base_url="http://localhost")

    async with app.router.lifespan_context(app):
        await asyncio.sleep(1)
        yield client


def with_page(
    tmp_path: Path,
    scenario: Callable[[Callable[..., Client], FakeTable], Awaitable[None]],
    *,
    pin: HostPin | None = PIN,
    power: Power | None = None,
) -> None:
    """Run *scenario* in virtual time with a function that returns clients, and a fake table."""

    async def main() -> None:
        table = FakeTable(tmp_path / "table.sock")
        await table.open()
        try:
            async with served(tmp_path / "table.sock", pin, power=power) as client:
                await scenario(client, table)
        finally:
            await table.socket.close()
        await asyncio.sleep(1)

    run(main)
