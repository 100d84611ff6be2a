"""The small devices of the kit, on virtual ones below their drivers: LED ring, RGB LED, servo, buzzer and encoder."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import pytest

from reboard.accessories.banker_unit.accessory import BANKER_UNIT
from reboard.accessories.speed_die.accessory import SPEED_DIE
from reboard.commands.check import electrical_findings
from reboard.devices.encoder import Encoder
from reboard.errors import ConfigError
from reboard.events import ignore_event
from reboard.finding import Level
from reboard.kit import (
    BUZZER,
    CARD_SLOT,
    DISPLAY,
    DISPLAY_SECTION,
    ENCODER,
    ENCODER_SETTING,
    RGB_LED,
    RGB_LED_SETTING,
    RING,
    RING_SETTING,
    SERVO,
    DisplayConfig,
    EncoderConfig,
    FittedDevice,
    Game,
    GameAccessory,
    RgbLedConfig,
    RingConfig,
    Section,
    first_of,
    pin,
)
from reboard.wiring.drawing import sheets_of
from reboard.wiring.table_netlist import circuit_of
from reboard_sim.attach.mirror import Mirror
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.play import Player
from reboard_sim.plays.play_command import play_file
from reboard_sim.plays.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from tests.plugged_in import installed
from tests.reboard.doctor.made_up import good_pi_4
from tests.reboard.setup.acts import LINES
from tests.reboard.setup.person import set_up_at
from tests.reboard.wiring.tables import table
from tests.virtual import in_virtual_time


@dataclass(frozen=True, slots=True)
class LabConfig:
    """``[lab]``: one of each."""

    ring: Annotated[RingConfig | None, RING_SETTING] = None
    led: Annotated[RgbLedConfig | None, RGB_LED_SETTING] = None
    knob: Annotated[EncoderConfig | None, ENCODER_SETTING] = None
    servo: Annotated[int | None, pin] = None
    buzzer: Annotated[int | None, pin] = None


class Lab(GameAccessory[LabConfig]):
    """The knob chooses how many LEDs of the ring are lit, and the angle of the servo. The LED is as red as that."""

    name = "lab"
    title = "Laboratory"
    section = Section(LabConfig)
    fitted: Sequence[FittedDevice[Any, Any]] = (
        FittedDevice("lab.ring", "ring", RING),
        FittedDevice("lab.led", "RGB LED", RGB_LED, usual=RgbLedConfig(5, 6, 26)),
        FittedDevice("lab.knob", "knob", ENCODER),
        FittedDevice("lab.servo", "servo", SERVO),
        FittedDevice("lab.buzzer", "buzzer", BUZZER),
    )

    async def play(self, game: Game[LabConfig]) -> None:
        devices, chosen = game.devices, 0
        while True:
            await devices.knob.turned()
            chosen = max(0, chosen + devices.knob.steps())
            devices.ring.show(*[(255, 0, 0)] * chosen)
            devices.servo.turn(chosen * 15)
            devices.led.show((chosen * 51, 0, 255))
            await devices.buzzer.buzz(440, 0.5)


LAB = """
[lab]
ring = { leds = 5 }
led = { red = 5, green = 6, blue = 26 }
knob = { a = 16, b = 20 }
servo = 12
buzzer = 13
"""

PLAY = """
expect lab.ring off
expect lab.led off
turn lab.knob 2
expect lab.buzzer on
expect lab.buzzer "440 Hz"
wait 1
expect lab.ring "2 × #ff0000"
expect lab.led "#6600ff"
expect lab.servo 30
wait 1
expect lab.buzzer off
turn lab.knob back 1
wait 0.1
expect lab.ring "1 × #ff0000"
expect lab.servo 15
fault unplugged lab.ring
expect lab.ring off
"""


@pytest.fixture(autouse=True)
def lab() -> Iterator[None]:
    with installed(Lab()):
        yield


@in_virtual_time
async def test_a_play_turns_the_knob_and_sees_everything_follow(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(LAB)
    virtual = VirtualTable(Scene.load(config, tmp_path), seed=1)
    await Player(virtual).perform(iter(parse_play(PLAY)))
    await virtual.close()
    sources = {(logged["event"], logged["device"]) for _, logged in virtual.log.since(0) if "device" in logged}
    assert sources == {(name, f"lab.{name}") for name in ("ring", "servo", "buzzer")} | {("rgb_led", "lab.led")}


@in_virtual_time
async def test_no_step_of_the_knob_is_lost_beside_another_wait(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(LAB)
    pi = VirtualTable(Scene.load(config, tmp_path), seed=1).pi
    knob = Encoder(EncoderConfig(16, 20), pins=pi.pins)

    async def turn(*orders: str) -> None:
        for order in orders:
            for act, contact in zip(("close", "close", "open", "open"), order * 2, strict=True):
                pi["lab.knob"].acts()[act](contact)

    await turn("ab", "ab", "ba", "ab")
    assert await first_of(asyncio.sleep(0), knob.turned()) == 0
    assert await first_of(knob.turned(), asyncio.sleep(1)) == 0
    assert (knob.steps(), knob.steps()) == (2, 0)
    waits = asyncio.ensure_future(knob.turned())
    await asyncio.sleep(0)
    await turn("ab", "ba")
    await asyncio.sleep(1)
    assert not waits.done(), "to and fro is no turn"
    await turn("ba")
    await asyncio.wait_for(waits, 1)
    assert knob.steps() == -1
    for contact in "abbab":  # a spike on either line
        pi["lab.knob"].acts()["close"](contact)
        pi["lab.knob"].acts()["open"](contact)
    await asyncio.sleep(1)
    assert knob.steps() == 0
    knob.close()


@in_virtual_time
async def test_a_game_plays_without_the_devices_that_the_config_leaves_out(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text("[lab]\n")
    async with AsyncExitStack() as stack:
        pi = VirtualTable(Scene.load(config, tmp_path), seed=1).pi
        ring, led, knob, servo, buzzer, slot = [
            await stack.enter_async_context(each.open(pi, ignore_event))
            for each in (*Lab.fitted, FittedDevice("lab.slot", "slot", CARD_SLOT))
        ]
        ring.show((255, 0, 0))
        led.show((255, 0, 0))
        servo.turn(30)
        slot.start(lambda _: None, lambda _: None)
        slot.touched()
        assert await first_of(buzzer.buzz(440, 1), asyncio.sleep(2), knob.turned()) == 0
        assert (ring.count > 0, knob.steps(), slot.tag) == (True, 0, None)


def test_each_is_drawn_and_checked() -> None:
    config = table(LAB)
    drawn = b"".join(sheets_of(circuit_of(config), "A table"))
    assert all(
        words in drawn for words in (b"74AHCT125", b"servo of 9 g", b"encoder on a board", b"piezo", b"RGB LED GND")
    )
    assert not [finding for finding in electrical_findings(config) if finding.level is Level.WRONG]
    direct = table(LAB + "[wiring.ring]\nbuffer = false\n")
    assert "ring.levels" in [finding.name for finding in electrical_findings(direct)]


def test_a_buffer_has_no_open_input_and_a_capacitor_at_its_supply() -> None:
    parts = circuit_of(table(LAB)).of_device("lab.ring")
    assert all(f"{gate}A" in parts["buffer"].nets for gate in (1, 2, 3, 4))
    assert set(parts["buffer capacitor"].nets.values()) == {parts["buffer"].nets["VCC"], "ground"}


@dataclass(frozen=True, slots=True)
class SignConfig:
    display: Annotated[DisplayConfig, DISPLAY_SECTION]


class Sign(GameAccessory[SignConfig]):
    """A second display beside that of the bank."""

    name = "sign"
    title = "Sign"
    section = Section(SignConfig)
    fitted: Sequence[FittedDevice[Any, Any]] = (FittedDevice("sign.display", "sign", DISPLAY),)

    async def play(self, game: Game[SignConfig]) -> None:
        game.devices.display.show("OPEN", "")
        await asyncio.get_running_loop().create_future()


SIGN = """
[bank]
left = { reader = "rdm6300", port = "/dev/serial0" }
display = { driver = "hd44780-i2c", address = 0x27 }
[sign]
display = { driver = "hd44780-i2c", address = 0x26 }
"""


def test_two_displays_share_their_bus_by_their_addresses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, play = tmp_path / "table.toml", tmp_path / "sign.play"
    config.write_text(SIGN)
    play.write_text('expect sign.display OPEN\nexpect display "INSERT CARD"\n')
    with installed(BANKER_UNIT, Sign()):
        assert play_file(play, config=config) == 0, capsys.readouterr().err
        assert not [finding for finding in electrical_findings(table(SIGN)) if finding.level is Level.WRONG]
        with pytest.raises(ConfigError, match=r"sign\.display uses the address 0x27"):
            table(SIGN.replace("0x26", "0x27"))


@pytest.mark.parametrize("sign", ['driver = "hd44780-i2c", address = 0x26', 'driver = "ssd1306"', 'driver = "sh1106"'])
@in_virtual_time
async def test_a_copy_of_a_table_follows_each_display_by_itself(sign: str) -> None:
    config = SIGN.replace('driver = "hd44780-i2c", address = 0x26', sign)
    with installed(BANKER_UNIT, Sign()):
        begin = {"t": 0.0, "config": tomllib.loads(config), "pins": {}, "table": {"faults": {}, "display": ["15M", ""]}}
        copy = Mirror(begin, "the club")
        opened = {"t": 1.0, "event": "display", "device": "sign.display", "lines": ["OPEN", ""]}
        copy.receive({"t": 1.0, "signals": [["event", 1.0, opened]], "dropped": 0})
        assert [copy.pi[name].shows() for name in ("bank.display", "sign.display")] == [["15M", ""], ["OPEN", ""]]
        copy.close()


@in_virtual_time
async def test_a_copy_of_a_table_has_the_frames_of_an_rc522(tmp_path: Path) -> None:
    config = '[bank]\nleft = { reader = "rc522" }\nright = { reader = "rc522", chip_select = 1 }\n'
    with installed(BANKER_UNIT):
        real = VirtualTable(Scene.of_text(config, tmp_path / "table.toml", tmp_path), seed=1)
        await real.power_on()
        assert real.table
        watch = real.table.watch_signals()
        copy = Mirror(watch.take(), "the club")
        real.pi["bank.left"].put(DECK[0])
        await asyncio.sleep(0.5)
        copy.receive(watch.take())
        frames, copied = ([(sent.by, sent.data) for sent in each.pi["bank.left"].tape] for each in (real, copy))
        assert len(copied) > 20
        assert copied == frames[-len(copied) :]
        assert len(copy.pi["bank.right"].tape) <= 1
        copy.close()
        await real.close()


@pytest.mark.parametrize(
    ("other", "remedy"),
    [("ring = { leds = 5, chip_select = 1 }", "leave one of them out"), ("servo = 10", "change one of them")],
)
def test_a_second_device_on_the_spi_bus_is_named_with_what_to_do(other: str, remedy: str) -> None:
    with installed(SPEED_DIE, Lab()), pytest.raises(ConfigError) as refused:
        table(f"[die]\nbutton = 4\nmatrix = {{ modules = 3 }}\n[lab]\n{other}\n")
    assert len(str(refused.value).splitlines()) == 1
    assert all(words in str(refused.value) for words in (f"lab.{other.split()[0]}", "die.matrix", remedy))


@pytest.mark.parametrize(
    ("model", "boot", "do"),
    [
        ("Raspberry Pi 3 Model B Rev 1.2", "dtparam=spi=on", "core_freq=250"),
        ("Raspberry Pi 3 Model B Rev 1.2", "# core_freq=250", "core_freq=250"),
        ("Raspberry Pi Zero 2 W Rev 1.0", "core_freq=250", ""),
        ("Raspberry Pi 4 Model B Rev 1.4", "core_freq=250", "core_freq_min=500"),
        ("Raspberry Pi Compute Module 4 Rev 1.0", "core_freq_min=500", ""),
        ("Raspberry Pi 500 Rev 1.0", "", ""),
    ],
)
async def test_doctor_names_the_setting_for_a_constant_clock_of_the_ring(model: str, boot: str, do: str) -> None:
    texts = {"/proc/device-tree/model": model, "/boot/firmware/config.txt": f"# ours\n{boot}\n"}
    host = SimpleNamespace(text=texts.__getitem__, has=lambda _: True, may_use=lambda _: True)
    context: Any = SimpleNamespace(is_pi=True, is_in_use=False, boot_config="/boot/firmware/config.txt", host=host)
    ring = replace(Lab.fitted[0], config=RingConfig())
    found = {finding.name: finding.do async for finding in RING.check(ring, context)}
    assert (do in found["ring.clock"]) if do else "ring.clock" not in found


@in_virtual_time
async def test_setup_tries_them_and_keeps_what_the_user_has_seen(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(LAB)
    pi = VirtualTable(Scene.load(config, tmp_path), seed=1).pi
    answers = iter([True, True, True, False])

    async def pin_of(*_: object) -> int:
        return 12

    async def yes(*_: object) -> bool:
        return next(answers)

    async def ask(*_: object) -> str:
        return "24"

    prompts = SimpleNamespace(yes=yes, ask=ask, say=lambda _: None)
    work: Any = SimpleNamespace(board=pi, prompts=prompts, ask_output_pin=pin_of)
    ring, _, _, servo, buzzer = Lab.fitted
    assert await SERVO.try_out(servo, work) == 12
    assert await BUZZER.try_out(buzzer, work) == 12
    assert await RING.try_out(ring, work) == {"driver": "ws2812", "leds": 24, "brightness": 0.2}
    assert await RING.try_out(ring, work) is None


async def test_setup_asks_for_the_pins_of_an_rgb_led_and_a_knob(tmp_path: Path) -> None:
    async with set_up_at(good_pi_4(tmp_path), LAB) as person:
        await person.answers(LINES, "n", "Which edition", "", "Is there a laboratory", "y", "Is there a ring?", "n")
        await person.answers("Is there a RGB LED?", "y", "Which pin is the red", "6", "the green", "5", "the blue", "")
        await person.answers("Which colours", "white", "red", "", "green", "", "blue", "")
        await person.answers("Which colours", "green red blue")
        await person.answers("Is there a knob?", "y", "contact A", "20", "contact B", "20")
        await person.sees("already used")
        await person.answers("contact B", "12", "clockwise", "")
        await person.sees("no step")
        await person.answers("anyway?", "", "contact A", "", "contact B", "16")
        await person.sees("clockwise")
        for act, contact in zip(("close", "close", "open", "open"), "abab", strict=True):
            person.pi["lab.knob"].acts()[act](contact)
        await person.answers("Is there a servo?", "n", "Is there a buzzer?", "n", "Is there a speaker?", "n")
        await person.answers("May phones", "n", "Publish the table", "n", "Write", "y")
    assert person.config.section("lab").led == RgbLedConfig(5, 6, 26)
    assert person.config.section("lab").knob == EncoderConfig(16, 20), "the contacts were the wrong way round"


async def test_setup_keeps_the_pins_of_a_knob_that_is_not_wired_yet(tmp_path: Path) -> None:
    async with set_up_at(good_pi_4(tmp_path), LAB) as person:
        await person.answers(LINES, "n", "Which edition", "", "Is there a laboratory", "y", "Is there a ring?", "n")
        await person.answers("Is there a RGB LED?", "n", "Is there a knob?", "y", "contact A", "16", "contact B", "20")
        await person.answers("clockwise", "", "anyway?", "y", "Is there a servo?", "n", "Is there a buzzer?", "n")
        await person.answers("Is there a speaker?", "n", "May phones", "n", "Publish the table", "n", "Write", "y")
    assert person.config.section("lab").knob == EncoderConfig(16, 20)
