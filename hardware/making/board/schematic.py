"""The schematic and the project file, written as text: a frame for each function, and a label on each pin or wire."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hardware.making.board.design import FILE, RAIL_NAMES, Design, DesignError, Footprint, net_name, parts_by_group
from hardware.making.board.kicad_files import Word, block, dump, find, parse, uid

Node = list[Any]
POWER = {"GND": "power:GND", "+3V3": "power:+3V3", "+5V": "power:+5V"}
FLAG = "power:PWR_FLAG"
GRID = 2.54
SHEET, MARGIN, GAP, HEAD = (594.0, 420.0), 25.4, 7.62, 10.16
"""A2 and its margin, what is between two frames, and the height of a frame's title, in mm."""
TITLE_BLOCK = (470.0, 370.0, *SHEET)
"""The corners of what KiCad prints in the sheet's lower right corner, in mm."""
FED = (50.8, 71.12)
"""The size of the frame with KiCad's flags, in mm."""
LADDER, STEP, RUNG = 48.26, 12.7, 38.1
"""The width of a ladder without rungs and of each rung, and the height of a ladder, in mm."""
LONG = 8
"""A longer name is written across an upright pin."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A group of parts on the sheet: those in *ladders*, and each other one with the width of its symbol, in mm."""

    title: str
    ladders: Sequence[Sequence[Footprint]]
    singles: Sequence[tuple[Footprint, float]]
    width: float
    height: float


