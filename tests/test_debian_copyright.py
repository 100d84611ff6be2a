"""debian/copyright names each holder whom the files of the vendored packages name, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest

TREE = Path(__file__).parents[1]
COPYRIGHT = (TREE / "debian" / "copyright").read_text(encoding="utf-8")
VENDORED = re.findall(r"(?m)^([\w-]+)==(\S+)", (TREE / "debian" / "vendored.txt").read_text(encoding="utf-8"))

NOTICE = re.compile(r"(?:Copyright (?:\(c\)|©)|[\d-]+ \(c\)) ([\d-]+(?:present)?,? )?\[?(\w[^<\[\]\n]*)", re.IGNORECASE)
"""A copyright notice: the years, and the holder without an address."""

FROM_ELSEWHERE = {
    "Santiago Lezica": ("gpiozero/compat.py", "python-frozendict"),
    "Python Software Foundation": ("uvicorn/_compat.py", "psf-license"),
}
"""The holders of parts whose file names only their source: the file, and what it says."""


def paragraphs() -> Iterator[Mapping[str, str]]:
    """Yield the fields of each paragraph."""
    for paragraph in re.split(r"\n\n(?=\S)", COPYRIGHT):
        yield dict(re.findall(r"(?m)^([\w-]+): ?((?:.*\n?)(?: .*\n?)*)", paragraph))


def holders(field: str) -> set[str]:
    """Return the holders in a field ``Copyright``, without their years."""
    lines = (line.strip() for line in field.splitlines())
    return {re.sub(r"^[\d-]+(present)? ", "", line) for line in lines if line}


def declared(file: str) -> set[str]:
    """Return the holders of a vendored *file*: those of the last paragraph that matches it."""
    found = [
        each
        for each in paragraphs()
        if any(fnmatch(f"vendored/{file}", pattern) for pattern in each.get("Files", "").split() if pattern != "*")
    ]
    assert found, f"debian/copyright has no paragraph for vendored/{file}"
    return holders(found[-1]["Copyright"])


def named(package: Distribution) -> Iterator[tuple[str, str]]:
    """Yield each file of *package*, and each holder whom it names."""
    for file in package.files or ():
        if file.suffix in (".py", ".md", ".rst", ".txt", "") and file.parts[0] != "..":
            text = Path(str(file.locate())).read_text(encoding="utf-8", errors="replace")
            for _, holder in NOTICE.findall(text):
                yield str(file), holder.strip(" .,")


@pytest.mark.parametrize(("name", "version"), VENDORED)
def test_each_holder_of_a_vendored_package_is_declared(name: str, version: str) -> None:
    package = distribution(name)
    if package.version != version:
        pytest.skip(f"{name} {package.version} is installed, not {version}")
    found = list(named(package))
    assert found, f"no file of {name} names a holder"
    for file, holder in found:
        # a licence file names the holders of the whole package
        wanted = declared(file) if file.endswith(".py") else {each for other, _ in found for each in declared(other)}
        assert any(each.startswith(holder) for each in wanted), f"{file} names {holder}"
    everyone = {holder for _, holder in found}
    for each in {each for file, _ in found for each in declared(file)}:
        if source := FROM_ELSEWHERE.get(each):
            file, words = source
            assert words in Path(str(package.locate_file(file))).read_text(encoding="utf-8")
        else:
            assert any(each.startswith(holder) for holder in everyone), f"no file of {name} names {each}"


def test_the_templates_of_the_completions_have_their_holder_and_licence() -> None:
    package = distribution("shtab")
    [licence] = [file for file in package.files or () if file.name == "LICENCE"]
    notices = NOTICE.findall(Path(str(licence.locate())).read_text(encoding="utf-8"))
    comment = next(paragraphs())["Comment"]
    assert package.metadata["License"] in comment
    assert [holder.partition(" http")[0] in comment for _, holder in notices] == [True]


def test_each_licence_has_its_text() -> None:
    named = {each for paragraph in paragraphs() if "Files" in paragraph for each in paragraph["License"].split(" and ")}
    texts = {each["License"].partition("\n")[0] for each in paragraphs() if "Files" not in each and "License" in each}
    assert {name.strip() for name in named} == texts
