from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reboard.cli import GIVEN_UP, USAGE_ERROR, make_parser
from reboard.config.reading import DEFAULT_CONFIG
from reboard.doctor.config_and_page import CONTROL_GROUP
from reboard.raspberry_pi import OTHER_FACTORIES
from reboard.service.systemd import FIRST_PAUSE_S, LONGEST_PAUSE_S, MOST_FAILURES, START_S

SYSTEMD = Path(__file__).parents[2] / "systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))
PROGRAM = "/opt/reboard/current/bin/reboard"

needs_analyze = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
needs_sysusers = pytest.mark.skipif(not shutil.which("systemd-sysusers"), reason="systemd-sysusers is not installed")


def settings(unit: str) -> dict[str, list[str]]:
    """Every setting of a unit with all its values, in their order."""
    found: dict[str, list[str]] = {}
    for line in (SYSTEMD / unit).read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def seconds(text: str) -> float:
    number, unit = re.fullmatch(r"(\d+)(s|min)", text).groups()  # type: ignore[union-attr]
    return float(number) * {"s": 1, "min": 60}[unit]


def complaints_about(units: Path) -> str:
    """What systemd itself has to say against the units in a folder; nothing, if it would start them."""
    command = ["systemd-analyze", "verify", "--man=no", *map(str, units.glob("*.service"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.stdout + done.stderr + (f"it ended with {done.returncode}" if done.returncode else "")


@needs_analyze
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    for unit in UNITS:
        # what is not installed here cannot be started, and systemd would say so
        (tmp_path / unit.name).write_text(unit.read_text(encoding="utf-8").replace(PROGRAM, "/bin/true"))
    assert complaints_about(tmp_path) == ""


@needs_analyze
@pytest.mark.parametrize("pins", sorted((SYSTEMD / "pins").glob("*.conf")), ids=lambda pins: pins.stem)
def test_a_drop_in_selects_another_pin_library(tmp_path: Path, pins: Path) -> None:
    [factory] = re.findall(r"^Environment=GPIOZERO_PIN_FACTORY=(\w+)$", pins.read_text("utf-8"), re.MULTILINE)
    assert factory == pins.stem
    assert factory in OTHER_FACTORIES
    units = [unit for unit in UNITS if "motor-off" in unit.read_text("utf-8")]
    assert len(units) == 3
    for unit in units:
        (tmp_path / unit.name).write_text(unit.read_text(encoding="utf-8").replace(PROGRAM, "/bin/true"))
        (tmp_path / f"{unit.name}.d").mkdir()
        shutil.copy(pins, tmp_path / f"{unit.name}.d" / "pins.conf")
    assert complaints_about(tmp_path) == ""


@needs_analyze
@pytest.mark.parametrize(
    ("unit", "most"),
    [
        ("reboard.service", 1.0),
        ("reboard-page.service", 2.0),
        ("reboard-safe.service", 1.0),
        # it runs as root: so early, udev may not have given the pins to other users. That costs 0.8
        ("reboard-motor.service", 1.5),
    ],
)
def test_the_exposure_of_a_unit_is_limited(unit: str, most: float) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={10 * most:.0f}", SYSTEMD / unit],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    exposure = re.search(r"Overall exposure level for .*: (\d+\.\d)", done.stdout)
    assert exposure, done.stderr
    assert float(exposure[1]) <= most
    assert done.returncode == 0


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_every_unit_starts_a_reboard_command(unit: Path) -> None:
    said = settings(unit.name)
    commands = [
        command.removeprefix(PROGRAM).split()
        for name in ("ExecStart", "ExecStopPost")
        for command in said.get(name, [])
        if command.startswith(PROGRAM)
    ]
    assert commands
    for command in commands:
        assert make_parser(command).parse_args(command).command


@pytest.mark.parametrize("unit", ["reboard.service", "reboard-safe.service"])
def test_the_motor_is_stopped_after_each_unit_that_uses_pins(unit: str) -> None:
    assert settings(unit)["ExecStopPost"] == [f"{PROGRAM} motor-off"]


def test_the_motor_is_stopped_while_the_pi_starts() -> None:
    motor = settings("reboard-motor.service")
    assert motor["ExecStart"] == [f"{PROGRAM} motor-off"]
    assert motor["Before"] == ["reboard.service reboard-safe.service"]
    assert motor["DefaultDependencies"] == ["no"], "it would wait for half of the system"
    assert "reboard-motor.service" in settings("reboard.service")["After"][0]


def is_kept_from(unit: str) -> set[str]:
    """What systemd itself says that *unit* cannot do."""
    ask = ("systemd-analyze", "security", "--offline=true", "--json=short")
    done = subprocess.run([*ask, SYSTEMD / unit], capture_output=True, text=True, check=False, timeout=60)
    return {check["json_field"] for check in json.loads(done.stdout) if check["set"]}


@needs_analyze
def test_the_table_has_no_network_and_the_page_no_device() -> None:
    table, page = is_kept_from("reboard.service"), is_kept_from("reboard-page.service")
    network = {"PrivateNetwork", "RestrictAddressFamilies_AF_INET_INET6", "IPAddressDeny"}
    devices = {"PrivateDevices"}
    assert network <= table
    assert not network & page
    assert devices <= page
    assert not devices & table


def test_the_table_gives_up_before_systemd_refuses_a_start() -> None:
    table = settings("reboard.service")
    assert {str(USAGE_ERROR), str(GIVEN_UP)} == set(table["RestartPreventExitStatus"][0].split())
    pauses = [min(FIRST_PAUSE_S * 2**n, LONGEST_PAUSE_S) for n in range(MOST_FAILURES - 1)]
    assert pauses[-1] == LONGEST_PAUSE_S
    starts = MOST_FAILURES + 1
    shortest_s = sum(pauses) + starts * seconds(table["RestartSec"][0])
    within = seconds(table["StartLimitIntervalSec"][0]) / shortest_s + 1
    assert within * starts < int(table["StartLimitBurst"][0]), "even with a start by hand after each end"
    assert seconds(table["TimeoutStartSec"][0]) == START_S
    assert table["OnFailure"] == ["reboard-safe.service"]
    assert settings("reboard-safe.service")["Conflicts"] == ["reboard.service"]


def test_a_frozen_table_is_killed_in_the_documented_time() -> None:
    table = settings("reboard.service")
    document = (SYSTEMD.parent / "docs" / "install-and-repair.md").read_text("utf-8")
    promised = re.search(r"\| frozen .*\| (\d+) s \|", document)
    assert promised
    killed_s = seconds(table["WatchdogSec"][0]) + seconds(table["TimeoutAbortSec"][0])
    assert killed_s < float(promised[1])
    assert "WatchdogSignal" not in table, "SIGABRT lets it say where it hangs"


def test_the_memory_of_the_page_is_limited() -> None:
    [limit] = settings("reboard-page.service")["LimitDATA"]
    limit_bytes = int(limit.removesuffix("M")) * 2**20
    assert limit_bytes < 512 * 2**20, "all that a Zero 2 has"
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_DATA, ({limit_bytes}, {limit_bytes}))
import reboard.web.table_page
kept = bytearray({limit_bytes // 2})
try:
    bytearray({limit_bytes})
except MemoryError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "refused\n"


def test_the_config_belongs_to_the_group_that_doctor_names() -> None:
    given = (SYSTEMD / "reboard-files.conf").read_text(encoding="utf-8")
    assert re.findall(rf"^z {DEFAULT_CONFIG} (\d+) root (\S+)$", given, re.MULTILINE) == [("0640", CONTROL_GROUP)]
