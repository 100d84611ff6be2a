"""Draws solids: triangles by depth, brighter towards the light, with lines at their edges."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

from hardware.making.housings.meshes import Floats, triangles

Colour = tuple[int, int, int]

WIDTH, HEIGHT = 1200, 800
COLUMNS = 3
FINER = 2
"""Pictures are painted so many times larger, to smooth the edges."""

LIGHT = np.array([-0.35, -0.5, 0.79])
COLOURS: Sequence[Colour] = (
    (232, 178, 60),
    (96, 150, 196),
    (150, 190, 110),
    (214, 122, 92),
    (170, 130, 190),
    (130, 190, 190),
)
"""Colours of pieces."""

PAPER = 255
INK = 40
DARKEST = 0.35
STEP = 0.7
"""Millimetres: a step in depth that gets a line."""

APART = 15.0
"""Millimetres between solids that are beside each other."""


Shown = Sequence[tuple[Manifold, Colour]]


def picture(shown: Shown, *, tilt: float = -62, turn: float = -35) -> bytes:
    """Return solids in their colours as PNG, turned by *turn* and tilted by *tilt* degrees."""
    return _png(_painted(shown, WIDTH, HEIGHT, tilt, turn))


def strip(frames: Sequence[tuple[Shown, float]], *, turn: float) -> bytes:
    """Return *frames* as PNG, three in a row: solids in their colours, and the tilt of each frame in degrees."""
    painted = [_painted(shown, WIDTH // 2, HEIGHT // 2, tilt, turn) for shown, tilt in frames]
    painted += [np.full_like(painted[0], PAPER)] * (-len(painted) % COLUMNS)
    rows = [np.concatenate(painted[first : first + COLUMNS], axis=1) for first in range(0, len(painted), COLUMNS)]
    return _png(np.concatenate(rows))


def _png(image: NDArray[np.uint8]) -> bytes:
    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    chunks = {b"IHDR": header, b"IDAT": zlib.compress(rows, 9), b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items()
    )


def _painted(shown: Shown, wide: int, high: int, tilt: float, turn: float) -> NDArray[np.uint8]:
    corners, colours = _scene(shown)
    bright = _turned(corners, tilt, turn)
    flat = bright.reshape(-1, 3)
    least, most = flat.min(axis=0), flat.max(axis=0)
    width, height, edge = wide * FINER, high * FINER, high * FINER // 10
    scale = min((width - edge) / (most[0] - least[0]), (height - edge) / (most[1] - least[1]))
    bright = (bright - (least + most) / 2) * scale
    bright[..., 0] += width / 2
    bright[..., 1] = height / 2 - bright[..., 1]
    image = np.full((height, width, 3), PAPER, np.uint8)
    depths = np.full((height, width), -np.inf)
    for triangle, colour in zip(bright, colours, strict=True):
        _paint(image, depths, triangle, colour)
    image[_edges(depths, scale)] = INK
    smooth: NDArray[np.uint8] = image.reshape(high, FINER, wide, FINER, 3).mean(axis=(1, 3)).astype(np.uint8)
    return smooth


def in_rows(solids: Sequence[Manifold]) -> list[Manifold]:
    """Return *solids* beside each other, in rows about as wide as all are deep; the first is in the last row."""
    boxes = [solid.bounding_box() for solid in solids]
    widest = 1.2 * sum((box[3] - box[0] + APART) * (box[4] - box[1] + APART) for box in boxes) ** 0.5
    placed, right, back, next_back = [], 0.0, 0.0, 0.0
    for solid, (left, front, low, end, far, _) in zip(solids, boxes, strict=True):
        if right and right + end - left > widest:
            right, back = 0.0, next_back
        placed.append(solid.translate((right - left, back - far, -low)))
        right += end - left + APART
        next_back = min(next_back, back - (far - front) - APART)
    return placed


def _scene(shown: Shown) -> tuple[Floats, Floats]:
    found = [triangles(solid) for solid, _ in shown]
    corners, normals = (np.concatenate(each) for each in list(zip(*found, strict=True))[:2])
    colours = np.concatenate([np.tile(np.array(colour), (solid.num_tri(), 1)) for solid, colour in shown])
    bright = np.clip(normals @ (LIGHT / np.linalg.norm(LIGHT)), 0, 1)
    return corners, colours * (DARKEST + (1 - DARKEST) * bright)[:, np.newaxis]


def _turned(corners: Floats, tilt: float, turn: float) -> Floats:
    around, over = np.radians(turn), np.radians(tilt)
    about_z = np.array([[np.cos(around), -np.sin(around), 0], [np.sin(around), np.cos(around), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(over), -np.sin(over)], [0, np.sin(over), np.cos(over)]])
    turned: Floats = corners @ about_z.T @ about_x.T
    return turned


def _edges(depths: Floats, scale: float) -> NDArray[np.bool_]:
    there = np.where(np.isfinite(depths), depths, depths[np.isfinite(depths)].min() - 100 * scale)
    found = np.zeros(depths.shape, np.bool_)
    for axis in (0, 1):
        bend = np.diff(there, n=2, axis=axis)
        inner = found[1:-1] if axis == 0 else found[:, 1:-1]
        inner |= bend < -STEP * scale
    return found


def _paint(image: NDArray[np.uint8], depths: Floats, triangle: Floats, colour: Floats) -> None:
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if abs(area) < 1e-9:
        return
    left, right = max(int(min(ax, bx, cx)), 0), min(int(max(ax, bx, cx)) + 2, image.shape[1])
    top, bottom = max(int(min(ay, by, cy)), 0), min(int(max(ay, by, cy)) + 2, image.shape[0])
    ys, xs = np.mgrid[top:bottom, left:right] + 0.5
    b = ((xs - ax) * (cy - ay) - (ys - ay) * (cx - ax)) / area
    c = ((bx - ax) * (ys - ay) - (by - ay) * (xs - ax)) / area
    depth = az + b * (bz - az) + c * (cz - az)
    there = depths[top:bottom, left:right]
    seen = (b >= 0) & (c >= 0) & (b + c <= 1) & (depth > there)
    there[seen] = depth[seen]
    image[top:bottom, left:right][seen] = colour.astype(np.uint8)
