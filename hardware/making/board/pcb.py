"""Makes the board with KiCad's own Python module: ``python3 -m hardware.making.board.pcb design.json FOLDER``.

It runs where KiCad is installed, with nothing but KiCad and NumPy.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from math import cos, pi, radians, sin
from pathlib import Path
from typing import Any, NamedTuple

import pcbnew

from hardware.making.board.kicad_files import of_netlist, uid
from hardware.making.board.router import VIA, VIA_DRILL, Block, Pad, Router

LIBRARY = Path("/usr/share/kicad/footprints")
LAYERS = (pcbnew.F_Cu, pcbnew.B_Cu)
HEADER = "J1"
Rectangle = Sequence[float]

SIZE = 0.8
"""The height of letters in mm, about the smallest that manufacturers print."""
EDGE = 1.15
"""From the board's edge to the middle of a connector's name."""


def mm(value: float) -> int:
    """Return *value* in KiCad's unit."""
    return int(pcbnew.FromMM(float(value)))


def at(x: float, y: float) -> Any:
    """Return a point in KiCad's unit."""
    return pcbnew.VECTOR2I(mm(x), mm(y))


class BoardMaker:
    """Makes ``NAME.kicad_pcb`` in *folder*, where the schematic, the project and the netlist already are."""

    def __init__(self, design: dict[str, Any], folder: Path) -> None:
        self.design, self.data = design, design["board"]
        self.path = folder / f"{self.data['name']}.kicad_pcb"
        self.path.unlink(missing_ok=True)
        pcbnew.KIID.SeedGenerator(1)  # ids decide the order in the files: the same design, the same files
        self.board = pcbnew.NewBoard(str(self.path))
        on = of_netlist(self.path.with_suffix(".net"), with_open=True)
        self.net_of = {node: name for name, nodes in on.items() for node in nodes}
        self.nets = {name: pcbnew.NETINFO_ITEM(self.board, name) for name in sorted(on)}
        for net in self.nets.values():
            self.board.Add(net)
        self.pads: list[Pad] = []

    def make(self) -> None:
        """Make the board and save it."""
        self._outline()
        for part in self.design["parts"]:
            self._footprint(part)
        self._route()
        self._copper()
        for text in texts(self.design):
            item = pcbnew.PCB_TEXT(self.board)
            item.SetText(text.text), item.SetPosition(at(text.x, text.y)), item.SetTextAngleDegrees(text.turn)
            item.SetTextSize(at(text.size, text.size)), item.SetTextThickness(mm(text.size * 0.15))
            item.SetHorizJustify(
                {"left": pcbnew.GR_TEXT_H_ALIGN_LEFT, "right": pcbnew.GR_TEXT_H_ALIGN_RIGHT}.get(
                    text.align, pcbnew.GR_TEXT_H_ALIGN_CENTER
                )
            )
            item.SetLayer(pcbnew.F_SilkS), self.board.Add(item)
        pcbnew.SaveBoard(str(self.path), self.board)
        # only a loaded board knows its rules: copper filled before that covers the holes
        self.board = pcbnew.LoadBoard(str(self.path))
        pcbnew.ZONE_FILLER(self.board).Fill(self.board.Zones())
        pcbnew.SaveBoard(str(self.path), self.board)

    def _outline(self) -> None:
        (w, h), r = self.data["size"], self.data["corner"]
        k = r * (1 - 0.5**0.5)
        for start, end in (((r, 0), (w - r, 0)), ((w, r), (w, h - r)), ((w - r, h), (r, h)), ((0, h - r), (0, r))):
            self._edge(pcbnew.SHAPE_T_SEGMENT, start, end)
        for start, middle, end in (
            ((0, r), (k, k), (r, 0)),
            ((w - r, 0), (w - k, k), (w, r)),
            ((w, h - r), (w - k, h - k), (w - r, h)),
            ((r, h), (k, h - k), (0, h - r)),
        ):
            self._edge(pcbnew.SHAPE_T_ARC, start, end, middle)

    def _edge(self, shape: Any, start: Any, end: Any, middle: Any = None) -> None:
        line = pcbnew.PCB_SHAPE(self.board, shape)
        if middle:
            line.SetArcGeometry(at(*start), at(*middle), at(*end))
        else:
            line.SetStart(at(*start)), line.SetEnd(at(*end))
        line.SetLayer(pcbnew.Edge_Cuts), line.SetWidth(mm(0.1)), self.board.Add(line)

    def _footprint(self, part: dict[str, Any]) -> None:
        library, name = part["footprint"].split(":")
        footprint = pcbnew.FootprintLoad(str(LIBRARY / f"{library}.pretty"), name)
        footprint.SetFPID(pcbnew.LIB_ID(library, name))
        footprint.SetReference(part["ref"]), footprint.SetValue(part["value"])
        footprint.SetPath(pcbnew.KIID_PATH("/" + uid(self.data["name"], part["ref"])))  # for the parity check
        footprint.SetDNP(part["optional"])
        footprint.SetPosition(at(part["x"], part["y"]))
        self.board.Add(footprint)  # before it is flipped, or KiCad crashes
        if part["below"]:
            footprint.Flip(at(part["x"], part["y"]), pcbnew.FLIP_DIRECTION_LEFT_RIGHT)
        footprint.SetOrientationDegrees(part["turn"])
        footprint.Reference().SetVisible(False)  # `texts` has it
        is_hole = part["group"] == "holes"
        if is_hole:
            self._screw(part["x"], part["y"])
        for pad in footprint.Pads():
            net = self.net_of.get((part["ref"], pad.GetNumber()), "")
            if net:
                pad.SetNet(self.nets[net])
            self._enter(part["ref"], pad, net, is_hole)

    def _enter(self, ref: str, pad: Any, net: str, is_hole: bool) -> None:
        box, drill = pad.GetBoundingBox(), pcbnew.ToMM(pad.GetDrillSize().x)
        x, y = (pcbnew.ToMM(value) for value in (box.GetCenter().x, box.GetCenter().y))
        least = self.data["screw_head"] if is_hole else 0
        w, h = (max(pcbnew.ToMM(size), least) for size in (box.GetWidth(), box.GetHeight()))
        layers = tuple(index for index, layer in enumerate(LAYERS) if pad.IsOnLayer(layer)) or (0, 1)
        # between the tracks at the header the ground's areas fall to pieces, so that its pins get a track
        joined = net in self._poured() or (net == "GND" and ref != HEADER)
        is_round = is_hole or pad.GetShape() == pcbnew.PAD_SHAPE_CIRCLE
        self.pads.append(Pad(net, x, y, w, h, layers, drill, is_round, joined))

    def _poured(self) -> set[str]:
        return {pour["net"] for pour in self.data["pours"]}

    def _route(self) -> None:
        zone, widths = self.data["zone"], self.data["widths"]
        blocks = [_block(zone[name], (0,), zone["tracks"]) for name in ("area", "bridge")]
        blocks += [_block(zone[name], (1,)) for name in ("area", "bridge")]
        blocks += [_block(gap, (0, 1)) for gap in zone["gap"]]
        pours = [(pour["net"], each) for pour in self.data["pours"] for each in pour["rectangles"]]
        blocks += [_block(rectangle, (0,), (net,), around=0.3) for net, rectangle in pours]
        router = Router(self.data["size"], self.pads, blocks, lambda net: widths.get(net, widths["other"]), "GND")
        router.route()
        for segment in router.segments:
            track = pcbnew.PCB_TRACK(self.board)
            track.SetStart(at(segment.x0, segment.y0)), track.SetEnd(at(segment.x1, segment.y1))
            track.SetWidth(mm(segment.width)), track.SetLayer(LAYERS[segment.layer])
            track.SetNet(self.nets[segment.net]), self.board.Add(track)
        for spot in router.vias:
            via = pcbnew.PCB_VIA(self.board)
            via.SetPosition(at(spot.x, spot.y)), via.SetWidth(pcbnew.F_Cu, mm(VIA)), via.SetDrill(mm(VIA_DRILL))
            via.SetNet(self.nets[spot.net]), self.board.Add(via)
        print(f"{len(self.nets)} nets, {len(router.segments)} segments of tracks, {len(router.vias)} vias")

    def _copper(self) -> None:
        for gap in self.data["zone"]["gap"]:
            self.board.Add(self._without_copper(_corners(gap)))
        for pour in self.data["pours"]:
            self._zone(pour["net"], pcbnew.F_Cu, pour["rectangles"], priority=1)
        (w, h) = self.data["size"]
        for layer in LAYERS:
            self._zone("GND", layer, [(0.5, 0.5, w - 0.5, h - 0.5)], priority=0)

    def _zone(self, net: str, layer: int, rectangles: Sequence[Rectangle], priority: int) -> None:
        zone = pcbnew.ZONE(self.board)
        zone.SetLayer(layer), zone.SetNet(self.nets[net]), zone.SetIsFilled(False)
        zone.SetAssignedPriority(priority)
        zone.SetLocalClearance(mm(0.3)), zone.SetMinThickness(mm(0.25))
        zone.SetThermalReliefSpokeWidth(mm(1.0 if priority else 0.5))
        zone.SetThermalReliefGap(mm(0.3))
        zone.SetIslandRemovalMode(pcbnew.ISLAND_REMOVAL_MODE_ALWAYS)
        area = pcbnew.SHAPE_POLY_SET()
        for rectangle in rectangles:
            one = pcbnew.SHAPE_POLY_SET()
            one.AddOutline(_chain(_corners(rectangle)))
            area.BooleanAdd(one)
        zone.AddPolygon(area.Outline(0))
        self.board.Add(zone)

    def _screw(self, x: float, y: float) -> None:
        radius = self.data["screw_head"] / 2
        circle = [(x + radius * cos(step * pi / 16), y + radius * sin(step * pi / 16)) for step in range(32)]
        self.board.Add(self._without_copper(circle))

    def _without_copper(self, corners: Sequence[tuple[float, float]]) -> Any:
        area = pcbnew.ZONE(self.board)
        area.SetIsRuleArea(True)
        area.SetDoNotAllowCopperPour(True), area.SetDoNotAllowTracks(True), area.SetDoNotAllowVias(True)
        area.SetDoNotAllowPads(False), area.SetDoNotAllowFootprints(False)
        area.SetLayerSet(pcbnew.LSET.AllCuMask(2))
        area.AddPolygon(_chain(corners))
        return area


