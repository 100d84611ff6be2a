from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reboard.sounds import NAMES, __main__, compositions


def test_every_sound_is_written_to_the_folder_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(__main__, "composed", lambda name: compositions.composed("key"))
    monkeypatch.setattr(sys, "argv", ["sounds", str(tmp_path / "here")])
    __main__.main()
    assert sorted(path.stem for path in (tmp_path / "here").iterdir()) == sorted(NAMES)
    assert capsys.readouterr().out == f"19 sounds written to {tmp_path / 'here'}\n"
