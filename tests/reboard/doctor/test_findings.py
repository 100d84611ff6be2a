"""Each finding of doctor: a machine with one thing wrong, and the level, and the facts and commands in its words."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Sequence
from contextlib import closing
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.board import MixerControl
from reboard.config.reading import LAST_GOOD_NAME
from reboard.devices.audio.libraries import open_sink
from reboard.devices.examination import Space
from reboard.doctor import config_and_page
from reboard.finding import Level
from reboard.service import fallback_config
from reboard.service.interrupted_restore import interrupted_restore
from reboard.setup.boot_config import AMPLIFIER
from reboard_sim.accessories.installed import faults
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.virtual_pi import VirtualPi
from tests.reboard.doctor.made_up import A_TABLE, TABLE, WATCHDOG, MadeUpMachine, examined, installed

FINE, NOTE, WRONG = Level
ABSENT = None
Change = Callable[[MadeUpMachine], object]

LEDGER = f"/var/lib/reboard/{LEDGER_FILE}"
LEVER_ONLY = "[apple]\nlever = 22"
BUMPS = '[bank]\nleft = { reader = "bumps", pins = [4, 10, 11] }'
KEYBOARD = '[bank]\nleft = { reader = "keyboard", device = "/dev/input/event0" }'
PN532 = '[bank]\nleft = { reader = "pn532", port = "/dev/ttyUSB0" }'
RC522 = '[bank]\nleft = { reader = "rc522" }\nright = { reader = "rc522", chip_select = 1 }'
RDM6300 = PN532.replace("pn532", "rdm6300")
ON_HEADER = '[bank]\nleft = { reader = "rdm6300", port = "/dev/serial0" }'
SPEAKING = TABLE.replace("[speaker]", '[speaker]\nvoice = "en"')
AMPLIFIED = TABLE + '[wiring]\nspeaker = "max98357a"\n'
RIGHT = 'right = { reader = "rdm6300"'
PERSIST = "/sys/module/pinctrl_bcm2835/parameters/persist_gpio_outputs"
CMDLINE, CARDS, BOOT = "/proc/cmdline", "/proc/asound/cards", "/boot/firmware/config.txt"
PAGE = "http://127.0.0.1:8080/api/table"
SERVICE = "reboard.service"


def writes(name: str, text: str = "") -> Change:
    return lambda pi: pi.write(name, text)


def removes(name: str) -> Change:
    return lambda pi: pi.remove(name)


def links(name: str, to: str) -> Change:
    return lambda pi: pi.link(name, to)


def prints(command: str, output: str) -> Change:
    return lambda pi: pi.commands.update({command: output})


def fails(command: str) -> Change:
    return lambda pi: pi.commands.pop(command)


def has_unit(name: str, **facts: str) -> Change:
    return lambda pi: pi.units.update({name: installed(**facts)})


def taken(**users: str) -> Change:
    return lambda pi: pi.taken_by(**users)


def kept_from(path: str) -> Change:
    return lambda pi: pi.kept_from.add(path)


def not_writable(path: str, user: str = "reboard") -> Change:
    return lambda pi: pi.not_theirs.add((user, path))


def has(**attributes: Any) -> Change:
    return lambda pi: vars(pi).update(attributes)


def serves(answer: str | OSError) -> Change:
    return lambda pi: pi.pages.update({PAGE: answer})


def is_played_by(user: str, groups: str, now: str | None = None) -> Change:
    """No service is installed. *groups* are those of the user, and *now* those of the session."""
    ids = {f"id -nG {user}": groups, "id -nG": now or groups}
    return lambda pi: vars(pi).update(commands={**pi.commands, **ids}, units={})


def keeps_a_game(pi: MadeUpMachine) -> None:
    with closing(LedgerFile(pi.path(LEDGER))) as ledger:
        ledger.new_game("world", 15_000_000, at=0.0, cards=(1, 2))


def loses_money(pi: MadeUpMachine) -> None:
    keeps_a_game(pi)
    with closing(LedgerFile(pi.path(LEDGER))) as ledger:
        ledger.connection.execute("UPDATE account SET balance = balance + 1 WHERE card = 1")


def misbehaves(what: str) -> Callable[[VirtualPi], object]:
    return lambda virtual: virtual.misbehave(faults()[what], True)


def puts_a_card(virtual: VirtualPi) -> None:
    virtual["bank.left"].put(DECK[0])


def puts_a_card_later(fault: str) -> Callable[[VirtualPi], object]:
    def hands(virtual: VirtualPi) -> None:
        virtual.misbehave(faults()[fault], True)
        asyncio.get_running_loop().call_later(0.5, puts_a_card, virtual)

    return hands


def case(name: str, level: Level | None, *words: str, **how: Any) -> Any:
    return pytest.param(name, level, words, how, id=f"{name} {words[0] if words else level}")


GROUPS = "gpio dialout audio i2c"
MUTED, QUIET = MixerControl("PCM", 80, is_muted=True), MixerControl("Headphone", 12, is_muted=False)
FAILED = {"ActiveState": "failed", "SubState": "failed"}
NO_CARD = writes(CARDS, "--- no soundcards ---\n")
OVERLAY = "sudo reboard setup boot"
SAVES = "sudo reboard backup"

CASES = [
    # kernel
    case("kernel.motor", WRONG, "sudo reboard setup boot", changes=[writes(PERSIST, "Y\n")]),
    case("kernel.motor", NOTE, changes=[removes(PERSIST)]),
    case("kernel.motor", ABSENT, changes=[writes(PERSIST, "Y\n")], config=LEVER_ONLY),
    case("kernel.system", NOTE, "Ubuntu", changes=[writes("/etc/os-release", 'PRETTY_NAME="Ubuntu 24.04"\n')]),
    case("kernel.system", NOTE, "bookworm",
         changes=[writes("/etc/os-release", 'PRETTY_NAME="12 (bookworm)"\nVERSION_CODENAME=bookworm\n')]),
    case("kernel.header", WRONG, "No GPIO", changes=[has(pins="no GPIO chip")]),
    case("pins.taken", ABSENT, changes=[has(pins="no GPIO chip")]),
    case("kernel.header", NOTE, "anna", "sudo reboard doctor",
         changes=[has(pins="no GPIO chip"), writes("/dev/gpiochip0"), kept_from("/dev/gpiochip0")]),
    case("kernel.watchdog", WRONG, "apt install", changes=[prints(WATCHDOG, "t 0")]),
    case("kernel.watchdog", WRONG, "RuntimeWatchdogSec=10s", changes=[prints(WATCHDOG, "t 60000000")]),
    case("kernel.watchdog", WRONG, "systemd does not",
         changes=[writes("/sys/class/watchdog/watchdog0/state", "inactive")]),
    case("kernel.watchdog", WRONG, "dtparam=watchdog=on", changes=[removes("/dev/watchdog")]),
    case("kernel.watchdog", ABSENT, changes=[prints(WATCHDOG, "t 0")], config=LEVER_ONLY),
    # user
    *(case("user.groups", WRONG, f"sudo usermod -aG {group} reboard", "sudo systemctl restart reboard",
           changes=[prints("id -nG reboard", GROUPS.replace(group, "users"))]) for group in GROUPS.split()),
    case("user.groups", FINE, changes=[prints("id -nG reboard", "input")], config=KEYBOARD),
    case("user.groups", WRONG, "input", changes=[prints("id -nG reboard", "users")], config=KEYBOARD),
    case("user.groups", WRONG, "usermod -aG gpio anna", "log out", changes=[is_played_by("anna", "dialout audio i2c")]),
    case("user.groups", WRONG, "gpio anna",
         changes=[is_played_by("anna", "dialout audio i2c"), has(who="root", came_as="anna")]),
    case("user.session", WRONG, "gpio", changes=[is_played_by("anna", GROUPS, "dialout audio i2c")]),
    case("user.groups", ABSENT, changes=[is_played_by("anna", GROUPS, "dialout audio i2c")]),
    case("user.groups", ABSENT, changes=[not_writable("/dev/i2c-1")]),
    case("user.devices", WRONG, "/dev/i2c-1", "udevadm trigger", changes=[not_writable("/dev/i2c-1")]),
    case("user.devices", ABSENT, changes=[not_writable("/dev/i2c-1"), prints("id -nG reboard", "gpio dialout audio")]),
    case("user.groups", WRONG, "reboard, does not exist", changes=[fails("id -nG reboard")]),
    case("user.root", NOTE, "apt install", changes=[has(units={}, who="root")]),
    # pins
    case("pins.taken", WRONG, "GPIO4, bump 1 of the left slot", "onewire@4", "dtoverlay=w1-gpio",
         changes=[taken(GPIO4="onewire@4")], config=BUMPS),
    case("pins.taken", WRONG, "row 1 of the keypad", changes=[taken(GPIO23="w1")]),
    case("pins.taken", WRONG, "the block's lamp", "heartbeat", "table.toml", changes=[taken(GPIO27="heartbeat")]),
    case("pins.taken", WRONG, "the apple's motor", changes=[taken(GPIO13="")]),
    case("pins.taken", WRONG, "do_spi 1", changes=[taken(GPIO17="spi0 CS0")]),
    case("pins.taken", WRONG, "max98357a,no-sdmode", changes=[taken(GPIO17="sdmode")]),
    case("pins.taken", WRONG, "echo 17 | sudo tee /sys/class/gpio/unexport", changes=[taken(GPIO17="sysfs")]),
    case("pins.taken", WRONG, "python3 (process 612)",
         changes=[taken(GPIO17="lg"),
                  links("/proc/612/fd/5", "/dev/gpiochip0"), writes("/proc/612/comm", "python3\n")]),
    case("pins.taken", FINE, "No other program", changes=[taken(GPIO4="onewire@4", GPIO8="spi0 CS0")]),
    # serial
    case("serial.port", WRONG, "/dev/serial0", "the left slot", "reboard setup boot", config=ON_HEADER),
    case("serial.console", WRONG, "reboard setup boot", config=ON_HEADER,
         changes=[writes(CMDLINE, "console=ttyAMA0,115200 console=tty1"), links("/dev/serial0", "ttyAMA0")]),
    case("serial.login", WRONG, "reboard setup boot", config=ON_HEADER,
         changes=[prints("systemctl is-active serial-getty@ttyAMA0.service", "active"),
                  links("/dev/serial0", "ttyAMA0")]),
    case("serial.debug", WRONG, '"/dev/ttyAMA0"', config=ON_HEADER,
         changes=[writes("/dev/ttyAMA10"), links("/dev/serial0", "ttyAMA10")]),
    case("serial.debug", WRONG, "/dev/ttyS0", "is not the serial port", '"/dev/ttyAMA0"',
         config=ON_HEADER.replace("serial0", "ttyS0"),
         changes=[writes("/dev/ttyAMA10"), links("/dev/serial0", "ttyAMA10")]),
    case("serial.console", WRONG, "the right slot",
         config='[bank]\nright = { reader = "id12", port = "/dev/reboard-right" }',
         changes=[links("/dev/reboard-right", "ttyAMA0"), writes(CMDLINE, "console=ttyAMA0,115200")]),
    case("serial.bluetooth", WRONG, "Bluetooth", "The header's serial port is /dev/ttyS0", 'Write "/dev/serial0"',
         changes=[writes("/dev/ttyS0"), links("/dev/serial0", "ttyS0"), links("/dev/serial1", "ttyAMA0")]),
    case("serial.bluetooth", WRONG, "Bluetooth", "switched off", "reboard setup boot",
         changes=[links("/dev/serial1", "ttyAMA0")]),
    case("serial.bluetooth", WRONG, "is not the serial port on this Pi's header",
         changes=[writes("/dev/ttyS0"), links("/dev/serial0", "ttyS0")]),
    case("serial.bluetooth", ABSENT, changes=[links("/dev/serial0", "ttyAMA0"), links("/dev/serial1", "ttyS0")]),
    case("serial.bluetooth", ABSENT, changes=[links("/dev/serial0", "ttyAMA10"), writes("/dev/ttyAMA10")]),
    case("serial.console", ABSENT, changes=[writes(CMDLINE, "console=serial0,115200")], config=RDM6300),
    # readers
    case("readers.left", FINE, DECK[0], hands=puts_a_card),
    case("readers.left", WRONG, "/dev/ttyUSB0 (CP2102 USB to UART Bridge)", "sudo reboard setup",
         wired=TABLE.replace("/dev/reboard-left", "/dev/ttyUSB0"),
         changes=[removes("/dev/reboard-left"), has(ports={"/dev/ttyUSB0": "CP2102 USB to UART Bridge"})]),
    case("readers.left", WRONG, "sudo apt remove brltty", wired=TABLE.replace("/dev/reboard-left", "/dev/ttyUSB0"),
         changes=[removes("/dev/reboard-left"), writes("/proc/612/comm", "brltty\n")]),
    case("readers.mixed", WRONG, config=TABLE.replace(RIGHT, RIGHT.replace("rdm6300", "pn532"))),
    case("readers.mixed", ABSENT, config=TABLE.replace(RIGHT, RIGHT.replace("rdm6300", "id12"))),
    case("readers.left", FINE, "PN532 1.6 on /dev/ttyUSB0", config=PN532),
    case("readers.left", FINE, "RC522 (MFRC522 2.0) on /dev/spidev0.0", "0 dropped; no card", config=RC522),
    case("readers.left", FINE, DECK[0][2:], config=RC522, hands=puts_a_card),
    case("readers.left", WRONG, "that reader holds the line", config=RC522, hands=misbehaves("miso right")),
    case("readers.left", WRONG, "dtparam=spi=on", config=RC522, wired=RDM6300),
    case("readers.left", WRONG, "HSU/UART", config=PN532, wired=RDM6300),
    case("readers.left", WRONG, "0 frames", "id12",
         config=PN532.replace("pn532", "id12"), wired=RDM6300, hands=puts_a_card_later("garbled left")),
    case("readers.left", NOTE, DECK[0], 'sends = "once"', hands=puts_a_card_later("once left")),
    case("readers.left", WRONG, "ModemManager (process 612, ModemManager.service)", "disable --now", config=RDM6300,
         changes=[links("/proc/612/fd/0", "/dev/ttyUSB0"), writes("/proc/612/comm", "ModemManager\n"),
                  writes("/proc/612/cgroup", "0::/system.slice/ModemManager.service\n")]),
    case("readers.cards", NOTE, "ends with 008EB2F9", config=f'{RDM6300}\ncards = ["0009351929"]\n'),
    case("readers.cards", NOTE, 'Write "61008EB2F9" instead', config=f'{RDM6300}\ncards = ["61008EB2F9A4"]\n'),
    case("readers.cards", WRONG, '"123456"', "ten hex digits", config=f'{RDM6300}\ncards = ["123456"]\n'),
    case("readers.cards", WRONG, '"61008EB2F9A5"', config=f'{RDM6300}\ncards = ["61008EB2F9A5"]\n'),
    case("readers.cards", WRONG, "8, 14 or 20 hex digits", config=f'{PN532}\ncards = ["62E3086CED"]\n'),
    case("readers.cards", NOTE, "ends with 008EB2F9", config=f'{RDM6300}\ncards = ["62E3086CED", "0009351929"]\n'),
    case("readers.cards", ABSENT, config=f'{KEYBOARD}\ncards = ["0009351929"]\n'),
    case("readers.right", WRONG, "agetty (process 612)", hands=lambda virtual: virtual.serial_lines.pop("/dev/ttyAMA0"),
         changes=[links("/proc/612/fd/0", "/dev/ttyAMA0"), writes("/proc/612/comm", "agetty\n")]),
    case("readers.left", NOTE, "/dev/ttyUSB0", config=PN532, changes=[kept_from("/dev/ttyUSB0")]),
    case("readers.left", NOTE, "/dev/input/event0", config=KEYBOARD, changes=[kept_from("/dev/input/event0")]),
    case("readers.left", FINE, "Virtual USB reader on /dev/input/event0", config=KEYBOARD),
    case("readers.left", ABSENT, config=BUMPS),
    # display
    case("display.address", WRONG, "0x27", "address = 0x3F", wired=TABLE.replace("0x27", "0x3F")),
    case("display.answers", WRONG, "0x27", hands=misbehaves("display")),
    case("display.bus", WRONG, "reboard setup boot", changes=[removes("/dev/i2c-1")]),
    case("display.asked", NOTE, "/dev/i2c-1", changes=[kept_from("/dev/i2c-1")]),
    # sound
    case("sound.device", WRONG, "aplay -l", changes=[NO_CARD]),
    case("sound.device", WRONG, "no sound card", hands=misbehaves("sound")),
    case("sound.device", WRONG, OVERLAY, config=AMPLIFIED, hands=misbehaves("sound")),
    case("sound.device", WRONG, OVERLAY, config=AMPLIFIED, changes=[NO_CARD]),
    case("sound.device", WRONG, "sudo reboot", config=AMPLIFIED, changes=[NO_CARD, writes(BOOT, AMPLIFIER.line)]),
    case("sound.device", WRONG, "aplay -L", hands=misbehaves("sound"),
         config=AMPLIFIED.replace("[speaker]", '[speaker]\ndevice = "plughw:CARD=Other"')),
    case("sound.device", WRONG, OVERLAY, hands=misbehaves("sound"),
         config=AMPLIFIED.replace("[speaker]", '[speaker]\ndevice = "plughw:CARD=MAX98357A"')),
    *(case("sound.device", WRONG, "aplay -L",
         config=AMPLIFIED, hands=misbehaves("sound"), changes=[writes(BOOT, overlay)])
      for overlay in ("dtoverlay=max98357a", "i2c\ndtoverlay=hifiberry-dac")),
    case("sound.muted", WRONG, 'amixer -D hw:Device sset "PCM" 80% unmute', changes=[has(controls=[MUTED])],
         config=TABLE.replace("[speaker]", '[speaker]\ndevice = "plughw:CARD=Device,DEV=0"')),
    case("sound.quiet", NOTE, "Headphone", "12 %", changes=[has(controls=[QUIET])]),
    case("sound.volume", NOTE, config=TABLE.replace("[speaker]", "[speaker]\nvolume = 0")),
    case("sound.voice", WRONG, "sudo apt install espeak-ng", config=SPEAKING),
    case("sound.voice", ABSENT, config=SPEAKING, changes=[writes("/usr/bin/espeak-ng")]),
    case("sound.device", FINE, config=TABLE.replace("[speaker]", '[speaker]\nlibrary = "silent"'), changes=[NO_CARD]),
    case("sound.device", NOTE, "anna", changes=[kept_from("/dev/snd/pcmC0D0p")]),
    # disk
    case("disk.space", WRONG, "2 MB", "apt clean", changes=[has(disk=Space(1_500_000, is_read_only=False))]),
    case("disk.speed", ABSENT, changes=[has(disk=Space(1_500_000, is_read_only=False))]),
    case("disk.space", NOTE, "150 MB", changes=[has(disk=Space(150_000_000, is_read_only=False))]),
    case("disk.read_only", WRONG, "/var/lib/reboard", SAVES, changes=[has(disk=Space(10**10, is_read_only=True))]),
    case("disk.speed", NOTE, "2.3 s", changes=[has(write_takes_s=2.31)]),
    case("disk.speed", WRONG, "I/O", "sudo dmesg", changes=[has(write_takes_s=OSError(errno.EIO, "I/O error"))]),
    case("disk.errors", WRONG, "17", SAVES, changes=[writes("/sys/fs/ext4/mmcblk0p2/errors_count", "17\n")]),
    case("disk.worn", WRONG, "90 %", SAVES, changes=[writes("/sys/block/mmcblk0/device/life_time", "0x02 0x09\n")]),
    case("disk.worn", ABSENT, changes=[writes("/sys/block/mmcblk0/device/life_time", "0x01 0x02\n")]),
    case("disk.root", WRONG, "tmpfs:recurse=0", "update-initramfs",
         changes=[writes(CMDLINE, "overlayroot=disabled overlayroot=tmpfs:recurse=0 quiet")]),
    case("disk.root", ABSENT, changes=[writes(CMDLINE, "overlayroot=tmpfs overlayroot=disabled quiet")]),
    case("disk.root", ABSENT, changes=[writes(CMDLINE, "overlayroot=tmpfs"),
                                       writes("/proc/mounts", "proc /proc proc rw 0 0\noverlayroot / overlay rw 0 0")]),
    case("disk.state", NOTE, "sudo install -d", changes=[lambda pi: pi.path("/var/lib/reboard").rmdir()]),
    case("disk.state", NOTE, "-o reboard",
         changes=[is_played_by("anna", GROUPS), lambda pi: pi.path("/var/lib/reboard").rmdir()]),
    case("disk.state", NOTE, "-o anna",
         changes=[is_played_by("anna", GROUPS), fails("id -nG reboard"),
                  lambda pi: pi.path("/var/lib/reboard").rmdir()]),
    case("disk.state", NOTE, "sudo reboard doctor", changes=[kept_from("/var/lib/reboard")]),
    case("disk.ledger", ABSENT, changes=[keeps_a_game, kept_from("/var/lib/reboard")]),
    case("disk.ledger", FINE, changes=[keeps_a_game]),
    case("disk.ledger", FINE, changes=[keeps_a_game], config=LEVER_ONLY),
    case("disk.ledger", ABSENT, config=LEVER_ONLY),
    case("disk.ledger", FINE, "no ledger yet"),
    case("disk.ledger", NOTE, "newest backup", changes=[writes(f"{LEDGER}.backup-7")]),
    case("disk.ledger", WRONG, "reboard ledger verify", changes=[loses_money]),
    case("disk.ledger", WRONG, changes=[writes(LEDGER, "something else")]),
    case("disk.ledger", NOTE, LEDGER, changes=[keeps_a_game, lambda pi: pi.kept_from.add(str(pi.path(LEDGER)))]),
    *(case("disk.owner", WRONG, path, "sudo chown -R reboard: /var/lib/reboard", "restart reboard",
           changes=[keeps_a_game, writes(f"{LEDGER}-wal"), not_writable(path)])
      for path in ("/var/lib/reboard", LEDGER, f"{LEDGER}-wal")),
    case("disk.owner", WRONG, "chown -R anna:", changes=[has(units={}), not_writable("/var/lib/reboard", "anna")]),
    # time
    case("time.set", WRONG, "2025", "sudo timedatectl set-time", hands=misbehaves("clock")),
    case("time.set", NOTE, "set-ntp true", changes=[prints("timedatectl show", "NTP=no\nNTPSynchronized=no")]),
    case("time.set", NOTE, "08:00", changes=[prints("timedatectl show", "NTP=yes\nNTPSynchronized=no")]),
    case("time.set", FINE, "08:00", changes=[fails("timedatectl show")]),
    # service
    case("service.state", FINE, changes=[has_unit(SERVICE)]),
    *(case("service.state", WRONG, why, "sudo systemctl restart reboard",
           changes=[has_unit(SERVICE, **FAILED, Result=result, ExecMainStatus=status)])
      for result, status, why in (("exit-code", "2", "config"), ("exit-code", "3", "too often"),
                                  ("watchdog", "6", "watchdog"), ("exec-condition", "0", "exec-condition"))),
    case("service.state", WRONG, "sudo systemctl reset-failed reboard",
         changes=[has_unit(SERVICE, **FAILED, Result="start-limit-hit")]),
    case("service.state", WRONG, "the pins", changes=[
        has_unit(SERVICE, ActiveState="activating", SubState="auto-restart", StatusText="oh, the pins")]),
    case("service.state", NOTE, "starting", changes=[has_unit(SERVICE, ActiveState="activating", SubState="start")]),
    case("service.restarts", NOTE, "7 times", changes=[has_unit(SERVICE, NRestarts="7")]),
    case("service.paths", WRONG, "ReadWritePaths=/data/reboard",
         config=f'{TABLE}[state]\ndirectory = "/data/reboard"\n',
         changes=[has_unit(SERVICE, ReadWritePaths="/run/reboard")]),
    case("service.paths", ABSENT, config=f'{TABLE}[state]\ndirectory = "/data/reboard"\n',
         changes=[has_unit(SERVICE, ReadWritePaths="/run/reboard /data")]),
    *(case("service.paths", level, config=TABLE.replace("[speaker]", '[speaker]\nfolder = "/home/anna/sounds"'),
           changes=[has_unit(SERVICE, ProtectHome=hidden)]) for hidden, level in (("yes", WRONG), ("no", ABSENT))),
    case("service.safe", WRONG, "journalctl", changes=[has_unit("reboard-safe.service")]),
    case("service.motor", WRONG, "reboard-motor", changes=[has_unit("reboard-motor.service", ActiveState="failed")]),
    case("service.enabled", NOTE, "systemctl enable reboard", changes=[has_unit(SERVICE, UnitFileState="disabled")]),
    case("service.installed", NOTE, "apt install",
         changes=[lambda pi: pi.units.pop(SERVICE), prints("id -nG anna", GROUPS)]),
    case("service.systemd", NOTE, changes=[is_played_by("anna", GROUPS)]),
    # page
    case("page.answers", WRONG, "0.0.0.0:8080", "journalctl -u reboard-page", changes=[lambda pi: pi.pages.clear()]),
    case("page.answers", NOTE, "reboard page",
         changes=[lambda pi: pi.pages.clear(), lambda pi: pi.units.pop("reboard-page.service")]),
    case("page.answers", NOTE, "no running table", changes=[serves(HTTPError(PAGE, 503, "", Message(), None))]),
    *(case("page.answers", WRONG, "table.toml", changes=[serves(answer)])
      for answer in ("<html>", "[]", '{"uptime": 3}', HTTPError(PAGE, 404, "", Message(), None))),
    case("page.reach", NOTE, 'listen = "0.0.0.0:8080"', config=TABLE.replace("0.0.0.0", "127.0.0.1")),
    case("page.answers", FINE, "[::]:8080", config=TABLE.replace("0.0.0.0", "[::]"),
         changes=[has(pages={"http://[::1]:8080/api/table": A_TABLE})]),
    # power
    *(case("power.supply", WRONG, words, changes=[prints("vcgencmd get_throttled", f"throttled={bits}")])
      for bits, words in (("0x50005", "now"), ("0x1", "now"), ("0x50000", "since"))),
    *(case("power.heat", NOTE, changes=[prints("vcgencmd get_throttled", f"throttled={bits}")])
      for bits in ("0x8", "0x80000")),
    case("power.supply", NOTE, "Zero", changes=[writes("/proc/device-tree/model", "Raspberry Pi Zero 2 W Rev 1.0\0")]),
    *(case("power.supply", level, changes=[fails("vcgencmd get_throttled"),
                                           writes("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", alarm)])
      for alarm, level in (("1\n", WRONG), ("0\n", FINE))),
    case("power.supply", ABSENT, changes=[prints("vcgencmd get_throttled", "error=1")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cards", "level", "words"),
    [
        ('"61008EB2F9", "61008EB2F9A4"', WRONG, "are one card"),
        ('"09351929", "0009351929"', WRONG, "both end with 8EB2F9"),
        ('"61008EB2F9", "0009351929"', NOTE, "can be the same card"),
    ],
)
async def test_two_entries_that_a_card_matches_are_found(
    pi: MadeUpMachine, cards: str, level: Level, words: str
) -> None:
    found = (await examined(pi, f"{RDM6300}\ncards = [{cards}]\n")).findings
    assert [finding.level for finding in found if words in finding.what] == [level]


@pytest.mark.parametrize(("name", "level", "words", "how"), CASES)
async def test_one_thing_is_found(
    pi: MadeUpMachine, name: str, level: Level | None, words: Sequence[str], how: dict[str, Any]
) -> None:
    for change in how.pop("changes", ()):
        change(pi)
    found = [
        finding for finding in (await examined(pi, how.pop("config", TABLE), **how)).findings if finding.name == name
    ]
    assert [finding.level for finding in found] == ([] if level is None else [level])
    for text in words:
        assert text in f"{found[0].what} {found[0].do}"


async def test_a_sound_library_that_is_missing_is_better_left_out(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VirtualPi, "open_sink", lambda *_: open_sink("simpleaudio", None))
    monkeypatch.setitem(__import__("sys").modules, "simpleaudio", None)
    monkeypatch.delitem(__import__("sys").modules, "reboard.devices.audio.simpleaudio", raising=False)
    found = (await examined(pi, AMPLIFIED))["sound.device"]
    assert found.level is WRONG
    assert "`library`" in found.do


async def test_a_table_that_an_interrupted_restore_stops_is_not_to_be_started(pi: MadeUpMachine) -> None:
    interrupted_restore(pi.root / "table.toml").touch()
    pi.units[SERVICE] = installed(**FAILED, Result="exit-code", ExecMainStatus="2")
    pi.units["reboard-safe.service"] = installed()
    said = await examined(pi)
    assert said.wrong == ["config.restore", "service.safe", "service.state"]
    assert "sudo reboard restore" in said["config.restore"].do
    for name in ("service.safe", "service.state"):
        assert "too often" not in said[name].what
        assert "config" not in said[name].what
        assert "restart reboard" not in said[name].do


async def test_devices_of_safe_mode_are_not_tried(pi: MadeUpMachine) -> None:
    pi.units["reboard-safe.service"] = installed()
    pi.taken_by(GPIO13="reboard", GPIO27="lg")
    said = await examined(pi)
    assert said.wrong == ["service.safe"]
    assert said["readers.left"].level is said["service.answers"].level is NOTE


BROKEN = TABLE.replace("lamp = 27", "lmap = 27").replace("button = 17", "button = 99")


async def test_every_mistake_in_the_config_has_its_line(pi: MadeUpMachine) -> None:
    file = pi.root / "table.toml"
    said = await examined(pi, BROKEN, wired=TABLE)
    mistakes = [finding for finding in said.findings if finding.name == "config.file"]
    assert [finding.what.split(": ")[0] for finding in mistakes] == [f"{file}:4", f"{file}:5"]
    assert f"`reboard check -c {file}`" in mistakes[0].do
    assert said.wrong == ["config.file"] * 2
    assert {"kernel.header", "disk.space", "power.supply"} <= {finding.name for finding in said.findings}


@pytest.mark.parametrize("is_missing", [False, True])
async def test_with_the_last_good_config_the_devices_are_checked(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch, is_missing: bool
) -> None:
    state, file = pi.root / "state", pi.root / "table.toml"
    state.mkdir()
    (state / LAST_GOOD_NAME).write_text(TABLE)
    monkeypatch.setattr(fallback_config, "state_directory", lambda _: state)
    monkeypatch.setattr(fallback_config, "DEFAULT_CONFIG", file)
    said = await examined(pi, BROKEN, wired=TABLE, hands=lambda _: file.unlink() if is_missing else None)
    assert "config.last_good" in said
    assert "readers.left" in said


async def test_a_missing_config_is_written_by_setup(pi: MadeUpMachine) -> None:
    file = pi.root / "table.toml"
    found = (await examined(pi, wired=TABLE, hands=lambda _: file.unlink()))["config.file"]
    assert (found.level, f"sudo reboard setup -c {file}" in found.do) == (WRONG, True)


async def test_a_config_that_the_caller_may_not_read_is_a_note(pi: MadeUpMachine) -> None:
    pi.kept_from.add(str(pi.root / "table.toml"))
    said = await examined(pi, "edition = ", wired=TABLE)
    assert (said["config.file"].level, "sudo reboard doctor" in said["config.file"].do) == (NOTE, True)
    assert "user.groups" not in said, "the devices are not known"


@pytest.mark.parametrize("is_installed", [True, False])
@pytest.mark.parametrize("is_default", [True, False])
async def test_the_user_of_the_service_must_be_able_to_read_its_config(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch, is_default: bool, is_installed: bool
) -> None:
    file = pi.root / "table.toml"
    pi.not_theirs |= {("reboard", str(file)), (pi.caller, str(file))}
    if not is_installed:
        del pi.units[SERVICE]
    monkeypatch.setattr(config_and_page, "DEFAULT_CONFIG", file if is_default else Path("/etc/other.toml"))
    said = await examined(pi)
    assert ("config.rights" in said) == (is_default and is_installed)
    assert ("config.file" in said) == ("config.rights" not in said)