def _block(rectangle: Rectangle, layers: tuple[int, ...], but: Sequence[str] = (), around: float = 0) -> Block:
    x0, y0, x1, y1 = rectangle
    return Block(x0 - around, y0 - around, x1 + around, y1 + around, layers, but)


def _corners(rectangle: Rectangle) -> list[tuple[float, float]]:
    x0, y0, x1, y1 = rectangle
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def _chain(corners: Sequence[tuple[float, float]]) -> Any:
    chain = pcbnew.SHAPE_LINE_CHAIN()
    for x, y in corners:
        chain.Append(at(x, y))
    chain.SetClosed(True)
    return chain


class Text(NamedTuple):
    """A text, by its middle or, if it is aligned, by its left or right end."""

    text: str
    x: float
    y: float
    turn: float = 0.0
    size: float = SIZE
    align: str = ""


def texts(design: dict[str, Any]) -> Iterator[Text]:
    """Yield what is printed on the upper side of the board."""
    board = design["board"]
    for part in design["parts"]:
        if part["label"]:
            yield from _names(part, board["size"])
        elif part["group"] != "holes":
            yield _value(part, *board["value"][part["footprint"].partition(":")[2]])
    for text, x, y, turn, size in board["texts"]:
        yield Text(text.format_map(board), x, y, turn, size)


