"""The base class of the accessories for scripts. It runs a table with one accessory."""

from __future__ import annotations

import asyncio
import atexit
import inspect
import os
import threading
from collections.abc import Iterator, Mapping, Sequence, Sized
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from inspect import Signature
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, ClassVar, Self

from reboard.accessories.accessory import Accessory
from reboard.aiotools import LoopThread, first_of
from reboard.board import DEFAULT_VOLUME
from reboard.config.kinds import ByKind
from reboard.config.reading import Reader, did_you_mean
from reboard.errors import DeviceError, RequestError
from reboard.events import EmittedEvent
from reboard.record import wire_name
from reboard.script.callbacks import Callbacks, Fields, exit_on_signals
from reboard.script.shared_board import SharedThread
from reboard.table import Table
from reboard.table_config import TableConfig, parse_config
from reboard.vocabulary.checks import problem_with
from reboard.vocabulary.declared import Request

HERE = Path("script")
"""A placeholder for the config file. Paths in settings are relative to the folder where the script was started."""

COMMON: Mapping[str, object] = {"edition": TableConfig.edition, "state": None, "volume": DEFAULT_VOLUME}
"""The arguments of every accessory, with their defaults."""

SENDER = "a script"
"""The sender of the requests of a script."""


class FixedAttributes(type):
    """The metaclass of objects that take no new attributes after ``__init__``, as gpiozero's devices."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        made._attributes = frozenset(dir(made))
        return made


class ScriptedAccessory(metaclass=FixedAttributes):
    """The base class of the accessories for scripts. Each accessory runs until `close` or the end of a ``with`` block.

    A separate thread runs the callbacks one after the other. A slow callback delays neither the game nor a motor.
    ``sys.exit()`` in a callback ends the script. An unknown attribute, such as a misspelt callback, raises
    ``AttributeError``.

    When a script exits, even because of an exception, SIGTERM or SIGHUP, it closes its accessories. If the script is
    killed while a motor is on, the motor guard switches the motor off.

    Raises `ConfigError` for invalid arguments, and `DeviceError` if a pin cannot be used or is in use.
    """

    _accessory: ClassVar[Accessory[Any]]
    _readers: ClassVar[Mapping[str, Reader[Any]]]
    """The readers of the arguments that are settings of the accessory."""

    __signature__: ClassVar[Signature]
    _attributes: frozenset[str] | None = None

    def __init__(self, *args: Any, **settings: Any) -> None:
        given = bound(self.__signature__, type(self).__name__, args, settings)
        section = {name: in_toml(given.pop(name, None), reader) for name, reader in self._readers.items()}
        common = {**COMMON, **given}
        with ExitStack() as opened:
            directory = common["state"] or mkdtemp(prefix="reboard-")
            if not common["state"]:
                opened.callback(rmtree, directory, ignore_errors=True)
            document = {
                self._accessory.name: section,
                "edition": common["edition"],
                "speaker": {"volume": common["volume"]},
                "state": {"directory": directory},
            }
            config = parse_config(in_toml(document), path=HERE, where=type(self).__name__)
            self._closed = False
            self._process = os.getpid()
            # one thread at a time, so that none calls a loop that has ended; reentrant, because a signal may close
            self._in_turn = threading.RLock()
            self._shared = SharedThread.acquire()
            opened.callback(self._shared.release)
            self.callbacks = Callbacks()
            opened.callback(self.callbacks.close)
            self._table = self._shared.thread.call(self._start(config))
            opened.callback(lambda: self._shared.thread.call(self._stop()))
            self._opened = opened.pop_all()
        # without it, a motor would keep running after the script: the kernel keeps the level of a pin
        atexit.register(self.close)
        exit_on_signals()

    if TYPE_CHECKING:  # the attributes come from the vocabulary of the accessory

        def __getattr__(self, name: str) -> Any: ...

    @property
    def closed(self) -> bool:
        """Whether the accessory is closed. In a child process, it always is."""
        return self._closed or self._process != os.getpid()

    @property
    def faults(self) -> dict[str, str]:
        """The cause of each fault, keyed by ``part``: a device, an accessory or a component such as ``ledger``."""
        faults: dict[str, str] = self._snapshot()["faults"]
        return faults

    @property
    def state(self) -> Fields:
        """The accessory's part of the snapshot on the control socket. It is empty if the accessory failed."""
        snapshot, declared = self._snapshot(), self._accessory.vocabulary.snapshot
        names = inspect.get_annotations(declared) if declared else [self._accessory.name]
        own = {name: snapshot[name] for name in names if name in snapshot}
        return (own[self._accessory.name] or {}) if [*own] == [self._accessory.name] else own

    def close(self) -> None:
        """Stop the accessory, and switch off any lamp or motor. Can be called more than once and from any thread."""
        if self.closed:
            return
        with self._in_turn:
            if not self._closed:
                self._closed = True
                atexit.unregister(self.close)
                self._opened.close()

    def __setattr__(self, name: str, value: object) -> None:
        """Set the attribute *name*. Raises ``AttributeError`` if there is none after ``__init__``."""
        if self._attributes is not None and name not in self._attributes:
            callbacks = ", ".join(each for each in sorted(self._attributes) if each.startswith("when_"))
            hint = did_you_mean(name, self._attributes)
            hint = f": its callbacks are {callbacks}" if name.startswith("when_") else hint
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")
        super().__setattr__(name, value)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = {} if self.closed else self.state
        shown = ", ".join(f"{name}={each!r}" for name, each in state.items() if not isinstance(each, Sized))
        return f"<reboard.{type(self).__name__} object {'closed' if self.closed else shown}>"

    @contextmanager
    def _open(self) -> Iterator[LoopThread]:
        """Keep the accessory open during the ``with``, and yield its thread. Raises `DeviceError` if it is closed."""
        if self._process != os.getpid():
            raise DeviceError(f"this {type(self).__name__} belongs to the process that created it: use it there")
        with self._in_turn:
            if self._closed:
                raise self._closed_error()
            yield self._shared.thread

    def _closed_error(self) -> DeviceError:
        return DeviceError(f"this {type(self).__name__} is closed: create a new one")

    def _snapshot(self) -> dict[str, Any]:
        async def look() -> dict[str, Any]:
            return self._table.snapshot()

        with self._open() as thread:
            return thread.call(look())

    def _send(self, request: type[Request], args: Mapping[str, Any]) -> object:
        in_json = {wire_name(name): value for name, value in args.items()}
        if problem := problem_with(request, in_json):
            raise RequestError(problem)
        with self._open() as thread:
            return thread.call(self._table.request(request.do, by=SENDER, **in_json))

    def _wait_for(self, event: str, timeout: float | None) -> Fields | None:
        with self._open() as thread:
            waiting = asyncio.run_coroutine_threadsafe(self._next(event), thread.loop)
        try:
            return waiting.result(timeout)
        except TimeoutError:
            waiting.cancel()
            return None
        except CancelledError:
            raise self._closed_error() from None

    async def _next(self, name: str) -> Fields:
        """Wait for the next event *name*. When the table stops, cancel the wait."""
        happened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def hear(event: EmittedEvent) -> None:
            if event.name == name and not happened.done():
                happened.set_result(event.as_json())

        stop = self._table.events.listen(hear)
        try:
            await asyncio.wait({happened, self._playing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop()
        happened.cancel()  # unless it has happened
        fields: Fields = await happened
        return fields

    async def _start(self, config: TableConfig) -> Table:
        table = Table(config, self._shared.board)
        table.events.listen(self.callbacks.hear)
        self._playing = asyncio.create_task(table.run())
        try:
            if await first_of(table.ready.wait(), asyncio.wait({self._playing})):
                self._playing.result()
            if cause := table.faults.get(self._accessory.name):
                raise DeviceError(cause)
        except BaseException:
            await self._stop()
            raise
        return table

    async def _stop(self) -> None:
        self._playing.cancel()
        await asyncio.gather(self._playing, return_exceptions=True)


def bound(signature: Signature, name: str, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call of *name*, keyed by name. Raises ``TypeError`` for wrong ones."""
    try:
        return dict(signature.bind(*args, **named).arguments)
    except TypeError as error:
        known = signature.parameters
        hints = (did_you_mean(each, known) for each in named if each not in known)
        hint = next(hints, "") or f": write {name}{signature}"
        raise TypeError(f"{name}: {error}{hint}") from None


def in_toml(value: Any, reader: object = None) -> Any:
    """Return *value* as ``tomllib`` returns it, without what is ``None``, and as a table if it is short for one."""
    if isinstance(reader, ByKind) and reader.short and isinstance(value, str | int):
        return {reader.key: next(iter(reader.kinds)), reader.short: value}
    if isinstance(value, Mapping):
        return {str(key): in_toml(each) for key, each in value.items() if each is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [in_toml(each) for each in value]
    return str(value) if isinstance(value, Path) else value
