"""Shutting down and restarting the machine for the host of the page, through systemd's logind."""

from __future__ import annotations

import asyncio
import subprocess

from reboard.errors import ReboardError

ACTIONS = {"power_off": "PowerOff", "restart": "Reboot"}
"""The methods of logind by action. ``CanPowerOff`` and ``CanReboot`` return whether the user of the page may call them.

On a Pi, ``systemd/reboard-power.rules`` permits both."""

LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
LONGEST_CALL_S = 5.0
YES = 's "yes"'
"""The answer of busctl if an action is permitted. Others are "no", "challenge" (with a password) and "na"."""


class PowerError(ReboardError, PermissionError):
    """The error that the system does not shut down or restart. The text has the reason."""


class Power:
    """The power of this machine. Only ``reboard page`` with ``[page] power = true`` has one: a bench never does."""

    def __init__(self) -> None:
        self._calling = asyncio.Lock()

    async def allowed(self) -> list[str]:
        """Return the `ACTIONS` that the system permits."""
        return [action for action in ACTIONS if await self._why_not(action) is None]

    async def do(self, action: str) -> None:
        """Begin one of the `ACTIONS`: systemd stops the services first. Raises `PowerError` if it is not permitted."""
        if why := await self._why_not(action):
            raise PowerError(why)
        await self._call(ACTIONS[action], "b", "false")

    async def _why_not(self, action: str) -> str | None:
        try:
            answer = await self._call(f"Can{ACTIONS[action]}")
        except PowerError as error:
            return str(error)
        if answer == YES:
            return None
        return f"the system does not permit it to this page ({answer}): `sudo systemd/install` adds the permission"

    async def _call(self, method: str, *arguments: str) -> str:
        async with self._calling:
            return await asyncio.to_thread(_call, method, *arguments)


def _call(method: str, *arguments: str) -> str:
    """Call a *method* of logind, and return its answer as busctl prints it. Raises `PowerError`."""
    command = ["busctl", "--system", f"--timeout={LONGEST_CALL_S:g}", "call", *LOGIND, method, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=2 * LONGEST_CALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PowerError(f"logind does not answer: {error}") from error
    if done.returncode:
        raise PowerError(f"logind refuses: {done.stderr.strip() or f'busctl exited with {done.returncode}'}")
    return done.stdout.strip()
