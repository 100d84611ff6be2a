"""The static bench is not built with a package whose licence is not known."""

import json
from pathlib import Path

import pytest

from docs.static_bench.licences import licences


def install(packages: Path, name: str, *files: str) -> None:
    info = packages / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    for file in files:
        (info / file).write_text(f"Copyright of {name}", "utf-8")
    (packages / f"{name}.py").write_text(f"#! python\n# Copyright (c) 2001 Somebody of {name} <a@b>\n", "utf-8")
    record = "".join(f"{info.name}/{file},,\n" for file in ("METADATA", *files)) + f"{name}.py,,\n"
    (info / "RECORD").write_text(record, "utf-8")


@pytest.fixture
def pyodide(tmp_path: Path) -> Path:
    folder = tmp_path / "pyodide"
    folder.mkdir()
    (folder / "package.json").write_text(json.dumps({"version": "1.2.3"}), "utf-8")
    return folder


def test_the_licences_of_all_packages_and_of_python_are_in_one_text(tmp_path: Path, pyodide: Path) -> None:
    install(tmp_path / "packages", "one", "LICENSE.txt", "AUTHORS.md")
    install(tmp_path / "packages", "pyserial")
    install(tmp_path / "packages", "setuptools")
    text = licences(tmp_path / "packages", pyodide)
    assert text.count("Copyright of one") == 2
    assert "Copyright (c) 2001 Somebody of pyserial <a@b>\n" in text
    assert "Redistribution and use" in text
    assert "Python Software Foundation" in text
    assert "pyodide/tree/1.2.3" in text
    assert "setuptools" not in text


def test_a_package_without_a_licence_is_an_error(tmp_path: Path, pyodide: Path) -> None:
    install(tmp_path / "packages", "one")
    with pytest.raises(LookupError, match="one has no file with its licence"):
        licences(tmp_path / "packages", pyodide)
