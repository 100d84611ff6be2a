"""The libraries for programs on the virtual Pi, as programs use them."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.i2c_registers import I2cRegisters, RegistersConfig
from reboard_sim.script.modules.installed import libraries
from reboard_sim.script.modules.machine import I2cAddress, Machine, SpiPlace
from reboard_sim.virtual_time import run


@pytest.fixture
def opened() -> list[object]:
    return []


@pytest.fixture
def board() -> Iterator[VirtualBoard]:
    board = VirtualBoard(lambda: 0.0, Random(1))
    yield board
    board.pins.close()


@pytest.fixture(autouse=True)
def pi(board: VirtualBoard, opened: list[object]) -> Iterator[None]:
    with libraries(Machine(board, VirtualSoundCard.__new__(VirtualSoundCard), opened=opened.append)):
        yield


@pytest.fixture
def gpio() -> Any:
    import RPi.GPIO as GPIO

    GPIO.setmode(GPIO.BCM)
    return GPIO


def test_outputs_and_inputs_are_the_lines_of_the_board(gpio: Any, board: VirtualBoard) -> None:
    gpio.setup([17, 27], gpio.OUT, initial=gpio.HIGH)
    gpio.setup(22, gpio.IN, pull_up_down=gpio.PUD_UP)
    assert [board.pins.line(number).level for number in (17, 27, 22)] == [True, True, True]
    gpio.output([17, 27], (gpio.LOW, True))
    assert (gpio.input(17), gpio.input(27), gpio.input(22)) == (0, 1, 1)
    board.pins.line(22).drive(False)
    assert gpio.input(22) == gpio.LOW
    assert gpio.gpio_function(17) == gpio.OUT
    gpio.cleanup()
    assert not board.pins.line(27).is_output
    assert gpio.getmode() is None


def test_board_numbers_are_those_of_the_header(gpio: Any, board: VirtualBoard) -> None:
    gpio.setwarnings(False)
    gpio.cleanup()
    gpio.setmode(gpio.BOARD)
    gpio.setup(11, gpio.OUT, initial=1)
    assert board.pins.line(17).level
    with pytest.raises(ValueError, match="The channel sent is invalid on a Raspberry Pi"):
        gpio.setup(1, gpio.OUT)
    gpio.cleanup(11)


def test_pwm_is_a_duty_cycle_on_the_line(gpio: Any, board: VirtualBoard) -> None:
    gpio.setup(18, gpio.OUT)
    pwm = gpio.PWM(18, 50)
    line = board.pins.line(18)
    assert line.duty == 0
    pwm.start(7.5)
    assert (line.duty, line.hz) == (0.075, 50)
    pwm.ChangeDutyCycle(100)
    pwm.ChangeFrequency(100)
    assert (line.duty, line.hz) == (1, 100)
    with pytest.raises(RuntimeError, match="already exists"):
        gpio.PWM(18, 50)
    pwm.stop()
    assert line.duty == 0
    pwm.start(50)
    del pwm
    assert line.duty == 0


def test_edges_are_detected_with_a_bounce_time(gpio: Any, board: VirtualBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    now, seen = [0.0], list[int]()
    monkeypatch.setattr(board.pins.line(4), "clock", lambda: now[0])
    gpio.setup(4, gpio.IN, pull_up_down=gpio.PUD_UP)
    gpio.add_event_detect(4, gpio.FALLING, callback=seen.append, bouncetime=200)
    gpio.add_event_callback(4, lambda channel: seen.append(-channel))
    assert not gpio.event_detected(4)
    for instant, level in ((1.0, False), (1.05, True), (1.1, False), (1.5, True), (2.0, False)):
        now[0] = instant
        board.pins.line(4).drive(level)
    assert seen == [4, -4, 4, -4]
    assert gpio.event_detected(4)
    assert not gpio.event_detected(4)
    gpio.remove_event_detect(4)
    board.pins.line(4).drive(True)
    board.pins.line(4).drive(False)
    assert seen == [4, -4, 4, -4]


def test_a_program_waits_for_an_edge(gpio: Any, board: VirtualBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    gpio.setup(4, gpio.IN, pull_up_down=gpio.PUD_DOWN)
    waited: list[float | None] = []

    def wait(event: threading.Event, timeout: float | None = None) -> bool:
        waited.append(timeout)
        board.pins.line(4).drive(timeout is None)
        return event.is_set()

    monkeypatch.setattr(threading.Event, "wait", wait)
    assert gpio.wait_for_edge(4, gpio.RISING, timeout=500) is None
    assert gpio.wait_for_edge(4, gpio.RISING) == 4
    assert waited == [0.5, None]


@pytest.mark.parametrize(
    ("do", "error", "text"),
    [
        (lambda gpio: gpio.input(5), RuntimeError, r"You must setup\(\) the GPIO channel first"),
        (lambda gpio: gpio.output(4, 1), RuntimeError, "has not been set up as an OUTPUT"),
        (lambda gpio: gpio.output([17], [1, 0]), RuntimeError, "Number of channels != number of values"),
        (lambda gpio: gpio.setup(5, 7), ValueError, r"An invalid direction was passed to setup\(\)"),
        (lambda gpio: gpio.setup(5, gpio.OUT, gpio.PUD_UP), ValueError, "not valid for outputs"),
        (lambda gpio: gpio.setup(5, gpio.IN, initial=1), ValueError, "not valid for inputs"),
        (lambda gpio: gpio.setup(99, gpio.IN), ValueError, "invalid on a Raspberry Pi"),
        (lambda gpio: gpio.setup("5", gpio.IN), ValueError, "Channel must be an integer"),
        (lambda gpio: gpio.setmode(gpio.BOARD), ValueError, "A different mode has already been set!"),
        (lambda gpio: gpio.add_event_detect(17, gpio.BOTH), RuntimeError, "as an input first"),
        (lambda gpio: gpio.add_event_detect(4, 1), ValueError, "RISING, FALLING or BOTH"),
        (lambda gpio: gpio.PWM(4, 50), RuntimeError, "as an output first"),
        (lambda gpio: gpio.PWM(17, 0), ValueError, "frequency must be greater than 0.0"),
        (lambda gpio: gpio.PWM(17, 50).start(101), ValueError, "dutycycle must have a value from 0.0 to 100.0"),
        (lambda gpio: gpio.channel, AttributeError, "the virtual Pi's RPi.GPIO has no channel: use the functions"),
    ],
)
def test_a_mistake_has_the_error_of_rpi_gpio(
    do: Callable[[Any], object], error: type[Exception], text: str, gpio: Any
) -> None:
    gpio.setup(17, gpio.OUT)
    gpio.setup(4, gpio.IN)
    with pytest.raises(error, match=text):
        do(gpio)


def test_warnings_can_be_switched_off(gpio: Any, recwarn: pytest.WarningsRecorder) -> None:
    with pytest.warns(RuntimeWarning, match="nothing to clean up"):
        gpio.cleanup()
    gpio.setmode(gpio.BCM)
    with pytest.warns(RuntimeWarning, match="physical pull up"):
        gpio.setup(2, gpio.IN, gpio.PUD_UP)
    gpio.setwarnings(False)
    gpio.setup(3, gpio.IN, gpio.PUD_UP)
    assert not recwarn


def test_a_pin_has_one_user(gpio: Any, board: VirtualBoard, opened: list[Any]) -> None:
    from gpiozero import LED, GPIOPinInUse

    gpio.setup(17, gpio.OUT)
    with pytest.raises(GPIOPinInUse, match="GPIO17 is already in use by <RPi"):
        LED(17, pin_factory=board.pins)
    gpio.setup(17, gpio.IN)
    gpio.cleanup()
    LED(17, pin_factory=board.pins).close()
    assert [(channel.number, channel.is_output) for [channel] in opened] == [(17, True), (17, False)]


def registers(board: VirtualBoard) -> I2cRegisters:
    """Connect a device whose registers have their own numbers."""
    chip = I2cRegisters(RegistersConfig(0x48, values={number: number for number in range(256)}), board)
    chip.power_on()
    return chip


def test_smbus_reads_and_writes_registers(board: VirtualBoard, opened: list[object]) -> None:
    from smbus2 import SMBus, i2c_msg

    chip = registers(board)
    with SMBus(1) as bus:
        assert bus.read_byte_data(0x48, 7) == 7
        assert bus.read_byte(0x48) == 8
        assert bus.read_word_data(0x48, 0x10) == 0x1110
        assert bus.read_i2c_block_data(0x48, 0x20, 3) == [0x20, 0x21, 0x22]
        bus.write_byte_data(0x48, 1, 0xAA)
        bus.write_word_data(0x48, 2, 0xBBCC)
        bus.write_i2c_block_data(0x48, 4, [0xDD, 0xEE])
        assert chip.registers[1:6] == b"\xaa\xcc\xbb\xdd\xee"
        bus.write_block_data(0x48, 8, [1, 2])
        assert chip.registers[8:11] == b"\x02\x01\x02"
        assert bus.process_call(0x48, 0x30, 0) == 0x3332
        bus.write_byte(0x48, 0x40)
        assert bus.read_byte(0x48) == 0x40
        bus.write_quick(0x48)
        read = i2c_msg.read(0x48, 2)
        bus.i2c_rdwr(i2c_msg.write(0x48, [0x50]), read, i2c_msg.write(0x48, [0x60, 9]))
        assert [*bytes(read)] == [0x50, 0x51]
        assert chip.registers[0x60] == 9
        for act in (lambda: bus.read_byte(0x27), lambda: bus.write_byte(0x27, 1)):
            with pytest.raises(OSError, match="Remote I/O error") as raised:
                act()
            assert raised.value.errno == 121
    assert opened == [I2cAddress(1, 0x48), I2cAddress(1, 0x27)]
    with pytest.raises(FileNotFoundError, match="/dev/i2c-5"):
        SMBus(5)


def test_smbus_has_the_default_length_of_the_older_library(board: VirtualBoard) -> None:
    import smbus

    registers(board)
    bus = smbus.SMBus(1)
    assert bus.read_i2c_block_data(0x48, 0) == [*range(32)]


def test_spidev_reaches_the_chip_at_its_place(board: VirtualBoard, opened: list[object]) -> None:
    import spidev

    sent: list[bytes] = []

    def transfer(values: bytes) -> bytes:
        sent.append(values)
        return values[::-1]

    board.add_spi_device(0, 0, transfer)
    with spidev.SpiDev() as spi:
        spi.open(0, 0)
        spi.max_speed_hz, spi.mode = 1_350_000, 0b11
        assert spi.xfer2([1, 2, 3]) == [3, 2, 1]
        assert spi.xfer([4, 5], 500_000) == [5, 4]
        spi.writebytes([6])
        assert spi.readbytes(2) == [0, 0]
        with pytest.raises(OSError, match="highest bit first"):
            spi.lsbfirst = True
    with pytest.raises(OSError, match="Bad file descriptor"):
        spi.xfer2([1])
    assert sent == [b"\1\2\3", b"\4\5", b"\6", b"\0\0"]
    assert spidev.SpiDev(0, 1).xfer2([1, 2]) == [0, 0]
    assert opened == [SpiPlace(0, 0), SpiPlace(0, 1)]
    with pytest.raises(FileNotFoundError, match=r"/dev/spidev0\.2"):
        spidev.SpiDev(0, 2)


def test_pyserial_reads_and_writes_a_line(board: VirtualBoard) -> None:
    import serial
    from serial.tools import list_ports

    async def converse() -> None:
        heard: list[bytes] = []
        line = board.add_serial_line("/dev/ttyS0")
        line.listen(heard.append)
        with serial.Serial("/dev/serial0", 9600, timeout=0.01) as port:
            line.send(b"hello\nand more")
            assert port.in_waiting == 14
            assert port.readline() == b"hello\n"
            assert port.read_until(b"d ") == b"and "
            assert port.read(9) == b"more"
            assert port.write(b"thanks") == 6
            await asyncio.sleep(0.1)
            line.send(b"lost")
            port.reset_input_buffer()
            assert port.read(1) == b""
        assert heard == [b"thanks"]
        assert [port.device for port in list_ports.comports()] == ["/dev/ttyS0"]
        with pytest.raises(serial.SerialException, match="Attempting to use a port that is not open"):
            port.read(1)
        with pytest.raises(serial.SerialException, match=r"could not open port /dev/ttyUSB0: .*No such file"):
            serial.Serial("/dev/ttyUSB0")
        line.close()

    run(converse)


def test_the_modules_are_gone_after_the_program(board: VirtualBoard) -> None:
    outside = {name: module for name, module in sys.modules.items() if name.startswith(("smbus", "RPi", "serial"))}
    with libraries(Machine(board, VirtualSoundCard.__new__(VirtualSoundCard))):
        import serial
        from RPLCD import i2c
        from serial import rs485
        from serial.serialutil import SerialException

        assert sys.modules["smbus2"] is not outside["smbus2"]
        assert i2c.SMBus is sys.modules["smbus"].SMBus
        assert serial.SerialException is SerialException
        assert issubclass(rs485.RS485, serial.Serial)
    assert {name: sys.modules[name] for name in outside} == outside
    assert not sys.modules.keys() & {"RPLCD.i2c", "serial.rs485"}