class Symbols:
    """KiCad's library of symbols in *folder*."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.used: dict[str, Node] = {}
        self.pins = cache(self._pins)

    def get(self, name: str) -> Node:
        """Return the symbol *name*, such as ``Device:R``. One that extends another is not supported."""
        if name not in self.used:
            library, _, symbol = name.partition(":")
            text = (self.folder / f"{library}.kicad_sym").read_text(encoding="utf-8")
            found = parse(block(text, f'(symbol "{symbol}"\n'))
            assert not find(found, "extends"), f"{name} extends another symbol: use that one"
            found[1] = name
            self.used[name] = found
        return self.used[name]

    def _pins(self, name: str) -> Mapping[str, tuple[float, float, float]]:
        units = find(self.get(name), "symbol")
        pins = [pin for unit in units for pin in find(unit, "pin")]
        return {find(pin, "number")[0][1]: tuple(map(float, find(pin, "at")[0][1:4])) for pin in pins}  # type: ignore[misc]


def write(design: Design, symbols: Symbols, folder: Path) -> None:
    """Write ``NAME.kicad_sch`` and ``NAME.kicad_pro`` into *folder*."""
    name = design.data["name"]
    sheet = dump(Schematic(design, symbols).sheet()).lstrip()
    (folder / f"{name}.kicad_sch").write_text(f"{sheet}\n", encoding="utf-8")
    (folder / f"{name}.kicad_pro").write_text(json.dumps(project(design), indent=1) + "\n", encoding="utf-8")


class Schematic:
    """A sheet with a frame for each group of parts."""

    def __init__(self, design: Design, symbols: Symbols) -> None:
        self.design, self.symbols, self.name = design, symbols, design.data["name"]
        self.root = uid(self.name)
        self.items: list[Node] = []
        self.count = 0

    def sheet(self) -> Node:
        """Return the content of the file."""
        frames = [self._framed(title, parts) for _, title, parts in parts_by_group(self.design)]
        *places, fed = packed([*((frame.width, frame.height) for frame in frames), FED])
        for frame, place in zip(frames, places, strict=True):
            self._fill(frame, *place)
        self._flags(*fed)
        data = self.design.data
        return [
            "kicad_sch",
            ["version", Word("20250114")],
            ["generator", "eeschema"],
            ["generator_version", "9.0"],
            ["uuid", self.root],
            ["paper", "A2"],
            [
                "title_block",
                ["title", data["title"]],
                ["rev", data["revision"]],
                ["company", data["company"]],
                ["comment", 1, data["never_built"]],
                ["comment", 2, data["licence"]],
            ],
            ["lib_symbols", *self.symbols.used.values()],
            *self.items,
            ["sheet_instances", ["path", "/", ["page", "1"]]],
            ["embedded_fonts", Word("no")],
        ]

    def _framed(self, title: str, parts: Sequence[Footprint]) -> Frame:
        ladders = list(_ladders(parts))
        in_ladders = {part.ref for ladder in ladders for part in ladder}
        singles = [part for part in parts if part.ref not in in_ladders]
        sizes = [self._size(part) for part in singles]
        width = sum(wide for wide, _ in sizes) + (len(ladders) + 1) // 2 * _column(ladders)
        height = max([tall for _, tall in sizes] + [RUNG * min(len(ladders), 2)]) + HEAD
        wide = [(part, size[0]) for part, size in zip(singles, sizes, strict=True)]
        return Frame(title, ladders, wide, max(width, 2 * GRID + 1.9 * len(title)), height)

    def _fill(self, frame: Frame, x: float, y: float) -> None:
        self._frame(frame.title, x, y, frame.width, frame.height)
        left, middle = x, _on_grid(y + HEAD + (frame.height - HEAD) / 2)
        for part, wide in frame.singles:
            is_connector = ":Conn_01x" in part.symbol
            self._part(part, _on_grid(left + (wide - 10.16 if is_connector else wide / 2)), middle)
            left += wide
        top = y + HEAD + (frame.height - HEAD - RUNG * min(len(frame.ladders), 2)) / 2
        for index, ladder in enumerate(frame.ladders):
            column, row = divmod(index, 2)
            at = left + column * _column(frame.ladders) + 17.78, top + row * RUNG + RUNG / 2
            self._ladder(ladder, *map(_on_grid, at))

    def _size(self, part: Footprint) -> tuple[float, float]:
        """Return the width and height of a symbol with its labels."""
        ends = self.symbols.pins(part.symbol).values()
        tall = max((abs(y) for _, y, _ in ends), default=0.0) * 2 + 22.86
        if not any(angle in (0, 180) for _, _, angle in ends):
            return 33.02 if ends else 20.32, tall
        label = 7.62 + 1.27 * max(map(len, part.nets.values()))
        is_on_both_sides = any(angle == 180 for _, _, angle in ends)
        return _on_grid(17.78 + label * (2 if is_on_both_sides else 1)), tall

    def _ladder(self, ladder: Sequence[Footprint], x: float, y: float) -> None:
        """Draw a part in series and, behind it, those from its second end to other nets. *x*, *y*: its first end."""
        series, *rungs = ladder
        net, upright = series.nets["2"], self.symbols.pins(series.symbol)["1"][0] == 0
        self._symbol(series.ref, series.symbol, series.value, x + 3.81, y, angle=90 if upright else 0, part=series)
        self._label(series.nets["1"], x, y, 180)
        at = x + 7.62
        for part in rungs:
            self._wire(net, at, y, at + STEP, y)
            at += STEP
            is_up = part.nets["2"] == net
            away = -1 if is_up else 1
            angle = 0 if self.symbols.pins(part.symbol)["1"][0] == 0 else 270
            self._wire(net, at, y, at, y + 2.54 * away)
            self._symbol(part.ref, part.symbol, part.value, at, y + 6.35 * away, angle=angle, part=part)
            end = part.nets["1" if is_up else "2"]
            self._label(end, at, y + 10.16 * away, 90 if is_up else 270)
            dot: Node = ["junction", ["at", at, y], ["diameter", 0], ["color", 0, 0, 0, 0]]
            self.items.append([*dot, ["uuid", uid(self.name, "j", part.ref)]])
        self._wire(net, at, y, at + 5.08, y)
        self._label(net, at + 5.08, y, 0)

    def _wire(self, net: str, x0: float, y0: float, x1: float, y1: float) -> None:
        stroke = ["stroke", ["width", 0], ["type", Word("default")]]
        points = ["pts", ["xy", x0, y0], ["xy", x1, y1]]
        self.items.append(["wire", points, stroke, ["uuid", uid(self.name, "wire", net, x0, y0, x1, y1)]])

    def _part(self, part: Footprint, x: float, y: float) -> None:
        self._symbol(part.ref, part.symbol, part.value, x, y, part=part)
        for number, (px, py, angle) in self.symbols.pins(part.symbol).items():
            at, net = (x + px, y - py), part.nets.get(number)
            if net is None:
                self.items.append(["no_connect", ["at", *at], ["uuid", uid(self.name, part.ref, number, "nc")]])
            else:
                self._label(net, *at, (angle + 180) % 360)

    def _label(self, net: str, x: float, y: float, angle: float) -> None:
        """Put the name of *net* at a pin. Its text runs to *angle*."""
        self.count += 1
        if len(net) > LONG and angle in (90, 270):
            angle = 0
        if net in POWER and angle == (270 if net == "GND" else 90):
            self._symbol(f"#PWR{self.count:03}", POWER[net], net, x, y)
            return
        node: Node = ["global_label", net, ["shape", Word("passive")], ["at", x, y, angle]]
        effects = _effects(justify="left" if angle in (0, 90) else "right")
        self.items.append([*node, effects, ["uuid", uid(self.name, "l", self.count)]])

    def _flags(self, x: float, y: float) -> None:
        """Tell KiCad which nets are fed from outside."""
        self._frame("Fed by the Pi", x, y, *FED)
        for index, net in enumerate(RAIL_NAMES.values(), start=1):
            at = _on_grid(x + 12.7), _on_grid(y + HEAD + index * 17.78)
            self._symbol(f"#FLG{index:02}", FLAG, "PWR_FLAG", *at)
            self._label(net, *at, 0)

    def _frame(self, title: str, x: float, y: float, w: float, h: float) -> None:
        stroke = ["stroke", ["width", 0.2], ["type", Word("dash")]]
        box: Node = ["rectangle", ["start", x, y], ["end", x + w, y + h], stroke, ["fill", ["type", Word("none")]]]
        self.items.append([*box, ["uuid", uid(self.name, "frame", title)]])
        text: Node = ["text", title, ["exclude_from_sim", Word("no")], ["at", x + GRID, y + 5.08, 0]]
        self.items.append([*text, _effects(justify="left", size=2.0), ["uuid", uid(self.name, "title", title)]])

    def _symbol(
        self, ref: str, symbol: str, value: str, x: float, y: float, *, angle: float = 0, part: Footprint | None = None
    ) -> None:
        found, pins = self.symbols.get(symbol), self.symbols.pins(symbol)
        flags = {name: find(found, name) for name in ("in_bom", "on_board")}
        above = max([abs(py) for _, py, _ in pins.values()] + [1.27]) + 2.54
        is_sideways = any(pin[2] in (0, 180) for pin in pins.values())
        turn = 90 if angle in (90, 270) else 0  # the fields stay upright
        if not part:
            dx, dy, below = 0.0, 0.0, -3.81 if "+" in symbol else 3.81
        elif len(pins) == 3 and "Conn" not in symbol:
            dx, dy, below = 5.08, -1.27, 1.27
        elif len(pins) > 2 or "Conn" in symbol:
            dx, dy, below = 0.0, -above, above
        elif angle == 90 or (is_sideways and not angle):
            dx, dy, below = 0.0, -2.54, 2.54
        else:
            dx, dy, below = 2.54, -1.27, 1.27
        justify = "left" if dx else None
        node: Node = [
            "symbol",
            ["lib_id", symbol],
            ["at", x, y, angle],
            ["unit", 1],
            ["exclude_from_sim", Word("no")],
            *[flag[0] if flag else [name, Word("yes")] for name, flag in flags.items()],
            ["dnp", Word("yes" if part and part.optional else "no")],
            ["uuid", uid(self.name, ref)],
            _property("Reference", ref, x + dx, y + dy, turn=turn, is_hidden=not part, justify=justify),
            _property("Value", value, x + dx, y + below, turn=turn, is_hidden=symbol == FLAG, justify=justify),
            _property("Footprint", part.footprint if part else "", x, y, is_hidden=True),
            *[_property(name, "", x, y, is_hidden=True) for name in ("Datasheet", "Description")],
            *[["pin", number, ["uuid", uid(self.name, ref, number)]] for number in pins],
        ]
        path = ["path", "/" + self.root, ["reference", ref], ["unit", 1]]
        self.items.append([*node, ["instances", ["project", self.name, path]]])


def packed(sizes: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the upper left corner of each rectangle of *sizes* on the sheet, without overlaps.

    The tallest first, each as far up and then left as there is room. Raises `DesignError` if there is none.
    """
    taken, found = [TITLE_BLOCK], dict.fromkeys(range(len(sizes)), (MARGIN, MARGIN))
    for index in sorted(found, key=lambda index: -sizes[index][1]):
        wide, tall = sizes[index]
        below = sorted({MARGIN, *(y1 + GAP for _, _, _, y1 in taken)})
        beside = sorted({MARGIN, *(x1 + GAP for _, _, x1, _ in taken)})
        free = [
            (x, y)
            for y in below
            for x in beside
            if x + wide <= SHEET[0] - MARGIN and y + tall <= SHEET[1] - MARGIN
            if all(x >= x1 or y >= y1 or x + wide <= x0 or y + tall <= y0 for x0, y0, x1, y1 in taken)
        ]
        if not free:
            raise DesignError(f"{FILE.name}: a group of {wide:.0f} × {tall:.0f} mm has no room on the sheet")
        found[index] = x, y = free[0]
        taken.append((x, y, x + wide, y + tall))
    return list(found.values())


