"""The static bench has the licence of everything in it."""

import re
from importlib.metadata import distributions
from pathlib import Path

from tests.static_bench.conftest import BUILT

PACKAGES = Path(__file__).parents[2] / ".venv" / "browser"


def test_each_package_in_the_bench_has_its_licence() -> None:
    text = (BUILT / "licences.txt").read_text("utf-8")
    parts = {part.strip().partition("\n")[0]: part for part in re.split(r"\n-{80}\n", text)}
    wanted = {f"{package.name} {package.version}" for package in distributions(path=[str(PACKAGES)])}
    wanted = {name for name in wanted if not name.startswith("setuptools ")}
    assert len(wanted) > 10
    assert wanted <= parts.keys()
    for name in wanted:
        assert re.search(r"Permission|Redistribution|LICENSE AGREEMENT|Apache", parts[name]), name
        assert re.search(r"(copyright|\(c\)) (\(c\) |©? ?)\d{4}|\(c\) \d{4}", parts[name], re.IGNORECASE), name
    [pyodide] = [path.name.removeprefix("pyodide-") for path in BUILT.glob("pyodide-*")]
    assert f"https://github.com/pyodide/pyodide/tree/{pyodide}" in text
