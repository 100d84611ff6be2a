"""The checks of the user's groups, the pins and the header's serial port.

``user.groups``: groups that the user lacks.
``user.session``: groups that the user joined only after the login.
``user.devices``: a device file that the user cannot use, although its group is right.
``user.root``: the table runs as root.
``pins.taken``: pins that another program or driver has.
``pins.asked``: a table runs but does not answer, so its pins are unknown.
``serial.port``: whether the header's serial port is on, if a reader uses it.
``serial.console``: Linux writes its messages to the port.
``serial.login``: a login waits at the port.
``serial.debug``: ``/dev/serial0`` is the debug socket of a Pi 5.
``serial.bluetooth``: the port is that of Bluetooth, not of the header.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from reboard.config.pins_and_ports import DEBUG_SOCKET, HEADER, HEADER_UARTS
from reboard.devices.gpio.chip import TABLES, how_to_free
from reboard.doctor.doctor_context import REINSTALL, DoctorContext
from reboard.doctor.machine import Header
from reboard.finding import Finding, fine, note, wrong
from reboard.table_config import TableConfig


async def check_user(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check whether the table's user is in the groups that own the devices of the config."""
    player = context.player
    if player == "root":
        yield note(
            "user.root",
            "The table runs as root, which has every permission.",
            "Reboard's Debian package gives the table a user of its own: `sudo apt install --no-install-recommends "
            "./reboard_*.deb`.",
        )
        return
    known = await context.host.output_of("id", "-nG", player)
    is_me = player == context.host.user
    if known is None:
        if is_me:  # there is no `id` on this machine
            return
        yield wrong(
            "user.groups",
            f"The user of the table, {player}, does not exist.",
            f"Run {REINSTALL} to create it.",
        )
        return
    here = (await context.host.output_of("id", "-nG") or "").split() if is_me else known.split()
    needed = _needed_groups(context)
    missing = {group: what for group, what in needed.items() if group not in known.split()}
    for group, what in missing.items():
        again = "`sudo systemctl restart reboard`" if context.service else "log out and in again"
        yield wrong(
            "user.groups",
            f"{player}, the user of the table, is not in the group {group}, which owns {what}.",
            f"Run `sudo usermod -aG {group} {player}`, then {again}.",
        )
    stale = [group for group in needed if group in known.split() and group not in here]
    for group in stale:
        yield wrong(
            "user.session",
            f"{player} was added to the group {group} after this session began.",
            "Log out and in again.",
        )
    if not context.config or missing or stale:
        return
    files = [file for device in context.config.devices() for file in device.files() if context.host.has(file)]
    closed = [file for file in files if not context.host.may_write(player, file)]
    for file in closed:
        yield wrong(
            "user.devices",
            f"{player}, the user of the table, has no permission to use {file}, although the groups are right.",
            f"Run `sudo udevadm trigger --settle`. If that does not help, run {REINSTALL}.",
        )
    if not closed:
        yield fine("user.groups", f"{player}, the user of the table, has permission to use all devices in the config.")


def _needed_groups(context: DoctorContext) -> dict[str, str]:
    """Return the groups that own the devices of the config, each with a description of these devices."""
    config = context.config
    if not config:
        return {}
    groups = {"gpio": "the header's pins"} if context.is_pi and pin_uses(config) else {}
    for device in config.devices():
        groups |= device.kind.groups(device.config)
    if config.speaker and not config.speaker.is_silent:
        groups["audio"] = "the sound cards"
    return groups


def pin_uses(config: TableConfig) -> dict[int, str]:
    """Return the use of each pin in the config, keyed by BCM number.

    Devices on a bus or serial port are left out, because the kernel uses their pins.
    """
    uses = {}
    for device in config.devices():
        if not device.files():
            for terminal, pin in device.kind.pins(device.config).items():
                uses[pin] = f"{terminal.replace('_', ' ')} of the {device.title}" if terminal else f"the {device.title}"
    return uses


async def check_pins(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check whether another program uses a pin of the config, without requesting a pin."""
    header = context.header
    if not isinstance(header, Header) or not context.config:
        return
    uses = pin_uses(context.config)
    taken = {pin: header.users[pin] for pin in sorted(uses) if pin in header.users}
    others = {pin: user for pin, user in taken.items() if not (context.is_in_use and user in TABLES)}
    holders = context.host.holders(header.chip) if others else []
    for pin, user in others.items():
        who = " and ".join(map(str, holders)) if user in TABLES and holders else user
        yield wrong("pins.taken", f"GPIO{pin}, {uses[pin]}, is used by {who}.", how_to_free(pin, user))
    if context.is_in_use and not context.snapshot:
        yield note("pins.asked", "The pins were not checked: a table may be using them.")
    elif not others:
        yield fine("pins.taken", "No other program uses the pins in the config.")


PI_5_UART = "/dev/ttyAMA0"
"""The device file of the serial port on a Pi 5's header, which has no link by default."""

SET_BOOT = "Run `sudo reboard setup boot`, then `sudo reboot`."


async def check_serial_port(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check that the header's serial port is switched on, and free for the device that the config assigns to it."""
    if not context.is_pi or not context.config:
        return
    for device in context.config.devices():
        for port in device.files():
            if port in HEADER_UARTS or context.host.real(port) in (*HEADER_UARTS, DEBUG_SOCKET):
                yield await _checked_port(context, port, f"the {device.title}")


async def _checked_port(context: DoctorContext, port: str, user: str) -> Finding:
    real = context.host.real(port)
    header = context.host.real(HEADER) if context.host.has(HEADER) else ""
    if real == DEBUG_SOCKET or (header == DEBUG_SOCKET and real != PI_5_UART):
        what = "this Pi's debug connector, not" if real == DEBUG_SOCKET else "not"
        return wrong(
            "serial.debug",
            f"{port}, the port of {user}, is {what} the serial port on the header.",
            f'{SET_BOOT} Then write the header\'s port, "{PI_5_UART}", into {context.config_file} instead.',
        )
    is_bluetooth = real == context.host.bluetooth_port
    if is_bluetooth or header not in ("", real, DEBUG_SOCKET):
        whose = "belongs to this Pi's Bluetooth" if is_bluetooth else "is not the serial port on this Pi's header"
        what = f"{port}, the port of {user}, {whose}. The header's serial port is {header or 'switched off'}."
        write = f'rite "{HEADER}", which leads to the header, into {context.config_file} instead.'
        return wrong("serial.bluetooth", what, f"W{write}" if header else f"{SET_BOOT} Then w{write}")
    if not context.host.has(real):
        return wrong("serial.port", f"The header's serial port {port}, the port of {user}, is switched off.", SET_BOOT)
    name = real.rpartition("/")[2]
    if name in _consoles(context):
        return wrong("serial.console", f"Linux writes its messages to {port}, the port of {user}.", SET_BOOT)
    if await context.host.output_of("systemctl", "is-active", f"serial-getty@{name}.service") == "active":
        return wrong("serial.login", f"A login prompt is running on {port}, the port of {user}.", SET_BOOT)
    return fine("serial.port", f"The header's serial port is switched on, and free for {user}.")


def _consoles(context: DoctorContext) -> Iterator[str]:
    for word in context.host.text("/proc/cmdline").split():
        if word.startswith("console="):
            name = word.removeprefix("console=").partition(",")[0]
            yield context.host.real(f"/dev/{name}").rpartition("/")[2]
