"""What a release consists of: the wheel, the pinned packages, the changelog."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import reboard

TREE = Path(__file__).parents[1]
PROGRAM = ("firmware", "sim")
BUILD = """
import shutil
from setuptools import build_meta
archive = build_meta.build_sdist("..")
shutil.unpack_archive(f"../{archive}", "..")
print("BUILT", archive.removesuffix(".tar.gz"))
"""
WHEEL = 'from setuptools import build_meta; build_meta.build_wheel("..")'


def python(code: str, directory: Path) -> str:
    ended = subprocess.run([sys.executable, "-c", code], cwd=directory, capture_output=True, text=True, timeout=100)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_wheel_of_the_source_archive_has_every_file_of_the_program_and_links_for_pypi(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in PROGRAM:
        shutil.copytree(TREE / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(TREE / name, tree)
    parts = [tree / name for name in PROGRAM]
    files = {file.relative_to(part).as_posix() for part in parts for file in part.rglob("*") if file.is_file()}
    unpacked = python(BUILD, tree).partition("BUILT ")[2].strip()
    python(WHEEL, tmp_path / unpacked)
    [wheel] = map(ZipFile, tmp_path.glob("*.whl"))
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == files
    [metadata] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    description = wheel.read(metadata).decode()
    source = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
    assert f"]({source}/raw/main/docs/pictures/bench.png)" in description
    links = re.findall(r"\]\(([^)]*)\)", description)
    assert f"{source}/blob/main/LICENSE" in links
    assert [link for link in links if not link.startswith("https://")] == []


def pinned() -> dict[str, list[str]]:
    """Return the versions of each package in constraints.txt. Each has hashes."""
    text = re.sub(r"^ *#.*\n", "", (TREE / "constraints.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    versions: dict[str, list[str]] = {}
    for entry in text.replace("\\\n", "").splitlines():
        row = re.fullmatch(r"([a-z0-9-]+)==(\S+)( ; [^#]+?)?((?: +--hash=sha256:[0-9a-f]{64})+)", entry)
        assert row, f"constraints.txt has a package without a version and hashes, or an option: {entry[:80]}"
        versions.setdefault(row[1], []).append(row[2])
    return versions


def test_every_requirement_is_pinned() -> None:
    settings = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))
    project, groups = settings["project"], settings["dependency-groups"]
    lists = [project["dependencies"], *project["optional-dependencies"].values(), *groups.values()]
    requirements = [Requirement(each) for each in chain.from_iterable(lists) if isinstance(each, str)]
    versions = pinned()
    unpinned = [
        str(requirement)
        for requirement in requirements
        if requirement.name != "reboard"
        and not any(map(requirement.specifier.contains, versions.get(canonicalize_name(requirement.name), [])))
    ]
    assert unpinned == [], "run `make constraints`"


def versions_built_in(folder: Path) -> tuple[str, str]:
    """Return the version of the package that ``make deb`` builds in *folder*, and that which its code reports."""
    asked = [f"PYTHON={sys.executable}", "--eval=asked: ; @echo $(PACKAGE)", "asked"]
    made = subprocess.run(["make", "--silent", *asked], cwd=folder, capture_output=True, text=True, check=True)
    return made.stdout.strip(), str(runpy.run_path(str(folder / "firmware/reboard/version.py"))["build"]())


def test_a_zip_without_git_builds_the_same_version_as_a_clone(tmp_path: Path) -> None:
    clone, unpacked = tmp_path / "clone", tmp_path / "zip"
    for name in ("Makefile", ".gitattributes", "firmware/reboard/version.py"):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TREE / name, clone / name)
    made_at = {"GIT_AUTHOR_DATE": "2026-11-29T23:30:00+01:00", "GIT_COMMITTER_DATE": "2026-11-29T23:30:00+01:00"}
    git = ["git", "-c", "user.name=anna", "-c", "user.email=anna@example.org", "-c", "init.defaultBranch=main"]

    def run(*command: str | Path) -> bytes:
        return subprocess.run(
            [*git, *command], cwd=clone, env=os.environ | made_at, capture_output=True, check=True
        ).stdout

    def unpack() -> None:
        shutil.rmtree(unpacked, ignore_errors=True)
        unpacked.mkdir()
        subprocess.run(["tar", "--extract"], cwd=unpacked, input=run("archive", "HEAD"), check=True)

    release = reboard.__version__
    assert versions_built_in(clone)[0] > f"{release}+git2026", "a copy without a commit counts as one of now"
    for command in (["init"], ["add", "."], ["commit", "-m", "first"]):
        run(*command)
    unpack()
    version = f"{release}+git20261129223000.{run('rev-parse', 'HEAD').decode()[:8]}"
    assert versions_built_in(clone) == (version, release), "the code of a clone does not know its commit"
    assert versions_built_in(unpacked) == (version, version)
    run("tag", f"v{release}")
    unpack()
    assert versions_built_in(clone)[0] == release
    assert versions_built_in(unpacked) == (release, release)
