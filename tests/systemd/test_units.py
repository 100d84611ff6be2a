"""The units of systemd, and the permissions of files, tested as each user."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from reboard.cli import GIVEN_UP, USAGE_ERROR, make_parser
from reboard.config.reading import DEFAULT_CONFIG
from reboard.doctor.config_and_page import CONTROL_GROUP
from reboard.raspberry_pi import OTHER_FACTORIES
from reboard.service.daemon import LONGEST_STOP_S
from reboard.service.interrupted_restore import interrupted_restore
from reboard.service.systemd import FIRST_PAUSE_S, LONGEST_PAUSE_S, MOST_FAILURES, START_S

SYSTEMD = Path(__file__).parents[2] / "systemd"
UNITS = sorted(unit.name for unit in SYSTEMD.glob("*.service"))
PROGRAM = "/usr/bin/reboard"
TABLE, SAFE, MOTOR, PAGE, MQTT, RESTORE = (
    f"reboard{name}.service" for name in ("", "-safe", "-motor", "-page", "-mqtt", "-restore")
)

needs_analyze = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")


def output(*command: str | Path) -> str:
    """What a command prints, which must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    # trixie's systemd knows this setting, bookworm's does not
    lines = (done.stdout + done.stderr).splitlines(keepends=True)
    return "".join(line for line in lines if "Unknown key 'RestartMode'" not in line)


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


@needs_analyze
@pytest.mark.parametrize("pins", sorted((SYSTEMD / "pins").glob("*.conf")), ids=lambda pins: pins.stem)
def test_systemd_accepts_the_units_with_and_without_a_drop_in_for_pins(tmp_path: Path, pins: Path) -> None:
    [factory] = re.findall(r"^Environment=GPIOZERO_PIN_FACTORY=(\w+)$", pins.read_text("utf-8"), re.MULTILINE)
    assert factory == pins.stem
    assert factory in OTHER_FACTORIES
    units = [tmp_path / unit for unit in UNITS]
    for unit in units:
        # systemd refuses a program that is not installed
        unit.write_text((SYSTEMD / unit.name).read_text("utf-8").replace(PROGRAM, "/bin/true"))
    assert output("systemd-analyze", "verify", "--man=no", *units) == ""
    for name in (TABLE, SAFE, MOTOR):
        (tmp_path / f"{name}.d").mkdir()
        shutil.copy(pins, tmp_path / f"{name}.d" / "pins.conf")
    assert output("systemd-analyze", "verify", "--man=no", *units) == ""


# two run as root: the motor's, because udev may not have given the pins to other users so early, which costs 0.8
@needs_analyze
@pytest.mark.parametrize(
    ("unit", "most"), [(TABLE, 1.0), (PAGE, 2.0), (MQTT, 2.0), (SAFE, 1.0), (MOTOR, 1.5), (RESTORE, 2.0)]
)
def test_the_exposure_of_a_unit_is_limited(unit: str, most: float) -> None:
    printed = output("systemd-analyze", "security", "--offline=true", f"--threshold={10 * most:.0f}", SYSTEMD / unit)
    exposure = re.search(r"Overall exposure level for .*: (\d+\.\d)", printed)
    assert exposure
    assert float(exposure[1]) <= most


@needs_analyze
def test_the_table_has_no_network_and_page_and_bridge_no_device() -> None:
    ask = ("systemd-analyze", "security", "--offline=true", "--json=short")
    table, page, bridge = (
        {check["json_field"] for check in json.loads(output(*ask, SYSTEMD / unit)) if check["set"]}
        for unit in (TABLE, PAGE, MQTT)
    )
    network = {"PrivateNetwork", "RestrictAddressFamilies_AF_INET_INET6", "IPAddressDeny"}
    devices = {"PrivateDevices"}
    assert network <= table
    assert not network & (page | bridge)
    assert devices <= page & bridge
    assert not devices & table


@pytest.mark.parametrize("unit", UNITS)
def test_every_unit_starts_a_reboard_command(unit: str) -> None:
    values = [value for name in ("ExecStart", "ExecStopPost") for value in settings(unit).get(name, [])]
    commands = [value.removeprefix(PROGRAM).split() for value in values if value.startswith(PROGRAM)]
    assert commands
    for command in commands:
        assert make_parser(command).parse_args(command).command


