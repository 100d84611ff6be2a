"""The bench's page: its scripts and style sheets, and the panels of the accessories."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from reboard.accessories.accessory import folder_of
from reboard.accessories.installed import accessories
from reboard.devices.device import FittedDevice
from reboard.languages import ENGLISH, Texts
from reboard.web.bundle import Bundle
from reboard.web.panels import panel_files, static_folders
from reboard_sim.accessories.accessory import SimulatedAccessory
from reboard_sim.accessories.installed import forms_of, generic_devices, simulated_accessories
from reboard_sim.bench.runtime import PARTS, Runtime
from reboard_sim.devices.device import device_module

STATIC = Path(__file__).parent / "static"
DEVICES = STATIC.parents[1] / "devices" / "static"
ENGLISH_TEXTS = Texts(ENGLISH)


def in_page_order(runtime: Runtime) -> list[tuple[str, SimulatedAccessory]]:
    """Return the accessories with their names, in the order of the page. A program has none."""
    accessories = {} if runtime.has_program else simulated_accessories()
    return sorted(accessories.items(), key=lambda item: item[1].page_order)


def bench_bundle(runtime: Runtime) -> Bundle:
    """Return the scripts and style sheets of the bench, with those of each accessory and of *runtime*."""
    folders = static_folders(STATIC)
    parts = {} if runtime.has_program else panel_files("art.css", "words.js")
    for name, accessory in in_page_order(runtime):
        if accessory.static:
            folders[f"/static/accessories/{name}/"] = [accessory.static]
        files = [*accessory.files("*.css"), *accessory.files("panel.js")]
        parts.setdefault(name, []).extend(f"/static/accessories/{name}/{file.name}" for file in files)
    for name, file in widgets(runtime).items():
        folders[f"/static/devices/{name}/"] = [file.parent]
        # a part for each folder: a script of a plug-in must not stop ours
        parts.setdefault("devices" if file.parent == DEVICES else f"device-{name}", []).append(_url(file))
    for part in runtime.parts:
        folders[f"{PARTS}{part.name}/"] = [part]
        parts.setdefault("runtime", []).append(f"{PARTS}{part.name}/part.css")
    if runtime.parts:
        parts["runtime"] += runtime.modules
    parts["inside"] = ["/static/inside/sheet.js", "/static/inside/sheet.html"]
    return Bundle(STATIC / "index.html", folders, parts, later=["inside"], base="")


def widgets(runtime: Runtime) -> dict[str, Path]:
    """Return the modules with the controls of the devices in the generic panels, or of a program, keyed by name."""
    if runtime.has_program:
        return {file.stem: file for file in sorted(DEVICES.glob("*.js"))}
    files = set()
    for device in (device for devices in generic_devices().values() for device in devices):
        if file := device_module(device.kind.name).widget_file(device):
            files.add(file)
    return {file.stem: file for file in sorted(files)}


def _url(widget: Path) -> str:
    return f"/static/devices/{widget.stem}/{widget.name}"


def described(device: FittedDevice[Any, Any], say: Texts = ENGLISH_TEXTS) -> dict[str, object]:
    """Return a description of *device* for the page. Its title and gesture are in the language of *say*."""
    kind, title = device.kind.name, say(device.title)
    module = device_module(kind)
    widget = module.widget_file(device)
    return {
        "label": device.label,
        "noun": device.noun,
        "title": title,
        "gesture": say(device.gesture) if device.gesture else "",
        "kind": kind,
        "pins": list(device.pins().values()),
        "forms": [form.usage for form in forms_of(kind, device.label)],
        "faults": [
            {
                "name": f"{fault} {device.label}",
                "meaning": meaning,
                "accessory": None,
                "device": device.label,
                "part": title,
            }
            for fault, meaning in module.FAULTS.items()
        ],
        "widget": _url(widget) if widget else None,
    }


_opened: dict[str, tuple[FittedDevice[Any, Any], dict[str, object]]] = {}


def described_opened(device: FittedDevice[Any, Any]) -> dict[str, object]:
    """Return a description of a *device* that a program has opened. The bench asks for it thirty times a second."""
    known = _opened.get(device.label)
    if known is None or known[0] is not device:
        known = _opened[device.label] = device, described(device)
    return known[1]


def described_generic(say: Texts) -> dict[str, list[dict[str, object]]]:
    """Return a description of the devices of each generic accessory, keyed by accessory, for the page."""
    return {name: [described(device, say) for device in devices] for name, devices in generic_devices().items()}


def panels_html(runtime: Runtime) -> str:
    """Return the HTML of the accessories. The generic ones are hidden until the page knows that they are built."""
    return "\n".join(
        f'<section class="accessory{" generic" * accessory.is_generic}" id="{name}" aria-labelledby="{name}-title"'
        f"{' hidden' * accessory.is_generic}>\n{_panel(name, accessory)}</section>"
        for name, accessory in in_page_order(runtime)
    )


def _panel(name: str, simulated: SimulatedAccessory) -> str:
    for panel in simulated.files("panel.html"):
        return panel.read_text("utf-8")
    accessory = accessories()[name]
    folder = folder_of(accessory, "panel")
    art = f' data-art="{name}/picture"' if folder and (folder / "picture.svg").exists() else ""
    return (
        f'<div class="stage"><div class="picture"{art}></div><div class="widgets"></div></div>\n'
        f'<div class="name"><h2 id="{name}-title">{escape(accessory.title)}</h2></div>\n'
        f'<p class="says" id="{name}-says"></p>\n'
    )


def help_html(runtime: Runtime) -> str:
    """Return the HTML of the accessories' sections of the help."""
    sheets = (sheet for _, accessory in in_page_order(runtime) for sheet in accessory.files("help.html"))
    return "\n".join(sheet.read_text("utf-8") for sheet in sheets)
