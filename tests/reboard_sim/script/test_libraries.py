"""Programs on the bench that use other libraries than gpiozero, and packages that others built on these."""

from __future__ import annotations

import wave
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from reboard_sim.cli import main

TRAFFIC_LIGHT = """
import time
import RPi.GPIO as GPIO
LED_PIN = 17
GPIO.setmode(GPIO.BCM)
GPIO.setup(LED_PIN, GPIO.OUT)
GPIO.setup(4, GPIO.IN, pull_up_down=GPIO.PUD_UP)
OTHERS = [27, 22]
GPIO.setup(OTHERS, GPIO.OUT, initial=True)
GPIO.add_event_detect(4, GPIO.FALLING, callback=lambda channel: print("pressed", channel), bouncetime=200)
try:
    for _ in range(3):
        GPIO.output(17, True)
        time.sleep(1)
        GPIO.output(17, False)
        time.sleep(1)
    GPIO.remove_event_detect(4)
    print("edge", GPIO.wait_for_edge(4, GPIO.FALLING))
    time.sleep(0.5)
    print("edge", GPIO.wait_for_edge(4, GPIO.FALLING, timeout=5000))
finally:
    GPIO.cleanup()
"""
SERVO = """
import time
from RPi import GPIO
GPIO.setmode(GPIO.BOARD)
GPIO.setup(12, GPIO.OUT)
pwm = GPIO.PWM(12, 50)
pwm.start(7.5)
try:
    time.sleep(1)
    pwm.ChangeDutyCycle(10)
    time.sleep(1000)
finally:
    pwm.stop()
"""
ANALOG = """
from gpiozero import MCP3008, PWMLED
from signal import pause
pot = MCP3008(0)
others = [MCP3008(channel, clock_pin=5, mosi_pin=6, miso_pin=13, select_pin=19) for channel in (1, 2)]
led = PWMLED(17)
led.source = pot
pause()
"""
POLLS = """
import time
from gpiozero import MCP3008
pot = MCP3008(0)
while pot.value < 0.9:
    pass
print(f"turned up after {time.monotonic():.0f} s")
"""
ANALOG_WITH_SPIDEV = """
import time, spidev
spi = spidev.SpiDev()
spi.open(0, 0)
spi.max_speed_hz = 1350000
def read(channel):
    answer = spi.xfer2([1, (8 + channel) << 4, 0])
    return ((answer[1] & 3) << 8) + answer[2]
while True:
    print(read(0), read(3))
    time.sleep(1)
"""
ANALOG_BY_HAND = """
import time
import RPi.GPIO as GPIO
GPIO.setmode(GPIO.BCM)
CLOCK, MISO, MOSI, SELECT = 18, 23, 24, 25
for pin in (CLOCK, MOSI, SELECT):
    GPIO.setup(pin, GPIO.OUT)
GPIO.setup(MISO, GPIO.IN)
def read(channel):
    GPIO.output(SELECT, True)
    GPIO.output(CLOCK, False)
    GPIO.output(SELECT, False)
    command = (channel | 0x18) << 3
    for _ in range(5):
        GPIO.output(MOSI, bool(command & 0x80))
        command <<= 1
        GPIO.output(CLOCK, True)
        GPIO.output(CLOCK, False)
    value = 0
    for _ in range(12):
        GPIO.output(CLOCK, True)
        GPIO.output(CLOCK, False)
        value = value << 1 | GPIO.input(MISO)
    GPIO.output(SELECT, True)
    return value >> 1
while True:
    print(read(2))
    time.sleep(1)
"""
DISTANCE = """
import time
import RPi.GPIO as GPIO
GPIO.setmode(GPIO.BCM)
GPIO.setup(23, GPIO.OUT)
GPIO.setup(24, GPIO.IN)
while True:
    GPIO.output(23, True)
    time.sleep(0.00001)
    GPIO.output(23, False)
    while not GPIO.input(24):
        began = time.time()
    while GPIO.input(24):
        ended = time.time()
    print(f"{(ended - began) * 34300 / 2:.0f} cm")
    time.sleep(1)
"""
LCD = """
from RPLCD.i2c import CharLCD
lcd = CharLCD("PCF8574", 0x27, cols=16, rows=2)
lcd.write_string("Hello\\r\\nworld")
"""
LCD_SUITE = """
from RPLCD.i2c import CharLCD
from RPLCD_Tests import testsuite_16x2
testsuite_16x2.run(CharLCD("PCF8574", 0x27, cols=16, rows=2, charmap="A00"))
"""
ENTERS = "enter console ok\nwait 0.1\n"
LCD_ON_PINS = """
import RPi.GPIO as GPIO
from RPLCD.gpio import CharLCD
lcd = CharLCD(
    pin_rs=15, pin_e=16, pins_data=[21, 22, 23, 24], numbering_mode=GPIO.BOARD, cols=16, rows=2, charmap="A00"
)
lcd.write_string("grüner\\r\\nvon RPLCD")
"""
NOTHING_THERE = """
import smbus2, spidev, serial
bus = smbus2.SMBus(1)
try:
    bus.write_byte(0x68, 1)
except OSError as error:
    print(error)
print(spidev.SpiDev(0, 1).xfer2([1]))
serial.Serial("/dev/ttyUSB0")
"""
SENSOR = """
from smbus2 import SMBus
with SMBus(1) as bus:
    print(hex(bus.read_byte_data(0x68, 0x75)))
    bus.write_byte_data(0x68, 0x6B, 1)
"""
TERMINAL = """
import serial
with serial.Serial("/dev/serial0", 9600, timeout=2) as port:
    while line := port.readline():
        print("got", line.decode().strip())
        port.write(b"thanks\\r\\n")
print("nobody types")
"""
CANCELLED = """
import threading, time, serial
port = serial.Serial("/dev/serial0")
threading.Timer(1, port.cancel_read).start()
print(port.read(5), time.monotonic())
"""
SOUND = """
import subprocess, time, simpleaudio
began = time.monotonic()
subprocess.run(["aplay", "tone.wav"], check=True)
print(f"aplay took {time.monotonic() - began:.1f} s")
simpleaudio.WaveObject.from_wave_file("tone.wav").play().wait_done()
print(f"both took {time.monotonic() - began:.1f} s")
"""
LED_MATRIX = """
from time import sleep
from luma.core.interface.serial import spi, noop
from luma.core.render import canvas
from luma.led_matrix.device import max7219
device = max7219(spi(port=0, device=0, gpio=noop()), cascaded=2)
with canvas(device) as draw:
    draw.point((0, 0), fill="white")
    draw.rectangle((8, 0, 15, 1), fill="white")
sleep(10)
"""
RING = """
import spidev
spi = spidev.SpiDev(0, 0)
spi.max_speed_hz = 6_400_000
def colour(red, green, blue):
    bits = f"{green:08b}{red:08b}{blue:08b}"
    return [0b11110000 if bit == "1" else 0b11000000 for bit in bits]
spi.writebytes2(colour(255, 16, 0) + colour(0, 0, 0) + colour(255, 16, 0) + [0] * 20)
"""
CARDS = """
import rdm6300
class Reader(rdm6300.BaseReader):
    def card_inserted(self, card):
        print("inserted", card.value)
    def card_removed(self, card):
        print("removed", card.value)
Reader("/dev/ttyS0").start()
"""
FOUR_LINES = """
from RPLCD.i2c import CharLCD
lcd = CharLCD("PCF8574", 0x27, cols=20, rows=4)
for line in range(4):
    lcd.cursor_pos = line, 0
    lcd.write_string(f"line {line + 1} of twenty abc")
input()
"""
NFC = """
from mfrc522 import SimpleMFRC522
print("uid", hex(SimpleMFRC522().read_id()))
"""