def test_the_motor_is_stopped_after_each_unit_that_uses_pins_and_while_the_pi_starts() -> None:
    for unit in (TABLE, SAFE):
        assert settings(unit)["ExecStopPost"] == [f"{PROGRAM} motor-off"]
    motor = settings(MOTOR)
    assert motor["ExecStart"] == [f"{PROGRAM} motor-off"]
    assert motor["Before"] == [f"{TABLE} {SAFE} shutdown.target"]
    assert motor["DefaultDependencies"] == ["no"], "it would wait for half of the system"
    assert MOTOR in settings(TABLE)["After"][0]


def test_each_driver_that_is_a_module_is_there_before_the_table_may_use_its_devices() -> None:
    modules = {"i2c": "i2c_dev", "spi": "spidev", "alsa": "snd", "ttyUSB": "usbserial", "ttyACM": "cdc_acm"}
    allowed = {value.removeprefix("char-").removesuffix(" rw") for value in settings(TABLE)["DeviceAllow"]}
    needed = {f"modprobe@{modules[kind]}.service" for kind in allowed & set(modules)}
    for name in ("Wants", "After"):
        assert needed <= {unit for value in settings(TABLE)[name] for unit in value.split()}


def test_the_table_gives_up_before_systemd_refuses_a_start() -> None:
    table = settings(TABLE)
    assert {str(USAGE_ERROR), str(GIVEN_UP)} == set(table["RestartPreventExitStatus"][0].split())
    pauses = [min(FIRST_PAUSE_S * 2**n, LONGEST_PAUSE_S) for n in range(MOST_FAILURES - 1)]
    assert pauses[-1] == LONGEST_PAUSE_S
    starts = MOST_FAILURES + 1
    shortest_s = sum(pauses) + starts * seconds(table["RestartSec"][0])
    within = seconds(table["StartLimitIntervalSec"][0]) / shortest_s + 1
    assert within * starts < int(table["StartLimitBurst"][0]), "even with a start by hand after each end"
    assert seconds(table["TimeoutStartSec"][0]) == START_S
    assert table["OnFailure"] == [SAFE]
    assert settings(SAFE)["Conflicts"] == [TABLE]


def test_an_interrupted_restore_is_completed_before_anything_reads_its_files() -> None:
    restore = settings(RESTORE)
    assert restore["ConditionPathExists"] == [str(interrupted_restore(DEFAULT_CONFIG))]
    assert restore["Before"] == [f"{TABLE} {PAGE} {MQTT}"]


def test_a_frozen_table_is_killed_in_the_documented_time() -> None:
    table = settings(TABLE)
    document = (SYSTEMD.parent / "docs" / "motor.md").read_text("utf-8")
    promised = re.search(r"\| frozen .*\| (\d+) s \|", document)
    assert promised
    killed_s = seconds(table["WatchdogSec"][0]) + seconds(table["TimeoutAbortSec"][0])
    assert killed_s < float(promised[1])
    assert "WatchdogSignal" not in table, "SIGABRT lets it report where it hangs"


@pytest.mark.parametrize("unit", [TABLE, SAFE])
def test_the_table_stops_before_systemd_kills_it_and_starts_safe_mode(unit: str) -> None:
    assert seconds(settings(unit)["TimeoutStopSec"][0]) > LONGEST_STOP_S + 1


def test_the_memory_of_the_page_is_limited() -> None:
    [limit] = settings(PAGE)["LimitDATA"]
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
    assert output(sys.executable, "-c", code) == "refused\n"


def test_the_config_belongs_to_the_group_that_doctor_names() -> None:
    given = (SYSTEMD / "reboard-files.conf").read_text(encoding="utf-8")
    assert re.findall(rf"^z {DEFAULT_CONFIG} (\d+) root (\S+)$", given, re.MULTILINE) == [("0640", CONTROL_GROUP)]