def _column(ladders: Sequence[Sequence[Footprint]]) -> float:
    return max((LADDER + STEP * (len(ladder) - 1) for ladder in ladders), default=0.0)


def _ladders(parts: Sequence[Footprint]) -> Iterator[Sequence[Footprint]]:
    """Yield each part in series with a pin or supply, followed by the parts from its second end to other nets."""
    left = [part for part in parts if set(part.nets) == {"1", "2"} and not part.pins]
    while left:
        series = left.pop(0)
        net = series.nets["2"]
        rungs = [part for part in left if part.nets["1"] == net or (part.nets["2"] == net and part.nets["1"] in POWER)]
        if series.nets["1"] not in POWER and (rungs or series.nets["1"].startswith("GPIO")):
            left = [part for part in left if part not in rungs]
            yield [series, *rungs]


def _property(
    name: str, text: str, x: float, y: float, *, is_hidden: bool, turn: float = 0, justify: str | None = None
) -> Node:
    return ["property", name, text, ["at", x, y, turn], _effects(is_hidden=is_hidden, justify=justify)]


def _effects(*, is_hidden: bool = False, justify: str | None = None, size: float = 1.27) -> Node:
    node: Node = ["effects", ["font", ["size", size, size]]]
    if justify:
        node.append(["justify", Word(justify)])
    return node + ([["hide", Word("yes")]] if is_hidden else [])


