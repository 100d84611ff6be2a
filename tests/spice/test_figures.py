"""The kept figures are those that ngspice finds."""

from __future__ import annotations

import pytest

from hardware.making.spice.figures import FIGURES, kept

TOLERANCE = 0.05
"""Other versions of ngspice choose other steps of time."""


@pytest.mark.parametrize("name", FIGURES)
def test_the_kept_figure_is_simulated_again(name: str) -> None:
    value = FIGURES[name].simulate()
    assert value == pytest.approx(kept()[name], rel=TOLERANCE), (
        "keep the new figures: .venv/bin/python -m hardware.making spice. Then correct the documents."
    )
