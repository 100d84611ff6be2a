"""The table: it opens and supervises the accessories of a config, and publishes their events and snapshots."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from functools import partial
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, TypeVar

from reboard.accessories.accessory import Accessory, Announcement, RunningAccessory, absent_of
from reboard.accessories.installed import (
    accessories,
    accessories_in,
    all_events,
    all_requests,
    snapshot_keys,
    sound_folders,
)
from reboard.accessories.table_vocabulary import Requested, TableWhy
from reboard.accessory_context import AccessoryContext, check_call, serving
from reboard.aiotools import is_cancelled
from reboard.board import Board
from reboard.control.signal_watch import SignalWatch
from reboard.devices.signal_tap import ObservedBoard, SignalTap
from reboard.devices.speaker import Speaker, speaker_device
from reboard.editions.edition import Edition, load_edition
from reboard.errors import (
    PLUG_IN_ERRORS,
    Place,
    ReboardError,
    Rejection,
    Repeats,
    RequestError,
    clean,
    failure,
    text_of,
)
from reboard.events import EmittedEvent, Events, Fault, Recovered
from reboard.languages import Texts
from reboard.strict_json import MOST_ANSWER_BYTES, MOST_BYTES, MOST_STATE_BYTES, Json, NotJsonError, plain
from reboard.supervision import FaultLog, supervised
from reboard.table_config import TableConfig, described_devices
from reboard.vocabulary.declared import PHONE, Request

if TYPE_CHECKING:
    from reboard.devices.voice import Voice

log = logging.getLogger(__name__)

T = TypeVar("T")

LONGEST_OPENING_S = 5.0
"""The maximum time that `Table.ready` waits for the start of an accessory, in seconds."""

LONGEST_REQUEST_S = 10.0
"""The maximum time that an accessory waits for the answer from another accessory, in seconds."""


def system_randomness(_: str) -> Random:
    """Return the operating system's random number generator. The use, such as ``deal``, makes no difference."""
    return SystemRandom()


