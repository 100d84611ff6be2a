"""The acts of a play, and the instants in virtual time at which they begin."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from math import ceil, floor, inf
from typing import Any

from reboard.accessories.installed import check_request
from reboard.aiotools import first_of
from reboard.errors import ReboardError, RequestError
from reboard_sim.devices.device import device_module
from reboard_sim.plays.checks import CheckError
from reboard_sim.plays.play_language import Line
from reboard_sim.recording import RecordedAct
from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import running_loop

BEAT_S = 0.001
"""The length of a beat, in seconds. Acts begin on a beat, so that the time of a recorded act has few digits."""

SAME_BEAT = 1e-6
"""The maximum distance from a beat, in beats, at which an instant counts as on the beat."""

DIGITS = 9
"""The number of decimal places of an instant in seconds. After rounding, equal instants are equal numbers."""


async def let_pass(seconds: float, *, act: float = inf) -> None:
    """Wait for *seconds* of virtual time in the act with the number *act*, or outside acts.

    If several waits end at the same instant, the wait with the lowest number ends first.
    """
    await _reach(running_loop().time() + seconds, act)


async def on_the_beat() -> None:
    """Wait until the next beat, at which an act can begin. On a beat, only wait for other work to finish."""
    await _reach(ceil(running_loop().time() / BEAT_S - SAME_BEAT) * BEAT_S)


async def next_beat() -> None:
    """Wait until the next beat, even if this instant is on a beat."""
    await _reach((floor(running_loop().time() / BEAT_S + SAME_BEAT) + 1) * BEAT_S)


async def _reach(instant: float, act: float = inf) -> None:
    loop = running_loop()
    instant = round(instant, DIGITS)
    if instant > loop.time():
        reached: asyncio.Future[None] = loop.create_future()
        timer = loop.call_at(instant, _set, reached)
        try:
            await reached
        finally:
            timer.cancel()
    await loop.come_last(act)


def _set(reached: asyncio.Future[None]) -> None:
    if not reached.done():
        reached.set_result(None)


INSTANT_S = 0.001
"""The wait after the effects of an act, in seconds, before the act ends."""

WAITS = ("wait", "wait_until")
"""The acts that only wait. They need not begin on a beat, and they are not recorded."""


async def _misbehave(table: VirtualTable, fault: str, *, on: bool) -> None:
    table.misbehave(fault, on)


WHOLE: Mapping[str, Callable[..., Coroutine[Any, Any, None]]] = {
    "edition": lambda table, name: table.configure("edition", f'"{name}"'),
    "config": lambda table, setting, value: table.configure(setting, value),
    "without": lambda table, setting: table.configure(setting, None),
    "seed": lambda table, n: table.reseed(n),
    "fault": partial(_misbehave, on=True),
    "mend": partial(_misbehave, on=False),
    "power": lambda table, power: table.power_on() if power == "on" else table.power_off(),
}
"""The acts that run to completion even if the play is cancelled."""

UNTIL_S = 60.0

BY = "a line of a play"
"""The sender of requests that are acts. A recorded session repeats such acts."""


class Acts:
    """A `reboard_sim.forms.User` who carries out acts at *table*.

    `since` is the place in the table's log from which ``wait until`` sees events: the start of the last act or
    ``wait``, or the place after the event that the last ``wait until`` found.
    """

    def __init__(self, table: VirtualTable) -> None:
        self._table = table
        self._held: dict[tuple[str, str], tuple[Callable[[], None], str]] = {}
        self._act = RecordedAct(0, "", 0.0)
        self.since = 0

    @property
    def pi(self) -> VirtualPi:
        return self._table.pi

    @property
    def has_copies(self) -> bool:
        return self._table.has_copies

    @property
    def holds(self) -> set[tuple[str, str]]:
        """The devices and keys that this user holds, as pairs like those of `VirtualPi.held`."""
        return set(self._held)

    async def do(self, line: Line) -> None:
        """Carry out the act of *line* and record it. Raises a `ReboardError` if the table cannot carry it out."""
        name = line.form.name
        self._check_device(line)
        act: Callable[..., Coroutine[Any, Any, None]]
        if line.form.do:
            act = partial(line.form.do, self)
        else:
            act = partial(WHOLE[name], self._table) if name in WHOLE else getattr(self, name)
        if name in WAITS:
            if name == "wait":
                self.since = self._table.log.end
            await act(**line.values)
            return
        await on_the_beat()
        self.since = self._table.log.end
        self._act = self._table.done.begin(line.text, is_whole=name in WHOLE)
        try:
            await (self._table.undisturbed(act(**line.values)) if name in WHOLE else act(**line.values))
        except ReboardError:
            self._act.was_refused = True
            raise
        await self.let_pass(INSTANT_S)
        self._table.done.end(self._act)

    def _check_device(self, line: Line) -> None:
        # of the devices of a program, a play names each in any line
        device = self.pi.opened.get(line.values.get("device", ""))
        if device is None:
            return
        usages = [form.usage for form in device_module(device.kind.name).FORMS]
        if line.form.usage not in usages:
            remedy = " or ".join(usage.replace("DEVICE", device.label) for usage in usages) or "only checks"
            raise RequestError(f"{device.label} cannot do this: use {remedy}")

    def release_all(self) -> None:
        """Release every device and key that this user holds, and record each release."""
        while self._held:
            _, (release, line) = self._held.popitem()
            release()
            self._act = self._table.done.begin(line)
            self.did(line)

    def hold(self, device: str, *what: str, line: str, release: str) -> None:
        acts = self.pi[device].acts()
        acts["press"](*what)
        self._held[(device, "".join(what))] = partial(acts["release"], *what), release
        self.did(line)

    def release(self, device: str, *what: str, line: str) -> None:
        self.pi[device].acts()["release"](*what)
        self._held.pop((device, "".join(what)), None)
        self.did(line)

    def did(self, line: str) -> None:
        """Record that the play line *line* has had its effect, and call the functions in `VirtualTable.on_input`."""
        self._table.done.touched(self._act, line)
        for listener in tuple(self._table.on_input):
            listener()

    def snapshot(self) -> dict[str, Any]:
        return self._table.snapshot()

    async def request(self, do: str, **args: object) -> object:
        if self._table.table is None:
            raise RequestError("the table has no power, so it answers no requests: switch it on with `power on`")
        return await self._table.table.request(do, by=BY, **args)

    async def let_pass(self, seconds: float) -> None:
        await let_pass(seconds, act=self._act.number)

    async def wait(self, seconds: float) -> None:
        await let_pass(seconds)

    async def wait_until(self, event: str, seconds: float = UNTIL_S) -> None:
        """Wait until *event* has happened since the place `since`.

        Raises `CheckError` if it does not happen within the next *seconds*.
        """
        if await first_of(self._happened(event), let_pass(seconds)):
            raise CheckError(f"{event} within {seconds:g} s", "none")

    async def _happened(self, event: str) -> None:
        news = asyncio.Event()
        stop = self._table.log.listen(lambda _: news.set())
        try:
            while True:
                for place, logged in self._table.log.since(self.since):
                    self.since = place + 1
                    if logged["event"] == event:
                        return
                news.clear()
                await news.wait()
        finally:
            stop()

    async def send_request(self, request: str, value: str = "{}") -> None:
        """Send a *request* with the arguments in the JSON object *value*.

        Raises `RequestError` if *value* is not a JSON object, and `ControlSocketError` for an invalid argument.
        """
        try:
            args = dict(json.loads(value))
        except (TypeError, ValueError):
            example = """'{"on": true}', in single quotes"""
            raise RequestError(f"{value!r} is not a JSON object, such as {example}") from None
        check_request({"do": request, **args})
        await self.request(request, **args)
