"""The header's serial port, where a reader of the config is on it: is it switched on, and left alone by the login?"""

from __future__ import annotations

from collections.abc import AsyncIterator

from reboard.config import KeyboardConfig
from reboard.doctor.case import Case
from reboard.finding import Finding, fine, wrong
from reboard.settings.pins_and_ports import DEBUG_SOCKET, HEADER_UARTS

SWITCH_ON = "`sudo raspi-config nonint do_serial_hw 0`, then `sudo reboot`."
NO_LOGIN = "`sudo raspi-config nonint do_serial_cons 1`, then `sudo reboot`."


async def look_at_serial_port(case: Case) -> AsyncIterator[Finding]:
    """Is it there, and has nobody else got it?"""
    if not case.is_pi:
        return
    for side, slot in case.line_slots.items():
        if not isinstance(slot, KeyboardConfig) and _is_on_header(case, slot.port):
            async for finding in _port(case, slot.port, f"the {side} reader"):
                yield finding


def _is_on_header(case: Case, port: str) -> bool:
    return port in HEADER_UARTS or case.machine.real(port) in (*HEADER_UARTS, DEBUG_SOCKET)


async def _port(case: Case, port: str, whose: str) -> AsyncIterator[Finding]:
    real = case.machine.real(port)
    if real == DEBUG_SOCKET:
        yield wrong(
            "serial.debug",
            f"{port}, for {whose}, is this Pi's small socket for debugging, and not on the header.",
            f'{SWITCH_ON} Then the header\'s port is "/dev/ttyAMA0": write that into {case.config_file}.',
        )
        return
    if not case.machine.has(real):
        yield wrong("serial.port", f"The header's serial port {port}, for {whose}, is switched off.", SWITCH_ON)
        return
    name = real.rpartition("/")[2]
    if name in _consoles(case):
        yield wrong("serial.console", f"Linux writes its messages to {port}, for {whose}.", NO_LOGIN)
    elif await case.machine.said("systemctl", "is-active", f"serial-getty@{name}.service") == "active":
        yield wrong("serial.login", f"A login waits on {port}, for {whose}.", NO_LOGIN)
    else:
        yield fine("serial.port", f"The header's serial port is on and free for {whose}.")


def _consoles(case: Case) -> set[str]:
    words = case.machine.text("/proc/cmdline").split()
    named = [word.removeprefix("console=").partition(",")[0] for word in words if word.startswith("console=")]
    return {case.machine.real(f"/dev/{name}").rpartition("/")[2] for name in named}
