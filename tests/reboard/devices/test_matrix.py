"""The LED matrix, on a virtual chain of MAX7219 that reads the bytes on the SPI bus."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, cast

import pytest

from reboard.accessories.accessory import Accessory
from reboard.accessories.question_block.accessory import QUESTION_BLOCK
from reboard.board import SPI_HZ, Devices, SpiDevice
from reboard.commands.check import electrical_findings
from reboard.config.kinds import Section
from reboard.devices.device import FittedDevice
from reboard.devices.glyphs import DARK, glyph
from reboard.devices.matrix import MATRIX, MATRIX_SETTING, LedMatrix, MatrixConfig
from reboard.errors import ConfigError
from reboard.vocabulary.declared import Event
from reboard.wiring.drawing import sheets_of
from reboard.wiring.table_netlist import circuit_of
from reboard_sim.board.spi import VirtualSpiDevice
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.matrix import VirtualMatrix
from tests.plugged_in import installed
from tests.reboard.wiring.tables import table


class Bench:
    """A board with a matrix on SPI bus 0, whose bus opens without *error*."""

    def __init__(self, config: MatrixConfig, error: OSError | None = None) -> None:
        self.error = error
        self.events: list[tuple[str, Any]] = []
        self.virtual = VirtualMatrix(config, cast(VirtualBoard, self))
        self.virtual.power_on()
        self.matrix = LedMatrix(cast(Devices, self), config, emit=self.emit)

    def add_spi_device(self, bus: int, chip_select: int, receive: Any) -> VirtualSpiDevice:
        self.spi = VirtualSpiDevice(receive)
        return self.spi

    def open_spi(self, bus: int, chip_select: int, hz: int = SPI_HZ) -> SpiDevice:
        if self.error:
            raise self.error
        return self.spi.open()

    def emit(self, event: Event) -> None:
        fields = event.as_json()
        self.events.append((event.event, fields.get("glyphs", fields.get("cause"))))


MOUNTED = [
    MatrixConfig(modules=3, quarter_turns=turns, is_reversed=back) for turns in range(4) for back in (False, True)
]


@pytest.mark.parametrize("config", MOUNTED, ids=str)
def test_the_leds_show_the_glyphs_however_the_modules_are_mounted(config: MatrixConfig) -> None:
    bench = Bench(config)
    shown = [list(glyph(character)) for character in "5R"]
    bench.matrix.show(*shown)
    assert bench.virtual.glyphs() == [*shown, list(DARK)]
    bench.matrix.clear()
    assert bench.virtual.glyphs() == [list(DARK)] * 3
    assert [name for name, _ in bench.events] == ["matrix"] * 3


def test_a_glyph_has_its_left_column_in_bit_7_and_its_top_row_first() -> None:
    stroke = glyph("/")
    assert [row.bit_length() for row in stroke if row] == sorted(row.bit_length() for row in stroke if row)
    assert glyph("T")[0].bit_count() > glyph("T")[4].bit_count()


def test_a_closed_matrix_is_dark_and_can_be_closed_again() -> None:
    bench = Bench(MatrixConfig())
    bench.matrix.show(glyph("8"))
    bench.matrix.close()
    bench.matrix.close()
    assert bench.virtual.glyphs() == [list(DARK)]


def test_a_matrix_that_lost_its_power_is_dark_and_lights_up_again() -> None:
    bench = Bench(MatrixConfig())
    bench.matrix.show(glyph("8"))
    bench.virtual.faults()["unplugged"](True)
    bench.matrix.show(glyph("8"))
    assert bench.virtual.glyphs() == [list(DARK)]
    bench.virtual.faults()["unplugged"](False)
    bench.matrix.show(glyph("8"))
    assert bench.virtual.glyphs() == [list(glyph("8"))]


def test_a_bus_that_is_switched_off_is_a_fault_until_it_opens() -> None:
    bench = Bench(MatrixConfig(), FileNotFoundError(errno.ENOENT, "No such file or directory"))
    assert not bench.matrix.is_working
    assert [name for name, _ in bench.events] == ["fault"]
    bench.error = None
    bench.matrix.show(glyph("1"))
    assert bench.matrix.is_working
    assert [name for name, _ in bench.events] == ["fault", "recovered", "matrix"]


@pytest.mark.parametrize(
    ("number", "remedy"), [(errno.ENOENT, "dtparam=spi=on"), (errno.EACCES, "sudo reboard doctor")]
)
def test_a_bus_that_cannot_be_opened_has_its_remedy(number: int, remedy: str) -> None:
    bench = Bench(MatrixConfig(), OSError(number, os.strerror(number)))
    [(_, cause)] = bench.events
    assert remedy in cause


@pytest.mark.parametrize(
    "wrong", [[[0] * 8] * 2, [[0] * 7], [[256] * 8]], ids=["two glyphs", "seven rows", "nine bits"]
)
def test_what_does_not_fit_is_refused(wrong: Sequence[Sequence[int]]) -> None:
    with pytest.raises(ValueError, match=r"matrix|glyph"):
        Bench(MatrixConfig()).matrix.show(*wrong)


@dataclass(frozen=True, slots=True)
class SignConfig:
    leds: Annotated[MatrixConfig, MATRIX_SETTING]


class Sign(Accessory[SignConfig]):
    name = "sign"
    title = "Sign"
    section = Section(SignConfig)

    fitted: Sequence[FittedDevice[Any, Any]] = (FittedDevice("sign.leds", "sign", MATRIX, wiring="matrix"),)

    def open(self, *_: object) -> Any:
        raise AssertionError("a wiring list opens no accessory")


SIGN = "[sign]\nleds = { modules = 3 }\n"


def test_its_wiring_is_drawn_and_checked() -> None:
    with installed(Sign()):
        config = table(SIGN)
        circuit = circuit_of(config)
        assert b"74AHCT125" in b"".join(sheets_of(circuit, "A table"))
        parts = circuit.of_device("sign.leds")
        assert all(f"{gate}A" in parts["buffer"].nets for gate in (1, 2, 3, 4)), "an open input"
        assert set(parts["buffer capacitor"].nets.values()) == {"5V", "ground"}
        assert not [finding.name for finding in electrical_findings(config) if finding.name.startswith("matrix")]
        direct = table(SIGN + "[wiring.matrix]\nbuffer = false\n")
        assert "matrix.levels" in [finding.name for finding in electrical_findings(direct)]
        assert b"74AHCT125" not in b"".join(sheets_of(circuit_of(direct), "A table"))


def test_no_other_device_may_use_its_pins() -> None:
    with installed(QUESTION_BLOCK, Sign()), pytest.raises(ConfigError) as error:
        table(SIGN + "[block]\nbutton = 10\n")
    assert "sign.leds" in str(error.value)


@pytest.mark.parametrize("mounted", MOUNTED, ids=str)
async def test_setup_finds_how_the_modules_are_mounted(mounted: MatrixConfig) -> None:
    bench = Bench(mounted)

    async def choose(*_: object) -> str:
        return f"{mounted.modules}"

    async def yes(*_: object) -> bool:
        return bench.virtual.glyphs() == [list(glyph(digit)) for digit in "123"]

    work: Any = SimpleNamespace(board=bench, prompts=SimpleNamespace(choose=choose, yes=yes))
    found: Any = await MATRIX.try_out(Sign.fitted[0], work)
    assert MatrixConfig(**found) == mounted
