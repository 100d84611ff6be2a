from __future__ import annotations

from pathlib import Path

import pytest

from reboard.cli import main


def test_the_connections_of_a_config_are_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.toml"
    file.write_text("[block]\nbutton = 4\nlamp = 27\n[apple]\nlever = 22\n", encoding="utf-8")
    assert main(["wiring", "-c", str(file)]) == 0
    assert capsys.readouterr().out == (
        "Question block\n"
        "  button                C   ground, pin 6\n"
        "                        NO  GPIO4, pin 7\n"
        "  lamp resistor, 330 Ω  a   GPIO27, pin 13\n"
        "                        b   lamp +\n"
        "  lamp                  +   lamp resistor b\n"
        "                        -   ground, pin 14\n"
        "\n"
        "Worm apple\n"
        "  lever                 C   ground, pin 20\n"
        "                        NO  GPIO22, pin 15\n"
        "\n"
        "Each ground is as good as any other, and so is each 3.3 V and each 5 V: a wire that is on one may stay "
        "there.\n"
    )


@pytest.mark.parametrize("command", [["wiring", "--svg"], ["cards", "--print"]])
def test_output_never_overwrites_the_config(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.toml"
    file.write_text("[block]\nbutton = 17\n", encoding="utf-8")
    with pytest.raises(SystemExit):
        main([*command, str(file), "-c", str(file)])
    assert "must end in ." in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "[block]\nbutton = 17\n"
