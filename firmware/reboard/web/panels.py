"""The panels of the accessories, as the browser gets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from reboard.accessories.accessory import Accessory, Argument, accessories

FILES = ("panel.js", "panel.html", "panel.css", "words.js")
"""The files of a panel; each may be missing."""


def panel_routes() -> list[BaseRoute]:
    """Return ``/api/panels`` with all accessories, and ``/static/panels/<name>/`` with the files of each."""

    async def panels(_: Request) -> Response:
        return JSONResponse([_described(accessory) for accessory in accessories().values()])

    files = [
        Mount(f"/static/panels/{name}", StaticFiles(directory=folder))
        for name, accessory in accessories().items()
        if (folder := accessory.panel())
    ]
    return [Route("/api/panels", panels), *files]


def _described(accessory: Accessory[Any]) -> dict[str, object]:
    folder = accessory.panel()
    return {
        "name": accessory.name,
        "title": accessory.title,
        "absent": accessory.absent_snapshot,
        "parts": [accessory.name, *(device.title for device in accessory.devices(None))],
        "requests": {
            name: _arguments(request.arguments) for name, request in accessory.requests.items() if request.changes
        },
        "files": [name for name in FILES if folder and (folder / name).exists()],
    }


def _arguments(arguments: Mapping[str, Argument]) -> list[dict[str, object]]:
    return [
        {"name": name, "words": argument.words, "optional": argument.may_be_left_out}
        for name, argument in arguments.items()
    ]