MATRIX_BENCH = '[matrix]\nkind = "matrix"\nmodules = 2\n'
READER_BENCH = '[slot]\nkind = "card_slot"\nreader = "rdm6300"\nport = "/dev/ttyS0"\n'

PLAYS = {
    "RPi.GPIO": (
        TRAFFIC_LIGHT,
        "",
        "wait 0.5\nexpect led on\nexpect others_2 on\nwait 1\nexpect led off\npress gpio4\nexpect printed 'pressed 4'\n"
        "wait 5\npress gpio4\nwait 0.1\nexpect printed 'edge 4'\nwait 4\nexpect program running\nwait 2\n"
        "expect printed 'edge None'\nexpect program ended",
    ),
    "pulses of RPi.GPIO": (
        SERVO,
        "",
        "wait 0.5\nexpect gpio18 0.075\nwait 1\nexpect gpio18 0.1\npower off\nexpect gpio18 off\npower on\n"
        "wait 0.5\nexpect gpio18 0.075",
    ),
    "gpiozero's MCP3008": (
        ANALOG,
        "",
        "wait 0.1\nexpect pot 0.5\nset pot 0.25\nwait 0.1\nexpect led 0.251\nset others[1] 1\nexpect others[1] 1",
    ),
    "an MCP3008 with a name": (
        ANALOG,
        '[volume]\nkind = "analog_input"\n',
        "wait 0.1\nset volume 0.25\nwait 0.1\nexpect led 0.251",
    ),
    "a loop without a wait reads a chip": (
        POLLS,
        "",
        "wait 2\nexpect program running\nset pot 1\nwait 0.1\nexpect printed 'turned up after 2 s'",
    ),
    "spidev": (
        ANALOG_WITH_SPIDEV,
        '[pot]\nkind = "analog_input"\n[light]\nkind = "analog_input"\nchannel = 3\n',
        "set light 1\nset pot 0\nwait 2\nexpect printed '0 1023'",
    ),
    "SPI by hand": (
        ANALOG_BY_HAND,
        '[pot]\nkind = "analog_input"\nchannel = 2\npins = { clock = 18, mosi = 24, miso = 23, select = 25 }\n',
        "set pot 0.75\nwait 2\nexpect printed 767",
    ),
    "an echo": (
        DISTANCE,
        '[sonar]\nkind = "distance"\npins = { trigger = 23, echo = 24 }\n',
        "wait 2\nexpect printed '50 cm'\nset sonar 100\nwait 2\nexpect printed '100 cm'",
    ),
    "RPLCD": (LCD, "", "wait 1\nexpect lcd Hello\nexpect lcd world"),
    "RPLCD with four lines": (
        FOUR_LINES,
        "",
        "wait 1\nexpect lcd 'line 1 of twenty abc'\nexpect lcd 'line 4 of twenty abc'",
    ),
    "the tests of RPLCD": (
        LCD_SUITE,
        "",
        f"wait 1\n{3 * ENTERS}expect display_27 'Hello world!'\n{ENTERS}expect display_27 2\n"
        f"{8 * ENTERS}expect display_27 'Eggs, Ham'\nexpect display_27 'and Spam'\n"
        f"{6 * ENTERS}expect display_27 'This will wrap a'\nexpect display_27 'round both lines'\n"
        f"{ENTERS}expect display_27 'Paris: 21°C'\nexpect display_27 'Zürich: 18°C'\n"
        f"{5 * ENTERS}expect printed 'Test done'\nexpect program ended",
    ),
    "RPLCD on pins": (
        LCD_ON_PINS,
        '[lcd]\nkind = "parallel_lcd"\nrs = 22\nenable = 23\ndata = [9, 25, 11, 8]\n',
        "wait 1\nexpect lcd grüner\nexpect lcd 'von RPLCD'\npower off\nexpect not lcd 'von RPLCD'",
    ),
    "nothing there": (
        NOTHING_THERE,
        "",
        "wait 1\nexpect printed 'Remote I/O error'\nexpect printed '[0]'\n"
        "expect printed 'could not open port /dev/ttyUSB0'\nexpect program failed",
    ),
    "a sensor": (
        SENSOR,
        '[gyro]\nkind = "i2c_registers"\naddress = 0x68\nvalues = { 0x75 = 0x68 }\n',
        "wait 1\nexpect printed 0x68\nexpect gyro '0x6B = 0x01'",
    ),
    "pyserial": (
        TERMINAL,
        '[person]\nkind = "serial_terminal"\nport = "/dev/serial0"\nbaud_rate = 9600\n',
        "wait 1\nenter person Hello\nwait 0.1\nexpect printed 'got Hello'\nexpect person thanks\nwait 3\n"
        "expect printed 'nobody types'",
    ),
    "a read that is cancelled": (
        CANCELLED,
        '[person]\nkind = "serial_terminal"\nport = "/dev/serial0"\n',
        "wait 0.5\nenter person ab\nwait until printed \"b'ab\\\\n' 1.0\" within 1",
    ),
    "a file at a serial port": (
        TERMINAL,
        '[gps]\nkind = "serial_terminal"\nport = "/dev/ttyAMA0"\nfile = "gps.txt"\n',
        "wait 1.1\nexpect printed 'got $GPGGA'\nexpect not printed 'got $GPRMC'\nwait 1\nexpect printed 'got $GPRMC'",
    ),
    "sound": (SOUND, "", "wait until printed 'aplay took 0.5 s'\nwait until printed 'both took 1.0 s'"),
    "luma.led_matrix": (LED_MATRIX, MATRIX_BENCH, "wait 1\nexpect matrix '17 lit'"),
    "WS2812": (
        RING,
        '[ring]\nkind = "ring"\nleds = 3\nbrightness = 1.0\n',
        "wait 1\nexpect ring '2 × #ff1000'",
    ),
    "rdm6300": (
        CARDS,
        READER_BENCH,
        "wait 1\ninsert slot 1\nwait 1\nexpect printed inserted\nremove slot\nwait 2\nexpect printed removed",
    ),
    "mfrc522": (
        NFC,
        '[slot]\nkind = "card_slot"\nreader = "rc522"\n',
        "wait 1\ninsert slot 1\nwait 1\nexpect printed uid",
    ),
}
NEEDS = {"luma.led_matrix": "luma.led-matrix", "rdm6300": "rdm6300", "mfrc522": "mfrc522"}


@pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")  # of luma.led_matrix
@pytest.mark.parametrize("name", PLAYS)
def test_a_program_reaches_the_bench_through_a_library(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        version(NEEDS.get(name, "reboard"))
    except PackageNotFoundError:
        pytest.skip(f"{name} is not installed: make .venv/public-drivers.installed")
    program, bench, lines = PLAYS[name]
    monkeypatch.chdir(tmp_path)
    for file, content in {"game.py": program, "bench.toml": bench, "test.play": lines}.items():
        Path(file).write_text(content, encoding="utf-8")
    Path("gps.txt").write_bytes(b"$GPGGA\r\n$GPRMC\r\n")
    with wave.open("tone.wav", "wb") as tone:
        tone.setparams((1, 2, 48_000, 0, "NONE", ""))
        tone.writeframes(b"\x00\x40\x00\xc0" * 12_000)
    assert main(["script", "game.py", "-c", "bench.toml", "--play", "test.play", "--seed", "1"]) == 0
