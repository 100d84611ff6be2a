"""A picture of solids: every triangle painted by its depth, brighter the more it looks at the light."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

from hardware.making.housings.stl import normals, triangles
from hardware.making.png import png_of

WIDTH, HEIGHT = 1200, 800
LIGHT = np.array([-0.35, -0.5, 0.79])
COLOUR = np.array([232, 178, 60])
PAPER = 255
DARKEST = 0.35


def picture(solids: Sequence[Manifold], *, tilt: float = -62, turn: float = -35) -> bytes:
    """*solids* side by side as PNG, seen from above their front: turned by *turn* and tilted by *tilt* degrees."""
    corners, shades = _scene(solids)
    bright = _turned(corners, tilt, turn)
    flat = bright.reshape(-1, 3)
    low, high = flat.min(axis=0), flat.max(axis=0)
    scale = min((WIDTH - 80) / (high[0] - low[0]), (HEIGHT - 80) / (high[1] - low[1]))
    bright = (bright - (low + high) / 2) * scale
    bright[..., 0] += WIDTH / 2
    bright[..., 1] = HEIGHT / 2 - bright[..., 1]
    image = np.full((HEIGHT, WIDTH, 3), PAPER, np.uint8)
    depths = np.full((HEIGHT, WIDTH), -np.inf)
    for triangle, shade in zip(bright, shades, strict=True):
        _paint(image, depths, triangle, COLOUR * shade)
    return png_of(image.tobytes(), WIDTH, HEIGHT)


def _scene(solids: Sequence[Manifold]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All triangles, the solids beside each other, and how bright each is."""
    placed, right = [], 0.0
    for solid in solids:
        left, _, _, end, _, _ = solid.bounding_box()
        placed.append(triangles(solid).astype(np.float64) + np.array([right - left, 0, 0]))
        right += end - left + 15
    corners = np.concatenate(placed)
    looks = normals(corners.astype(np.float32))
    return corners, DARKEST + (1 - DARKEST) * np.clip(looks @ (LIGHT / np.linalg.norm(LIGHT)), 0, 1)


def _turned(corners: NDArray[np.float64], tilt: float, turn: float) -> NDArray[np.float64]:
    around, over = np.radians(turn), np.radians(tilt)
    about_z = np.array([[np.cos(around), -np.sin(around), 0], [np.sin(around), np.cos(around), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(over), -np.sin(over)], [0, np.sin(over), np.cos(over)]])
    turned: NDArray[np.float64] = corners @ about_z.T @ about_x.T
    return turned


def _paint(
    image: NDArray[np.uint8], depths: NDArray[np.float64], triangle: NDArray[np.float64], colour: NDArray[np.float64]
) -> None:
    """Paint one triangle where nothing painted so far is nearer."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if abs(area) < 1e-9:
        return
    left, right = max(int(min(ax, bx, cx)), 0), min(int(max(ax, bx, cx)) + 2, WIDTH)
    top, bottom = max(int(min(ay, by, cy)), 0), min(int(max(ay, by, cy)) + 2, HEIGHT)
    ys, xs = np.mgrid[top:bottom, left:right] + 0.5
    b = ((xs - ax) * (cy - ay) - (ys - ay) * (cx - ax)) / area
    c = ((bx - ax) * (ys - ay) - (by - ay) * (xs - ax)) / area
    depth = az + b * (bz - az) + c * (cz - az)
    there = depths[top:bottom, left:right]
    seen = (b >= 0) & (c >= 0) & (b + c <= 1) & (depth > there)
    there[seen] = depth[seen]
    image[top:bottom, left:right][seen] = colour.astype(np.uint8)