def _on_grid(value: float) -> float:
    return round(value / GRID) * GRID


def project(design: Design) -> dict[str, Any]:
    """Return the project file: rules that cheap manufacturers accept."""
    rules = {
        "min_clearance": 0.2,
        "min_track_width": 0.2,
        "min_hole_to_hole": 0.25,
        "min_copper_edge_clearance": 0.5,
        "min_through_hole_diameter": 0.3,
        "min_via_diameter": 0.6,
        "min_resolved_spokes": 1,
    }
    base = {
        "clearance": 0.2,
        "track_width": 0.3,
        "via_diameter": 0.6,
        "via_drill": 0.3,
        "bus_width": 12,
        "wire_width": 6,
        "line_style": 0,
        "microvia_diameter": 0.3,
        "microvia_drill": 0.1,
        "diff_pair_width": 0.2,
        "diff_pair_gap": 0.25,
        "diff_pair_via_gap": 0.25,
        "pcb_color": "rgba(0, 0, 0, 0.000)",
        "schematic_color": "rgba(0, 0, 0, 0.000)",
    }
    wide = sorted(net_name(net) for net in design.data["widths"] if net != "other")
    return {
        "meta": {"filename": f"{design.data['name']}.kicad_pro", "version": 3},
        "board": {"design_settings": {"rules": rules}},
        "net_settings": {
            "meta": {"version": 4},
            "classes": [
                {**base, "name": "Default", "priority": 2147483647},
                {**base, "name": "Wide", "priority": 0, "track_width": 0.6},
            ],
            "netclass_patterns": [{"netclass": "Wide", "pattern": net} for net in wide],
        },
    }
