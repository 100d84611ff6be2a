"""CHANGELOG.md, and what is made from it: the version, debian/changelog, its links and the notes of a release.

``python3 -m release.changelog`` prints those of the newest release.
"""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

UNRELEASED = "[Unreleased]"
SECTION = re.compile(r"^## (?P<heading>.*)\n(?P<text>(?:(?!## |\[.+?\]: ).*\n?)*)", re.MULTILINE)
RELEASED = re.compile(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)")
LINKS = re.compile(r"^\[.+?\]: .*\n?", re.MULTILINE)

CHECK = """To check a file that you downloaded:

    sha256sum --check --ignore-missing SHA256SUMS
    gh attestation verify FILE --repo {repository}
"""


class Release(NamedTuple):
    """A release: its *text* is Markdown."""

    version: str
    day: date
    text: str

    @property
    def number(self) -> tuple[int, ...]:
        """The version, to compare it."""
        return tuple(map(int, self.version.split(".")))


def releases(changelog: str) -> list[Release]:
    """Return the releases, newest first.

    Raises ``ValueError`` for a heading that is not ``[1.2.3] - 2026-11-23``, for another order, and if there is none.
    """
    found = []
    for section in SECTION.finditer(changelog):
        heading = RELEASED.fullmatch(section["heading"])
        if heading:
            found.append(Release(heading[1], date.fromisoformat(heading[2]), section["text"].strip()))
        elif section["heading"] != UNRELEASED:
            raise ValueError(f"CHANGELOG.md: write ## {section['heading']} as ## [1.2.3] - 2026-11-23")
    if not found:
        raise ValueError("CHANGELOG.md has no release: write a heading such as ## [1.2.3] - 2026-11-23")
    for newer, older in pairwise(found):
        if newer.number <= older.number or newer.day < older.day:
            raise ValueError(f"CHANGELOG.md: {newer.version} is not newer than {older.version}, which is below it")
    return found


def unreleased(changelog: str) -> str:
    """Return the text of what is not released yet, or ``""``."""
    found = (each["text"] for each in SECTION.finditer(changelog) if each["heading"] == UNRELEASED)
    return "\n".join(found).strip()


def with_links(changelog: str, source: str) -> str:
    """Return *changelog* with the link of each heading, to the project's address *source*."""
    versions = [release.version for release in releases(changelog)]
    links = [f"[{version}]: {source}/releases/tag/v{version}" for version in versions]
    if f"## {UNRELEASED}" in changelog:
        links.insert(0, f"{UNRELEASED}: {source}/compare/v{versions[0]}...HEAD")
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
    """Return the notes of *release* for GitHub: with whole addresses, and without line breaks in a paragraph.

    They end with the commands that check a downloaded file.
    """
    text = re.sub(r"(?<=.)\n *(?![\n#|-])", " ", release.text)
    text = re.sub(r"(\]\()(?![a-z]+:|#)", rf"\g<1>{source}/blob/v{release.version}/", text)
    return f"{text}\n\n{CHECK.format(repository=source.removeprefix('https://github.com/'))}"


def main() -> None:
    """Print the notes of the newest release."""
    source = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
    print(notes(releases(Path("CHANGELOG.md").read_text("utf-8"))[0], source), end="")


if __name__ == "__main__":
    main()