def _value(part: dict[str, Any], along: float, across: float) -> Text:
    """Return designator and value of a part, *along* and *across* it from its first pad, in mm."""
    turn, reading = radians(part["turn"]), part["turn"] % 180
    x = part["x"] + along * cos(turn) + across * sin(radians(reading))
    y = part["y"] - along * sin(turn) + across * cos(radians(reading))
    return Text(f"{part['ref']} {part['value']}", x, y, reading)


def _names(part: dict[str, Any], size: tuple[float, float]) -> Iterator[Text]:
    name = f"{part['ref']} {part['label']}"
    if part["label_at"]:
        yield Text(name, *part["label_at"])
    if not part["pins"]:
        return
    (w, h), pitch = size, part["pitch"]
    along = pitch * (part["pins"] - 1) / 2
    dx, dy = {0: (1, 0), 90: (0, -1), 180: (-1, 0), 270: (0, 1)}[int(part["turn"])]
    x, y = part["x"] + dx * along, part["y"] + dy * along
    inside, is_upright = part["inside"], dx and max(map(len, part["names"].values())) > 2
    if not part["label_at"]:
        yield {
            0: Text(name, x, EDGE),
            90: Text(name, EDGE, y, 90),
            180: Text(name, x, h - EDGE),
            270: Text(name, w - EDGE, y, 90),
        }[int(part["turn"])]
    for pad, pin in part["names"].items():
        px, py = part["x"] + dx * pitch * (int(pad) - 1), part["y"] + dy * pitch * (int(pad) - 1)
        if is_upright:  # side by side, longer names would run into each other
            down = part["y"] < h / 2
            yield Text(pin, px, py + (inside - 0.4) * (1 if down else -1), 90, align="right" if down else "left")
        elif dx:
            yield Text(pin, px, py + (inside if part["y"] < h / 2 else -inside))
        elif part["x"] < w / 2:
            yield Text(pin, px + inside, py, align="left")
        else:
            yield Text(pin, px - inside, py, align="right")


if __name__ == "__main__":
    BoardMaker(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2])).make()
