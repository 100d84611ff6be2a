"""How charts look: sizes, colours by day and by night, and what a browser is not sent of pygal's drawing."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timezone
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

WIDTHS = (360, 540, 720, 1080)
"""In pixels. The letters of a chart that is shown about as wide as it was drawn can be read."""
LETTERS_PX = 13
RULES = (Path(__file__).parent / "chart.css").read_text(encoding="utf-8")

COLOURS: Mapping[str, Mapping[str, str]] = {
    "light": {
        "paper": "#fdf6e8",
        "ink": "#38271a",
        "soft": "#6b5036",
        "rule": "#e2d0ac",
        "came": "#14706a",
        "expected": "#a98348",
        "card-1": "#d9453a",
        "card-2": "#c7700f",
        "card-3": "#705710",
        "card-4": "#1a8929",
        "card-5": "#198581",
        "card-6": "#297ad6",
        "card-7": "#8b54de",
        "card-8": "#d9368d",
    },
    "dark": {
        "paper": "#2b1f17",
        "ink": "#f4e7d3",
        "soft": "#cbb496",
        "rule": "#54402f",
        "came": "#6fd0c4",
        "expected": "#9a7f5e",
        "card-1": "#dc726a",
        "card-2": "#e39045",
        "card-3": "#e8d984",
        "card-4": "#28a939",
        "card-5": "#26a19d",
        "card-6": "#5a95d8",
        "card-7": "#a67fe1",
        "card-8": "#dc6aa7",
    },
}
"""By theme. The cards have the hues that they have on the pages, as dark or as bright as the paper asks for."""

DASHED = ("card-5", "card-6", "card-7", "card-8")
"""Their lines can be told from the others' without colours, too."""


@dataclass(frozen=True, slots=True)
class Look:
    """A chart's *width*, one of `WIDTHS`, *theme*, one of `COLOURS` or what the browser prefers, and *language*.

    Times of day are those of *zone*, or else of this machine's.
    """

    width: int = 720
    theme: str | None = None
    language: str = "en"
    zone: timezone | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG, and the policy under which a browser needs nothing but that to show it."""

    svg: bytes
    policy: str


@cache
def library() -> ModuleType:
    """pygal, loaded when the first chart is drawn: until then nobody's memory is spent on it.

    It hooks into every later import for the sake of maps, which we do not draw, and is unhooked.
    """
    import pygal

    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]
    return cast(ModuleType, pygal)


def drawn(chart: Any, look: Look, title: str, colours: Sequence[str]) -> Drawing:
    """What is sent of a pygal *chart*, whose series have these *colours*.

    pygal puts in a script, its own style sheet, the day's date and boxes for a mouse; all this is left out.
    """
    style = _variables(look.theme) + RULES + _of_series(colours)

    def tidy(root: Any) -> Any:
        for parent in root.iter():
            for child in [*parent]:
                if (
                    not isinstance(child.tag, str)
                    or child.tag == "script"
                    or "tooltip-overlay" in child.get("class", "")
                ):
                    parent.remove(child)
        root.find("defs/style").text = style
        root.find("title").text = title
        del root.attrib["id"]
        for path in root.iter("path"):
            path.set("d", re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.1f}", path.get("d")))
        return root

    chart.add_xml_filter(tidy)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return Drawing(chart.render(), f"default-src 'none'; style-src 'sha256-{digest}'; frame-ancestors 'none'")


def common_options(look: Look, height: int) -> dict[str, Any]:
    """What all charts have in common, as pygal's settings."""
    sizes = dict.fromkeys(("label_font_size", "major_label_font_size", "legend_font_size"), LETTERS_PX)
    return {
        "width": look.width,
        "height": height,
        "explicit_size": True,
        "js": [],
        "no_prefix": True,
        "margin": 10,
        "margin_right": 30,
        "legend_at_bottom": True,
        "legend_box_size": LETTERS_PX,
        # pygal makes room for letters of these sizes
        "style": library().style.Style(**sizes),
    }


def _variables(theme: str | None) -> str:
    if theme:
        return _theme(theme)
    return f"{_theme('light')}@media (prefers-color-scheme: dark) {{ {_theme('dark')}}}\n"


def _theme(name: str) -> str:
    return f"svg {{ {' '.join(f'--{colour}: {value};' for colour, value in COLOURS[name].items())} }}\n"


def _of_series(colours: Sequence[str]) -> str:
    rules = [f".color-{n} {{ stroke: var(--{name}); fill: var(--{name}); }}" for n, name in enumerate(colours)]
    dashes = [f".color-{n} .line {{ stroke-dasharray: 7 5; }}" for n, name in enumerate(colours) if name in DASHED]
    return "\n".join([*rules, *dashes, ""])
