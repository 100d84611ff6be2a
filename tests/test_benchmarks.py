"""Every benchmark works, or says in a line what it lacks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks.__main__ import A_MOMENT, HERE

LONGEST_S = 120.0


@pytest.mark.realtime
@pytest.mark.parametrize("name", A_MOMENT)
def test_a_benchmark_works_for_a_moment(name: str) -> None:
    command = [sys.executable, str(HERE / f"{name}.py"), *A_MOMENT[name].split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    assert done.returncode == 0, done.stderr
    assert "|" in done.stdout or "not measured" in done.stdout
    assert "inf" not in done.stdout.split()
