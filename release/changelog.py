"""CHANGELOG.md, and what is made from it: the version, debian/changelog, its links and the notes of a release.

``python3 -m release.changelog`` prints those of the newest release.
"""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from pathlib import Path
from typing import NamedTuple

UNRELEASED = "Unreleased"
SECTION = re.compile(r"^## \[(?P<name>.+?)\](?P<rest>.*)\n(?P<text>(?:(?!## |\[.+?\]: ).*\n?)*)", re.MULTILINE)
RELEASED = re.compile(r" - (\d{4}-\d\d-\d\d)")
VERSION = re.compile(r"\d+\.\d+\.\d+")
LINKS = re.compile(r"^\[.+?\]: .*\n?", re.MULTILINE)


class Release(NamedTuple):
    """A release: its *text* is Markdown."""

    version: str
    day: date
    text: str


def releases(changelog: str) -> list[Release]:
    """Return the releases, newest first. Raises ``ValueError`` for a heading that is not ``[1.2.3] - 2026-11-23``."""
    found = []
    for section in SECTION.finditer(changelog):
        day = RELEASED.fullmatch(section["rest"])
        if VERSION.fullmatch(section["name"]) and day:
            found.append(Release(section["name"], date.fromisoformat(day[1]), section["text"].strip()))
        elif section["name"] != UNRELEASED:
            raise ValueError(f"CHANGELOG.md: write {section[0].splitlines()[0]} as ## [1.2.3] - 2026-11-23")
    return found


def unreleased(changelog: str) -> str:
    """Return the text of what is not released yet, or ``""``."""
    return next((each["text"].strip() for each in SECTION.finditer(changelog) if each["name"] == UNRELEASED), "")


def with_links(changelog: str, source: str) -> str:
    """Return *changelog* with the link of each heading, to the project's address *source*."""
    versions = [release.version for release in releases(changelog)]
    links = [f"[{version}]: {source}/releases/tag/v{version}" for version in versions]
    if f"## [{UNRELEASED}]" in changelog:
        links.insert(0, f"[{UNRELEASED}]: {source}/compare/v{versions[0]}...HEAD")
    return "\n".join([LINKS.sub("", changelog).rstrip(), "", *links, ""])


def debian_changelog(changelog: str, maintainer: str) -> str:
    """Return debian/changelog for *changelog*. *maintainer* is ``name <address>``.

    A release is of the first second of its day: no file of the package may be newer, and none is made before it.
    """
    return "\n".join(
        f"reboard ({release.version}) unstable; urgency=medium\n\n"
        "  * CHANGELOG.md has what a user notices.\n\n"
        f" -- {maintainer}  {format_datetime(datetime.combine(release.day, time(), UTC))}\n"
        for release in releases(changelog)
    )


def notes(release: Release, source: str) -> str:
    """Return the notes of *release* for GitHub: with whole addresses, and without line breaks in a paragraph."""
    text = re.sub(r"(?<=.)\n *(?![\n#|-])", " ", release.text)
    return re.sub(r"(\]\()(?![a-z]+:|#)", rf"\g<1>{source}/blob/v{release.version}/", text) + "\n"


def main() -> None:
    """Print the notes of the newest release."""
    source = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
    print(notes(releases(Path("CHANGELOG.md").read_text("utf-8"))[0], source), end="")


if __name__ == "__main__":
    main()
