"""What the Debian package depends on and brings along is what pyproject.toml requires."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

TREE = Path(__file__).parents[1]
DEBIAN = TREE / "debian"
EXTRAS = ("page", "pi", "drawings", "mqtt")
"""What a Pi needs."""

NAMES = {
    "pyserial": "serial",
    "pyalsaaudio": "alsaaudio",
    "gpiod": "libgpiod",
}
"""Debian's names of Python packages, where they differ."""


def required() -> Iterator[Requirement]:
    """Yield the requirements of a Pi with trixie's Python."""
    project = tomllib.loads((TREE / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in EXTRAS)]
    for need in map(Requirement, (need for group in groups for need in group)):
        applies = need.marker is None or need.marker.evaluate({"python_version": "3.13", "sys_platform": "linux"})
        if applies and need.name != "reboard":
            yield need


def test_the_package_has_each_requirement_from_debian_or_vendored_in_a_version_that_will_do() -> None:
    vendored = dict(
        re.findall(r"^([\w-]+)==(\S+) --hash=sha256:[0-9a-f]{64}$", (DEBIAN / "vendored.txt").read_text(), re.MULTILINE)
    )
    control = (DEBIAN / "control").read_text().partition("\nPackage: ")[2]
    debian = dict(re.findall(r"^ python3-([\w.-]+)(?: \(>= ([\d.]+)\))?,?$", control, re.MULTILINE))
    assert vendored
    for need in required():
        name = need.name.lower()
        version = vendored.get(name) or debian.get(NAMES.get(name, name))
        assert version, f"the package does not bring {need}"
        assert need.specifier.contains(version), f"the package brings {name} {version}, not {need}"


def test_the_licence_of_each_vendored_package_is_in_the_copyright_file() -> None:
    names = re.findall(r"^([\w-]+)==", (DEBIAN / "vendored.txt").read_text(), re.MULTILINE)
    copyrights = (DEBIAN / "copyright").read_text()
    for name in names:
        assert f"vendored/{name}*" in copyrights
