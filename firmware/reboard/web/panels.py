"""The panels of the accessories on pages: their files and descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from reboard.accessories.accessory import Accessory, absent_of, folder_of
from reboard.accessories.installed import accessories
from reboard.vocabulary.checks import arguments_of
from reboard.vocabulary.declared import PHONE
from reboard.vocabulary.declared import Request as TableRequest
from reboard.web.api_description import Answer, DescribedRoute, Operation

PANEL_FILES = ("panel.js", "panel.html", "art.css", "panel.css", "words.js")
"""The names of the files of an accessory's panel. Each file is optional."""


class ArgumentWords(TypedDict):
    """An argument of a request."""

    name: str
    words: Annotated[str, "what the argument must be"]
    optional: bool


class Panel(TypedDict):
    """An installed accessory."""

    name: Annotated[str, "the name of its section in table.toml"]
    title: str
    absent: Annotated[Mapping[str, object], "its keys of GET /api/table, with their values for a table without it"]
    parts: Annotated[Sequence[str], "the parts whose faults are its own"]
    requests: Annotated[
        Mapping[str, Sequence[ArgumentWords]], "the requests that it adds to POST /api/host/do, with their arguments"
    ]
    asks: Annotated[Sequence[str], "the requests that it adds to POST /api/ask"]
    kinds: Annotated[Mapping[str, str], "the kinds of its devices, by their settings in its section"]
    files: Annotated[Sequence[str], "the files of its panel, at /static/panels/{name}/"]


PANELS = Operation(
    "panels",
    "Every installed accessory, for the panels of the page.",
    {200: Answer("The accessories in their order.", lambda all_: {"type": "array", "items": all_.refer(Panel)})},
)


def panels_route() -> BaseRoute:
    """Return the route ``/api/panels``, which describes the accessories."""

    async def panels(_: Request) -> Response:
        return JSONResponse(described_accessories())

    return DescribedRoute("/api/panels", panels, get=PANELS)


def static_folders(page: Path) -> dict[str, list[Path]]:
    """Return the folders of each URL prefix, for a page whose own files are in the folder *page*."""
    panels = {name: folder_of(accessory, "panel") for name, accessory in accessories().items()}
    return {
        "/static/": [page, Path(__file__).parent / "shared"],
        **{f"/static/panels/{name}/": [folder] for name, folder in panels.items() if folder},
    }


def panel_files(*names: str) -> dict[str, list[str]]:
    """Return the URLs of those files *names* that the panel of each accessory has, and of its drawings."""
    return {name: _urls(name, folder_of(each, "panel"), names) for name, each in accessories().items()}


def _urls(accessory: str, folder: Path | None, names: Sequence[str]) -> list[str]:
    if folder is None:
        return []
    there = [name for name in names if (folder / name).exists()]
    drawings = sorted(drawing.name for drawing in folder.glob("*.svg"))
    return [f"/static/panels/{accessory}/{name}" for name in (*there, *drawings)]


def described_accessories() -> list[Panel]:
    """Return a description of each installed accessory, for the pages."""
    return [_described(accessory) for accessory in accessories().values()]


def _described(accessory: Accessory[Any]) -> Panel:
    folder = folder_of(accessory, "panel")
    requests = {name: each for name, each in accessory.vocabulary.requests.items() if not each.is_internal}
    return {
        "name": accessory.name,
        "title": accessory.title,
        "absent": absent_of(accessory),
        "parts": [accessory.name, *(device.title for device in accessory.fitted)],
        "requests": {name: _arguments(request) for name, request in requests.items() if request.changes},
        "asks": [name for name, request in requests.items() if request.is_for_players],
        "kinds": {device.noun: device.kind.name for device in accessory.fitted},
        "files": [name for name in (*PANEL_FILES, "picture.svg") if folder and (folder / name).exists()],
    }


def _arguments(request: type[TableRequest]) -> list[ArgumentWords]:
    return [
        {"name": argument.name, "words": argument.words, "optional": argument.is_optional}
        for argument in arguments_of(request)
        if argument.name != PHONE
    ]
