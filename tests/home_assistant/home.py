"""A real Home Assistant of one's own: its process, and its REST API."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.waiting import PATIENCE_S

KEPT_IN = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reboard-home-assistant"
HASS = KEPT_IN / "venv" / "bin" / "hass"

# without "default_config", which needs the network
CONFIGURATION = """\
http: {{server_host: 127.0.0.1, server_port: {port}}}
homeassistant: {{name: Test, latitude: 0, longitude: 0, elevation: 0, unit_system: metric, time_zone: UTC, country: DE}}
logger: {{default: warning}}
frontend:
config:
"""

# this step would set up integrations that need the network
ONBOARDING = {"version": 4, "minor_version": 1, "key": "onboarding", "data": {"done": ["core_config"]}}

PASSWORD = "only for a test"


class Home:
    """Home Assistant in *folder*, with *configuration* beside what it needs."""

    def __init__(self, folder: Path, configuration: str = "") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.log = folder / "home-assistant.log"
        self._folder = folder
        folder.mkdir()
        storage = folder / ".storage"
        storage.mkdir()
        (storage / "onboarding").write_text(json.dumps(ONBOARDING))
        (folder / "configuration.yaml").write_text(CONFIGURATION.format(port=port) + configuration)
        self._process: asyncio.subprocess.Process | None = None
        self._client = httpx.AsyncClient(base_url=self.url, timeout=60)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Home]:
        try:
            await self.start()
            yield self
        finally:
            await self.stop()
            await self._client.aclose()

    async def start(self) -> None:
        with self.log.open("ab") as log:
            options = ("--skip-pip", "--config", self._folder)
            self._process = await asyncio.create_subprocess_exec(HASS, *options, stdout=log, stderr=log)
        await self.until(self._is_running, "Home Assistant runs")

    async def stop(self) -> None:
        if self._process and self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(self._process.wait(), PATIENCE_S)

    async def call(self, method: str, path: str, **what: Any) -> Any:
        answer = await self._client.request(method, path, **what)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    async def onboard(self) -> None:
        """Make a user, and sign in for half an hour."""
        user = {"name": "Test", "username": "test", "password": PASSWORD, "language": "en", "client_id": f"{self.url}/"}
        code = (await self.call("POST", "/api/onboarding/users", json=user))["auth_code"]
        form = {"grant_type": "authorization_code", "code": code, "client_id": f"{self.url}/"}
        token = (await self.call("POST", "/auth/token", data=form))["access_token"]
        self._client.headers["Authorization"] = f"Bearer {token}"
        await self.call("POST", "/api/onboarding/analytics", json={})
        ways = {"client_id": f"{self.url}/", "redirect_uri": f"{self.url}/"}
        await self.call("POST", "/api/onboarding/integration", json=ways)

    async def add_mqtt(self, **settings: object) -> None:
        flows = "/api/config/config_entries/flow"
        flow = await self.call("POST", flows, json={"handler": "mqtt"})
        made = await self.call("POST", f"{flows}/{flow['flow_id']}", json=settings)
        assert made["type"] == "create_entry", made

    async def states(self) -> dict[str, Any]:
        """Return all states, keyed by the entity's id."""
        return {state["entity_id"]: state for state in await self.call("GET", "/api/states")}

    async def shows(self, entity: str, state: str | None, **attributes: object) -> None:
        """Wait until *entity* has this *state* and these *attributes*; with ``None``, until it is gone."""

        def holds(states: dict[str, Any]) -> bool:
            seen = states.get(entity)
            if seen is None or state is None:
                return seen is None and state is None
            return bool(seen["state"] == state and attributes.items() <= seen["attributes"].items())

        try:
            await self.until_states(holds, entity)
        except TimeoutError:
            seen = (await self.states()).get(entity)
            raise AssertionError(f"{entity} is not {state} {attributes}, but {seen}") from None

    async def until_states(self, holds: Callable[[dict[str, Any]], bool], what: str) -> None:
        async def look() -> bool:
            return holds(await self.states())

        await self.until(look, what)

    async def until(self, look: Callable[[], Any], what: str) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    if await look():
                        return
                except httpx.TransportError:
                    pass
                assert self._process, what
                assert self._process.returncode is None, f"Home Assistant has ended: see {self.log}"
                await asyncio.sleep(0.2)

    async def _is_running(self) -> bool:
        if "Authorization" in self._client.headers:
            return bool((await self.call("GET", "/api/config"))["state"] == "RUNNING")
        return bool(await self.call("GET", "/api/onboarding"))
