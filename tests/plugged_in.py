"""Accessories that are installed for the time of a test."""

from __future__ import annotations

import asyncio
import re
import sys
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Annotated, Any

import pytest

from reboard.accessories import installed as lookup
from reboard.accessories.accessory import Accessory, RunningAccessory, TableContext
from reboard.commands.new_accessory import new_accessory
from reboard.config.kinds import Section
from reboard.devices import installed_kinds
from reboard.netlist import hardware_data
from reboard.vocabulary.declared import Request
from reboard.vocabulary.limits import Between
from reboard.vocabulary.vocabulary import Vocabulary
from reboard_sim.accessories import installed as simulated
from reboard_sim.devices.device import simulated as simulated_kind
from reboard_sim.plays import play_language

CACHES: list[Any] = [
    lookup._found,
    lookup.accessories,
    lookup.all_events,
    lookup.all_requests,
    lookup.snapshot_keys,
]
CACHES += [simulated.simulated_accessories, simulated.all_forms, simulated.faults, simulated.things]
CACHES += [play_language.forms, play_language.choices, play_language.readers, play_language.parser]
CACHES += [installed_kinds._plug_ins, simulated_kind, hardware_data._read, hardware_data._packages]
CACHES += [hardware_data._checked, hardware_data.kinds, hardware_data._keys]


@contextmanager
def looked_up_again() -> Iterator[None]:
    """Forget which accessories are installed, before and after."""
    for cache in CACHES:
        cache.cache_clear()
    try:
        yield
    finally:
        for cache in CACHES:
            cache.cache_clear()


@contextmanager
def installed(*accessories: Accessory[Any], **loading: Callable[[], object]) -> Iterator[None]:
    """Make these the installed accessories. *loading* has the functions that load others, by their names."""
    loads = {each.name: lambda each=each: each for each in accessories} | loading
    entries = [SimpleNamespace(name=name, value="", load=load) for name, load in loads.items()]
    with pytest.MonkeyPatch.context() as patch, looked_up_again():
        patch.setattr(lookup, "entry_points", lambda group: entries)
        yield


@contextmanager
def installed_beside_ours(package: Path) -> Iterator[None]:
    """Install the *package* as ``pip install -e`` does: its modules can be imported, and its entry points be found."""
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]
    lines = []
    for group, names in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in names.items())]
    info = package / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    (info / "entry_points.txt").write_text("\n".join(lines))
    with packages_in(package):
        yield


PLUG_IN = """
import asyncio, sys, time
from dataclasses import dataclass
from typing import Annotated
from reboard.kit import BUTTON, FittedDevice, GameAccessory, LAMP, Section, pin

@dataclass(frozen=True)
class Config:
    eye: Annotated[int | None, pin] = None

class Dragon(GameAccessory[Config]):
    name = "dragon"
    title = "Dragon"
    section = Section(Config)
    fitted = (FittedDevice("dragon.eye", "dragon's eye", LAMP),)

    async def play(self, game):
        PLAY
        await asyncio.sleep(1e6)

DRAGON = Dragon()
"""


def write_package(
    folder: Path, code: str, *, name: str = "reboard-dragon", entry: str = "dragon", requires: str = "reboard"
) -> None:
    """Write the package *name* 1.0 to *folder*, whose module has *code* and the object ``DRAGON``."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(code)
    (info := folder / f"{module}-1.0.dist-info").mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: {requires}\n")
    (info / "entry_points.txt").write_text(f"[{lookup.ENTRY_POINTS}]\n{entry} = {module}:DRAGON\n")


@contextmanager
def packages_in(folder: Path) -> Iterator[None]:
    """Have the packages in *folder* installed beside our accessories."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        try:
            with looked_up_again():
                yield
        finally:
            for module in set(sys.modules) - before:
                if str(folder) in str(getattr(sys.modules[module], "__file__", "")):
                    del sys.modules[module]


DOCUMENT = Path(__file__).parents[1] / "docs" / "your-own-accessory.md"
FILES = {"python": "reboard_buzzer/accessory.py", "toml": "table.toml", "play": "tests/buzzer.play"}
"""The file of each block of code in the document, by its language."""


def documented_code() -> dict[str, str]:
    """The code of the files in the document, by its language: the first block of each."""
    return dict(reversed(re.findall(r"^```(\w+)\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.DOTALL | re.MULTILINE)))


@contextmanager
def scoring_buzzer(folder: Path) -> Iterator[Path]:
    """Write the package of the document below *folder*, word for word, install it, and yield its folder."""
    package = folder / "reboard-buzzer"
    new_accessory("buzzer", package)
    for language, code in documented_code().items():
        assert (package / FILES[language]).exists(), "the document names a file that is not there"
        (package / FILES[language]).write_text(code)
    (package / "reboard_buzzer" / "panel" / "picture.svg").unlink()
    with installed_beside_ours(package):
        yield package


@dataclass(frozen=True, slots=True)
class LairConfig:
    """``[dragon]``, without settings."""


def beside(folder: Path, base: type[Accessory[Any]], **attributes: object) -> Accessory[Any]:
    """An accessory whose module is in *folder*, and whose panel is beside it, with these attributes of its class."""
    module = ModuleType(f"accessory_in_{folder.name}")
    module.__file__ = str(folder / "accessory.py")
    sys.modules[module.__name__] = module
    made: Accessory[Any] = type("Plugged", (base,), {"__module__": module.__name__, **attributes})()
    return made


class Roar(Request, do="roar", changes=False):
    """Roar."""

    times: Annotated[int, Between(0, 9)]


class Dragon(Accessory[LairConfig], RunningAccessory):
    """An accessory that has no device, and that does what a test needs."""

    name = "dragon"
    title = "Dragon"
    section = Section(LairConfig)
    vocabulary = Vocabulary(__name__)

    @asynccontextmanager
    async def open(self, config: LairConfig, context: TableContext) -> AsyncIterator[RunningAccessory]:
        yield self

    async def run(self, started: Callable[[], None]) -> None:
        started()
        await asyncio.get_running_loop().create_future()

    def snapshot(self) -> Mapping[str, object]:
        return {"dragon": "awake"}

    async def request(self, request: Request) -> object:
        assert isinstance(request, Roar)
        return {"roared": request.times}
