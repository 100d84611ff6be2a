"""Shutting down and restarting the machine for the host of the page, through systemd's logind."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Mapping
from typing import Literal, get_args

from reboard.aiotools import loop_time
from reboard.errors import ReboardError

Action = Literal["power_off", "restart"]

ACTIONS: Mapping[Action, str] = dict(zip(get_args(Action), ("PowerOff", "Reboot"), strict=True))
"""The method of logind for each action.

``CanPowerOff`` and ``CanReboot`` return whether the page's user is allowed to call them. On a Pi,
``systemd/reboard-power.rules`` allows both."""

LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
LONGEST_CALL_S = 5.0
AGAIN_S = 10.0
"""The time in seconds for which further calls of an action are the same one. The machine is then down."""
FRESH_S = 60.0
"""The time in seconds for which `Power.allowed` keeps an answer of logind."""
LONGEST_WAIT_S = 1.0
"""The longest time in seconds that `Power.allowed` waits for logind."""
YES = 's "yes"'
"""The answer of busctl if an action is permitted. Other answers are "no", "challenge" (with a password) and "na"."""


class PowerError(ReboardError, PermissionError):
    """The error raised if the machine cannot be shut down or restarted. Its text is the reason."""


class Power:
    """The power actions of this machine, for ``reboard page`` with ``power = true`` in ``[page]``."""

    def __init__(self) -> None:
        self._doing: dict[Action, tuple[asyncio.Task[None], float]] = {}
        self._asking: asyncio.Task[None] | None = None
        self._asked_s = 0.0
        self._allowed: list[Action] = []

    async def allowed(self) -> list[Action]:
        """Return the `ACTIONS` that logind allows. Keep its answer for `FRESH_S`.

        If logind does not answer within `LONGEST_WAIT_S`, return its previous answer.
        """
        now_s = loop_time()
        if self._asking is None or (self._asking.done() and now_s - self._asked_s > FRESH_S):
            self._asked_s = now_s
            self._asking = asyncio.create_task(self._ask())
        await asyncio.wait({self._asking}, timeout=LONGEST_WAIT_S)
        return self._allowed

    async def _ask(self) -> None:
        reasons = await asyncio.gather(*map(self._why_not, ACTIONS))
        self._allowed = [action for action, why in zip(ACTIONS, reasons, strict=True) if why is None]

    async def do(self, action: Action) -> None:
        """Shut down or restart this machine: *action* is a key of `ACTIONS`. systemd first stops the services.

        Calls within `AGAIN_S` of a successful one are the same call. Raises `PowerError` if logind forbids the action,
        reports an error or does not answer.
        """
        now_s = loop_time()
        doing, began_s = self._doing.get(action, (None, now_s))
        if doing is None or (doing.done() and (doing.exception() or now_s - began_s > AGAIN_S)):
            doing = asyncio.create_task(self._do(action))
            self._doing[action] = doing, now_s
        await asyncio.shield(doing)

    async def _do(self, action: Action) -> None:
        if why := await self._why_not(action):
            raise PowerError(why)
        await asyncio.to_thread(_call, ACTIONS[action], "b", "false")

    async def _why_not(self, action: Action) -> str | None:
        try:
            answer = await asyncio.to_thread(_call, f"Can{ACTIONS[action]}")
        except PowerError as error:
            return str(error)
        if answer == YES:
            return None
        remedy = "The Debian package of reboard has the permission, and needs polkitd: run `sudo apt install polkitd`"
        return f"logind does not allow this page to do so ({answer}). {remedy}"


def _call(method: str, *arguments: str) -> str:
    """Call a *method* of logind, and return its answer as busctl prints it. Raises `PowerError`."""
    command = ["busctl", "--system", f"--timeout={LONGEST_CALL_S:g}", "call", *LOGIND, method, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=2 * LONGEST_CALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PowerError(f"logind does not answer: {error}") from error
    if done.returncode:
        raise PowerError(f"logind reports an error: {done.stderr.strip() or f'busctl exited with {done.returncode}'}")
    return done.stdout.strip()