class Table:
    """The running accessories of a config on a board.

    *randomness* returns the random number generator for a use (``"block"``, ``"deal"``). In a play, it returns seeded
    generators. *began* is the time of the event loop when ``t`` was 0, for a loop whose clock the user controls. Pages
    then show ``t``, not the time of day.

    `ready` is set when each accessory has started, has reported a fault, or has used up `LONGEST_OPENING_S`. The
    table restarts an accessory that failed, while the other accessories continue to run.
    """

    def __init__(
        self,
        config: TableConfig,
        board: Board,
        *,
        randomness: Callable[[str], Random] = system_randomness,
        began: float | None = None,
    ) -> None:
        self.config = config
        self.edition = load_edition(config.edition)
        self.events = Events(asyncio.get_running_loop().time, all_events(), began=began)
        self._counts_from = None if began is None else round(board.wall_time() - self.events.now(), 3)
        self.ready = asyncio.Event()
        self.faults: dict[str, str] = {}
        self._fault_log = FaultLog()
        self.running: dict[str, RunningAccessory] = {}
        self._signals = SignalTap(self.events.now)
        self.board: Board = ObservedBoard(board, self._signals)
        self.randomness = randomness
        self._speaker: Speaker | None = None
        self._contexts = {name: AccessoryContext(self, name) for name in config.sections}
        self._not_started = set(config.sections)
        self._bugs = Repeats()
        self.events.listen(self._keep_faults)

    async def run(self) -> None:
        """Run all accessories until cancelled. Then close every device, which switches the motor off."""
        speaker = speaker_device(self.config.speaker, sound_folders())
        async with speaker.open(self.board, self.events.emit) as self._speaker, asyncio.TaskGroup() as tasks:
            if self._speaker.voice:
                self._announce_with(self._speaker.voice)
            for name, section in self.config.sections.items():
                life = partial(self._play, self.config.accessory(name), section)
                tasks.create_task(supervised(name, life, self.events.emit), name=name)

    async def _play(self, accessory: Accessory[Any], section: Any) -> None:
        name = accessory.name
        context = self._contexts[name]
        context.faults.clear()
        started = partial(self._started, name)
        is_late = False

        def end_waiting() -> None:
            nonlocal is_late
            started()
            if name not in self.running:
                is_late = True
                why = f"it has not opened within {LONGEST_OPENING_S:g} s: restart the table, or check its devices"
                self.events.emit(Fault(name, why))

        timer = asyncio.get_running_loop().call_later(LONGEST_OPENING_S, end_waiting)
        try:
            async with accessory.open(section, context) as running:
                self.running[name] = running
                if is_late:
                    self.events.emit(Recovered(name))
                try:
                    running.show_fault(self._first_fault)
                    await running.run(started)
                finally:
                    self.running.pop(name, None)
        except PLUG_IN_ERRORS as error:
            if isinstance(error, asyncio.CancelledError | GeneratorExit) and is_cancelled():
                raise
            # the restarted accessory reports these again if they last
            context.lapses.forget()
            for part in self.faults.keys() & context.faults:
                self.events.emit(Recovered(part))
            if isinstance(error, asyncio.CancelledError | KeyboardInterrupt | SystemExit):  # asyncio's own
                raise RuntimeError(f"it raised {type(error).__name__} {text_of(error)}".strip()) from error
            raise
        finally:
            timer.cancel()

    def _started(self, name: str) -> None:
        """Stop waiting for the accessory *name* to start, and set `ready` if it was the last one."""
        self._not_started.discard(name)
        if not self._not_started:
            self.ready.set()

    @property
    def speaker(self) -> Speaker:
        """The speaker of the running table. Raises `RequestError` before `run` has opened it."""
        if self._speaker is None:
            raise RequestError("the table's speaker is not open yet: try again")
        return self._speaker

    def greet(self) -> None:
        """Play the sound ``ready`` to report the start, because most tables have no screen."""
        if self._speaker:
            self._speaker.play("ready")

    def snapshot(self) -> dict[str, Any]:
        """Return the state of the table as a JSON-serializable dictionary, for the control socket and the page."""
        editions = (self._part_of(name, "edition", _edition_of, None) for name in self.running)
        edition = next(filter(None, editions), self.edition)
        snapshot: dict[str, Any] = {
            "edition": edition.name,
            "title": edition.title,
            "titles": edition.titles,
            "t": self.events.now(),
            "counts_from": self._counts_from,
            "units": edition.money.units,
            "rules": edition.rules(),
        }
        for name, accessory in accessories().items():
            absent, get = absent_of(accessory), partial(_checked_snapshot, name)
            snapshot |= self._part_of(name, "snapshot", get, absent) if name in self.running else absent
        snapshot["volume"] = self._speaker.volume if self._speaker else 0
        snapshot["faults"] = dict(self.faults)
        return snapshot

    def readers(self) -> dict[str, object]:
        """Return what each card reader has sent, keyed by the label of its slot, as `Reception.report` has it."""
        titles = {device.label: device.title for device in self.config.devices() if device.config is not None}
        nothing: dict[str, dict[str, object]] = {}
        return {
            label: {"part": titles[label], **report}
            for name in self.running
            for label, report in self._part_of(name, "readers", _reports_of, nothing).items()
            if label in titles
        }

    def _part_of(self, name: str, what: str, get: Callable[[RunningAccessory], T], absent: T) -> T:
        """Return the part *what* of a running accessory, as *get* does, or *absent* if that fails: it is a fault."""
        try:
            return get(self.running[name])
        except NotJsonError as error:
            self._contexts[name].lapses.add(str(error))
        except PLUG_IN_ERRORS as error:
            self._bugs.report(
                log, f"the {what} of {name} failed because of a bug; please report it to its author", error
            )
            self._contexts[name].lapses.add(f"its {what} failed: {failure(error)}")
        return absent

    def _announce_with(self, voice: Voice) -> None:
        """Have *voice* say the accessories' announcements of their events."""
        say = Texts(voice.language)
        announcements: dict[str, tuple[str, Announcement]] = {}
        for name in self.config.sections:
            try:
                of_accessory = self.config.accessory(name).announcements()
                announcements |= {event: (name, words) for event, words in of_accessory.items()}
            except PLUG_IN_ERRORS as error:
                self._contexts[name].lapses.add(f"its announcements failed: {failure(error)}")

        def announce(event: EmittedEvent) -> None:
            if event.name in announcements:
                voice.say(partial(self._announced, event, *announcements[event.name], say))

        self.events.listen(announce)

    def _announced(self, event: EmittedEvent, name: str, words: Announcement, say: Texts) -> str:
        if name not in self.running:
            return ""
        return self._part_of(name, "announcement", lambda _: clean(words(event.fields, self.snapshot(), say)), "")

    def blame(self, place: Place, cause: str) -> None:
        """Report the *cause* as a fault of the accessory that has *place* in its package."""
        for name in accessories_in(place):
            if name in self._contexts:
                self._contexts[name].lapses.add(cause)

    def watch_signals(self) -> SignalWatch:
        """Return a new watch of the signals and events. Raises `RequestError` if there are too many."""
        return SignalWatch(self._signals, self.events, config=described_devices(self.config), snapshot=self.snapshot)

    async def read(self, do: str, /, **args: Any) -> object:
        """Carry out a request that changes nothing, and return a JSON-serializable answer or a `Json`.

        Raises `ReboardError` if the request fails.
        """
        return self.readers() if do == "readers" else await self._carry_out(all_requests()[do].of(args))

    async def request(self, do: str, /, **args: Any) -> object:
        """Carry out a request that changes the table, and return a JSON-serializable answer.

        ``docs/control-socket.md`` describes the requests. The argument ``by`` names the sender. Raises `Rejection` if
        the rules forbid the request or the accessory is not running, and `RequestError` if the table cannot carry it
        out for another reason.
        """
        by = args.pop("by", "control socket")
        args = plain(args, f"the request {do}", most_bytes=MOST_BYTES // 2)  # an event has them, too
        # logged before it is carried out: even if the plug is pulled, the log names the sender
        kind = all_requests()[do]
        secret = args.keys() if kind.is_private else {PHONE, kind.secret}
        shown = [json.dumps(arg, ensure_ascii=False) for name, arg in args.items() if name not in secret]
        words = " ".join([do, *shown])
        log.info("%s, by %s", words, by, extra={"REBOARD_REQUEST": do, "REBOARD_BY": by})
        answer: object = None
        if do == "volume":
            try:
                self.speaker.volume = args["level"]
            except ValueError as problem:
                raise RequestError(str(problem)) from None
        else:
            answer = await self._carry_out(kind.of(args))
        if kind.changes and not args.get(PHONE) and not kind.waits:  # the others have events of their own, if any
            self.events.emit(Requested(do, by, args))
        return answer

    async def _carry_out(self, request: Request) -> object:
        """Have an accessory carry out a *request*. Its bugs are errors for the sender, who is not to blame."""
        do = request.do
        accessory = serving(do)
        name = accessory.name
        if name not in self.running:
            what = accessory.title.lower()
            if name in self.config.sections:
                why = f"the {what} is not running at the moment: `reboard doctor` shows why"
                raise Rejection(TableWhy.NOT_RUNNING, why)
            raise RequestError(f"this table has no {what}")
        try:
            answer = await self.running[name].request(request)
            if isinstance(answer, Json):
                return answer
            return plain(answer, f"the answer of {name} to {do!r}", most_bytes=MOST_ANSWER_BYTES)
        except NotJsonError as error:
            self._contexts[name].lapses.add(str(error))
            raise
        except ReboardError:
            raise
        except PLUG_IN_ERRORS as error:
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise  # the sender is gone
            what = f"the request {do!r} of {name} failed because of a bug"
            self._bugs.report(log, what, error)
            raise RequestError(f"{what}: {failure(error)}") from error

    async def request_of(self, request: Request) -> object:
        """Carry out a *request* of an accessory, whose fields are checked as those from the control socket.

        Raises `ReboardError` if it fails or exceeds `LONGEST_REQUEST_S`.
        """
        check_call(request)
        try:
            async with asyncio.timeout(LONGEST_REQUEST_S):
                return await self._carry_out(request)
        except TimeoutError:
            why = f"no answer to the request {request.do!r} within {LONGEST_REQUEST_S:g} s. It may still be carried out"
            raise ReboardError(why) from None

    def _keep_faults(self, event: EmittedEvent) -> None:
        if event.name not in ("fault", "recovered"):
            return
        part = str(event.fields["part"])
        if event.name == "fault":
            self.faults[part] = str(event.fields["cause"])
            self._started(part)
        else:
            self.faults.pop(part, None)
        self._fault_log.change(part, self.faults.get(part))
        for name, running in self.running.items():
            try:
                running.show_fault(self._first_fault)
            except PLUG_IN_ERRORS as error:  # the others still show it
                what = f"{name} cannot show a fault because of a bug; please report it to its author"
                self._bugs.report(log, what, error)

    @property
    def _first_fault(self) -> str | None:
        """The part with the oldest fault, or the title of the accessory."""
        part = next(iter(self.faults), None)
        accessory = accessories().get(part or "")
        return accessory.title if accessory else part


def _edition_of(running: RunningAccessory) -> Edition | None:
    edition: object = running.edition
    if not isinstance(edition, Edition | None):
        raise TypeError(f"edition must be an Edition or None, but is {edition!r:.200}")
    return edition


def _reports_of(running: RunningAccessory) -> dict[str, dict[str, object]]:
    reports: dict[str, dict[str, object]] = plain(
        {label: {**heard.report()} for label, heard in running.readers.items()}, "its readers"
    )
    return reports


def _checked_snapshot(name: str, running: RunningAccessory) -> Mapping[str, object]:
    snapshot: dict[str, object] = plain({**running.snapshot()}, "its state", most_bytes=MOST_STATE_BYTES)
    for key, owner in snapshot_keys().items():
        if key in snapshot and owner != name:
            raise NotJsonError(f"its state has the key {key!r}, which belongs to {owner}: rename it")
    return snapshot