POLKIT = """
const rules = [];
global.polkit = { Result: { YES: "yes" }, addRule: (rule) => rules.push(rule) };
eval(require("fs").readFileSync(process.argv[1], "utf8"));
const of = (user) => (id) => rules.some((rule) => rule({ id }, { user }) === "yes");
const ids = JSON.parse(process.argv[2]);
console.log(JSON.stringify({ page: ids.filter(of("reboard-page")), others: ids.filter(of("reboard")) }));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed, which evaluates the rule as polkit does")
def test_the_page_may_only_shut_down_and_restart() -> None:
    login, power = "org.freedesktop.login1", ("power-off", "reboot", "power-off-multiple-sessions")
    allowed = [f"{login}.{action}" for action in power]
    others = [f"{login}.{action}" for action in ("halt", "suspend", "reboot-ignore-inhibit", "set-reboot-parameter")]
    others += ["org.freedesktop.systemd1.manage-units", f"evil.{login}.reboot", "org-freedesktop-login1-reboot"]
    rules = SYSTEMD / "reboard-power.rules"
    printed = output("node", "-e", POLKIT, rules, json.dumps([*allowed, *others]))
    assert json.loads(printed) == {"page": allowed, "others": []}


as_other_users = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, ("setpriv", "systemd-sysusers", "systemd-tmpfiles"))),
    reason="only root can act as other users, and the tools of systemd create users and directories",
)


class House:
    """A root with our users, directories and files in it."""

    def __init__(self, root: Path) -> None:
        root.chmod(0o755)
        self.config, self.state = root / "etc/reboard/table.toml", root / "var/lib/reboard"
        self.config.parent.mkdir(parents=True)
        self.config.write_text("[page]\n")
        self.password = root / "etc/reboard/mqtt-password"
        self.password.write_text("secret\n")
        output("systemd-sysusers", f"--root={root}", shutil.copy(SYSTEMD / "reboard-users.conf", root))
        output("systemd-tmpfiles", f"--root={root}", "--create", shutil.copy(SYSTEMD / "reboard-files.conf", root))
        self._users, self._groups = (
            [line.split(":") for line in (root / "etc" / name).read_text().splitlines()] for name in ("passwd", "group")
        )
        self.state.mkdir(parents=True)
        self.state.chmod(int(settings(TABLE)["StateDirectoryMode"][0], 8))
        shutil.chown(self.state, *self._ids("reboard"))
        self.ledger, self.last_good = self.state / "ledger.db", self.state / "table.last-good.toml"
        self.socket = root / "run/reboard/table.sock"
        for made in (self.ledger, self.last_good, self.socket):
            assert self.may("reboard", "sh", "-c", f"umask {settings(TABLE)['UMask'][0]}; echo kept > {made}")
        assert self.may("reboard", "chmod", "0660", self.socket), "as the table does with the socket"

    def _ids(self, name: str) -> tuple[int, int]:
        user, group = (next(int(row[2]) for row in rows if row[0] == name) for rows in (self._users, self._groups))
        return user, group

    def may(self, user: str, *command: str | Path) -> bool:
        """Whether *user*, in no other groups than theirs, can do *command*."""
        uid, gid = self._ids(user) if user != "nobody" else (65534, 65534)
        more = ",".join(number for _, _, number, members in self._groups if user in members.split(","))
        groups = f"--groups={more}" if more else "--clear-groups"
        who = ["setpriv", f"--reuid={uid}", f"--regid={gid}", groups]
        return subprocess.run([*who, *command], check=False, capture_output=True, timeout=60).returncode == 0


@pytest.fixture
def house() -> Iterator[House]:
    with tempfile.TemporaryDirectory() as folder:  # other users may not enter pytest's folder
        yield House(Path(folder))


@as_other_users
@pytest.mark.parametrize(
    ("user", "config", "state", "socket", "password"),
    [
        ("reboard", "r", "rw", "rw", ""),
        ("reboard-page", "r", "", "rw", ""),
        ("reboard-mqtt", "r", "", "rw", "r"),
        ("nobody", "", "", "", ""),
    ],
)
def test_each_user_has_only_the_rights_it_needs(
    house: House, user: str, config: str, state: str, socket: str, password: str
) -> None:
    files = {house.config: config, house.ledger: state, house.last_good: state, house.socket: socket}
    files[house.password] = password
    for file, rights in files.items():
        assert "".join(right for right in "rw" if house.may(user, "test", f"-{right}", file)) == rights
    for folder in (house.socket.parent, house.config.parent, house.state):
        is_its_own = user == "reboard" and folder != house.config.parent
        assert house.may(user, "test", "-w", folder) == is_its_own


@as_other_users
def test_the_motor_unit_may_read_the_last_good_config(house: House) -> None:
    powers = settings(MOTOR)["CapabilityBoundingSet"][0].lower().split()
    bounds = ",".join(["-all", *(f"+{power.removeprefix('cap_')}" for power in powers)])
    assert output("setpriv", f"--bounding-set={bounds}", "cat", house.last_good) == "kept\n"
