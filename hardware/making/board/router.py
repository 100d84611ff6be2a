"""A router on a grid with two layers. It knows nothing of KiCad: pads, widths and areas in mm in, tracks and vias out.

A* over square cells in eight directions, with a price for a via. Each net begins with a map of where the middle of its
track may be: whatever is in the way is entered with the clearance and half a track around it. If a net finds no way,
the router begins again with that net first.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from typing import Any

import numpy as np

STEPS = [
    *((1, 0, 1.0), (-1, 0, 1.0), (0, 1, 1.0), (0, -1, 1.0)),
    *((1, 1, 1.4143), (1, -1, 1.4143), (-1, 1, 1.4143), (-1, -1, 1.4143)),
]
CELL, EDGE, CLEARANCE, HOLES_APART = 0.25, 0.5, 0.215, 0.3
"""Sizes in mm: of a cell, from a track to the board's edge, between two nets, and between two holes.

The clearance is 0.2 mm and a little more, because a diagonal step cuts the corner of a round pad's surroundings."""
VIA, VIA_DRILL, VIA_PRICE = 0.6, 0.3, 12
TRIES = 40

Grid = Any
Spot = tuple[float, float, int]


@dataclass(frozen=True, slots=True)
class Pad:
    """A pad, by the upright rectangle around it. *net* is ``""`` for a hole. *is_joined*: copper joins it."""

    net: str
    x: float
    y: float
    w: float
    h: float
    layers: tuple[int, ...]
    drill: float = 0.0
    is_round: bool = False
    is_joined: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle that only tracks of the nets *but* may enter, on some *layers*."""

    x0: float
    y0: float
    x1: float
    y1: float
    layers: tuple[int, ...] = (0, 1)
    but: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Segment:
    """A straight piece of track."""

    net: str
    x0: float
    y0: float
    x1: float
    y1: float
    layer: int
    width: float


@dataclass(frozen=True, slots=True)
class Via:
    """A via through both layers."""

    net: str
    x: float
    y: float


class NoWayError(Exception):
    """A net found no way."""


class Router:
    """A router for a board of *width* and *height* mm. *widths_of* gives the widths of a net, the
    preferred first. The net *last* comes last.
    """

    def __init__(
        self,
        size: tuple[float, float],
        pads: Sequence[Pad],
        blocks: Sequence[Block],
        widths_of: Callable[[str], Sequence[float]],
        last: str = "",
    ) -> None:
        self.last = last
        self.size, self.pads, self.blocks, self.widths_of = size, pads, blocks, widths_of
        self.nx, self.ny = int(size[0] / CELL) + 1, int(size[1] / CELL) + 1
        self.xs, self.ys = np.arange(self.nx) * CELL, np.arange(self.ny) * CELL
        self.segments: list[Segment] = []
        self.vias: list[Via] = []

    def route(self) -> None:
        """Fill `segments` and `vias`. Raises `NoWayError` if nothing was found in `TRIES` tries."""
        loose: dict[str, list[Pad]] = {}
        for pad in self.pads:
            if pad.net and not pad.is_joined:
                loose.setdefault(pad.net, []).append(pad)

        def wide_and_short_first(net: str) -> tuple[bool, float, float]:
            xs, ys = [pad.x for pad in loose[net]], [pad.y for pad in loose[net]]
            return net == self.last, -self.widths_of(net)[0], max(xs) - min(xs) + max(ys) - min(ys)

        order = sorted((net for net, pads in loose.items() if len(pads) > 1), key=wide_and_short_first)
        for _ in range(TRIES):
            self.segments, self.vias = [], []
            for net in order:
                if not self._connect(loose[net]):
                    if net == order[0]:
                        raise NoWayError(f"no way for {net}, even on an empty board")
                    order.remove(net)
                    order.insert(0, net)
                    print(f"no way for {net}: once more, with it first", flush=True)
                    break
            else:
                return
        raise NoWayError(f"not routed in {TRIES} tries")

    def _near(self, grid: Grid, middle: tuple[float, float], half: tuple[float, float], reach: float) -> None:
        """Mark the cells that are closer than *reach* to a rectangle."""
        (x, y), (w, h) = middle, half
        rows, columns = self._window(x - w - reach, y - h - reach, x + w + reach, y + h + reach)
        dx = np.maximum(abs(self.xs[None, columns] - x) - w, 0)
        dy = np.maximum(abs(self.ys[rows, None] - y) - h, 0)
        grid[rows, columns] |= dx * dx + dy * dy < reach * reach

    def _near_pad(self, grid: Grid, pad: Pad, reach: float) -> None:
        if pad.is_round:
            self._near(grid, (pad.x, pad.y), (0, 0), reach + pad.w / 2)
        else:
            self._near(grid, (pad.x, pad.y), (pad.w / 2, pad.h / 2), reach)

    def _near_segment(self, grid: Grid, s: Segment, reach: float) -> None:
        (left, right), (top, bottom) = sorted((s.x0, s.x1)), sorted((s.y0, s.y1))
        rows, columns = self._window(left - reach, top - reach, right + reach, bottom + reach)
        xs, ys, dx, dy = self.xs[None, columns], self.ys[rows, None], s.x1 - s.x0, s.y1 - s.y0
        t = np.clip(((xs - s.x0) * dx + (ys - s.y0) * dy) / max(dx * dx + dy * dy, 1e-9), 0, 1)
        grid[rows, columns] |= (xs - s.x0 - t * dx) ** 2 + (ys - s.y0 - t * dy) ** 2 < reach * reach

    def _window(self, left: float, top: float, right: float, bottom: float) -> tuple[slice, slice]:
        rows = slice(max(0, int(top / CELL)), min(self.ny, int(bottom / CELL) + 2))
        return rows, slice(max(0, int(left / CELL)), min(self.nx, int(right / CELL) + 2))

    def _maps(self, net: str, width: float) -> tuple[list[bool], list[bool]]:
        """Return where the middle of a track, layer by layer, and of a via must not be."""
        track, via = np.zeros((2, self.ny, self.nx), bool), np.zeros((self.ny, self.nx), bool)
        for grid, half in ((track[0], width / 2), (track[1], width / 2), (via, VIA / 2)):
            far = EDGE + half
            grid |= ((self.xs < far) | (self.xs > self.size[0] - far))[None, :]
            grid |= ((self.ys < far) | (self.ys > self.size[1] - far))[:, None]
        for block in self.blocks:
            if net not in block.but:
                middle = (block.x0 + block.x1) / 2, (block.y0 + block.y1) / 2
                half_size = (block.x1 - block.x0) / 2, (block.y1 - block.y0) / 2
                for layer in block.layers:
                    self._near(track[layer], middle, half_size, width / 2 + 0.05)
                self._near(via, middle, half_size, VIA / 2 + 0.05)
        for pad in self.pads:
            if pad.net != net or not pad.net:
                for layer in pad.layers:
                    self._near_pad(track[layer], pad, CLEARANCE + width / 2)
                self._near_pad(via, pad, CLEARANCE + VIA / 2)
            else:  # no via in a pad of its own net either
                self._near_pad(via, pad, VIA / 2)
            if pad.drill:
                self._near(via, (pad.x, pad.y), (0, 0), HOLES_APART + (VIA_DRILL + pad.drill) / 2)
        for segment in self.segments:
            if segment.net != net:
                self._near_segment(track[segment.layer], segment, CLEARANCE + (width + segment.width) / 2)
                self._near_segment(via, segment, CLEARANCE + (VIA + segment.width) / 2)
        for other in self.vias:
            if other.net != net:
                for grid in track:
                    self._near(grid, (other.x, other.y), (0, 0), CLEARANCE + (width + VIA) / 2)
            reach = VIA + CLEARANCE if other.net != net else VIA_DRILL + HOLES_APART
            self._near(via, (other.x, other.y), (0, 0), reach)
        return track.ravel().tolist(), via.ravel().tolist()

    def _cells(self, pad: Pad) -> list[int]:
        """Return the cells well inside *pad*."""
        w, h = max(pad.w / 4, CELL / 2 + 1e-6), max(pad.h / 4, CELL / 2 + 1e-6)
        return [
            layer * self.nx * self.ny + row * self.nx + column
            for layer in pad.layers
            for row in range(int((pad.y - h) / CELL), int((pad.y + h) / CELL) + 2)
            for column in range(int((pad.x - w) / CELL), int((pad.x + w) / CELL) + 2)
            if abs(column * CELL - pad.x) <= w and abs(row * CELL - pad.y) <= h
        ]

    def _path(self, sources: Collection[int], target: Pad, track: list[bool], via: list[bool]) -> list[int] | None:
        n, goals = self.nx * self.ny, set(self._cells(target))
        rest = self._rest(target)
        # cells at the edge are never free, so no step leaves the grid
        steps = [(dy * self.nx + dx, price) for dx, dy, price in STEPS]
        # where an earlier track of this net is narrower, a wide one must not begin
        best, came = {cell: 0.0 for cell in sources if not track[cell]}, dict[int, int]()
        heap = [(rest[cell % n], 0.0, cell) for cell in best]
        heapq.heapify(heap)
        push, pop = heapq.heappush, heapq.heappop
        while heap:
            _, cost, cell = pop(heap)
            if cost > best[cell]:
                continue
            if cell in goals:
                path = [cell]
                while cell in came:
                    cell = came[cell]
                    path.append(cell)
                return path[::-1]
            for step, price in steps:
                after = cell + step
                if not track[after] and cost + price < best.get(after, 1e9):
                    best[after], came[after] = cost + price, cell
                    push(heap, (cost + price + rest[after % n], cost + price, after))
            if not via[cell % n]:
                after = (cell + n) % (2 * n)
                if not track[after] and cost + VIA_PRICE < best.get(after, 1e9):
                    best[after], came[after] = cost + VIA_PRICE, cell
                    push(heap, (cost + VIA_PRICE + rest[after % n], cost + VIA_PRICE, after))
        return None

    def _rest(self, target: Pad) -> list[float]:
        """Return the least price from each cell to *target*."""
        dx = np.maximum(abs(self.xs - target.x) / CELL - target.w / 4 / CELL - 1, 0)[None, :]
        dy = np.maximum(abs(self.ys - target.y) / CELL - target.h / 4 / CELL - 1, 0)[:, None]
        rest: list[float] = (np.maximum(dx, dy) + 0.414 * np.minimum(dx, dy)).ravel().tolist()
        return rest

    def _connect(self, pads: Sequence[Pad]) -> bool:
        """Connect the *pads* of a net. Return whether each found a way."""
        net, n, maps = pads[0].net, self.nx * self.ny, {}
        joined, left, done = set(self._cells(pads[0])), list(pads[1:]), [pads[0]]
        where = dict.fromkeys(joined, pads[0])  # the pad that a cell is in: its middle is joined as well
        while left:
            left.sort(key=lambda pad: min(hypot(pad.x - other.x, pad.y - other.y) for other in done))
            target = left.pop(0)
            for width in self.widths_of(net):
                if width not in maps:
                    maps[width] = self._maps(net, width)
                if path := self._path(joined, target, *maps[width]):
                    break
            else:
                return False
            mine = self._cells(target)
            where.update(dict.fromkeys(mine, target))
            spots = [(cell % n % self.nx * CELL, cell % n // self.nx * CELL, cell // n) for cell in path]
            for end, at in ((path[0], 0), (path[-1], len(spots))):
                if end in where:
                    spots.insert(at, (where[end].x, where[end].y, end // n))
            self._add(net, spots, width)
            joined |= {*path, *mine}
            done.append(target)
        return True

    def _add(self, net: str, spots: Sequence[Spot], width: float) -> None:
        start = spots[0]
        for at, (before, here) in enumerate(pairwise(spots), start=2):
            after = spots[at] if at < len(spots) else None
            if before[2] != here[2]:
                self.vias.append(Via(net, before[0], before[1]))
                start = here
            elif after is None or after[2] != here[2] or _turns(before, here, after):
                if start[:2] != here[:2]:
                    self.segments.append(Segment(net, *start[:2], *here[:2], here[2], width))
                start = here


def _turns(before: Spot, here: Spot, after: Spot) -> bool:
    first, second = (here[0] - before[0], here[1] - before[1]), (after[0] - here[0], after[1] - here[1])
    return abs(first[0] * second[1] - first[1] * second[0]) > 1e-9
