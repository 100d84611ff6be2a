"""`make bench` knows every benchmark, and runs them. Only a short one runs here: they measure, and take a minute."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

from benchmarks.__main__ import A_MOMENT, HERE

SHORT = "ledger"


def test_every_benchmark_is_listed_and_can_be_imported() -> None:
    found = {file.stem for file in HERE.glob("*.py") if hasattr(import_module(f"benchmarks.{file.stem}"), "main")}
    assert found - {"__main__"} == A_MOMENT.keys()


def test_a_benchmark_works_for_a_moment() -> None:
    command = [sys.executable, str(HERE / f"{SHORT}.py"), *A_MOMENT[SHORT].split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "|" in done.stdout
    assert "inf" not in done.stdout.split()
