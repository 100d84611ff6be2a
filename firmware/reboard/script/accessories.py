"""The accessories for scripts: ``BankerUnit``, ``QuestionBlock`` and ``WormApple``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from reboard.accessories.banker_unit.vocabulary import LAST
from reboard.accessories.worm_apple.apple import USUAL_S
from reboard.board import DEFAULT_VOLUME
from reboard.devices.displays.kinds import hd44780_i2c
from reboard.script.scripted import Fields, ScriptedAccessory, When

SCRIPT = "a script"


class BankerUnit(ScriptedAccessory):
    """A banker unit with RDM6300 readers on the serial ports *left* and *right*.

    *keypad* is ``{"rows": [4 pins], "columns": [4 pins]}``. *display* is the address of the display's backpack on I²C
    bus 1, or the whole setting of a display. *edition* is the name of an edition, or the path of your own. *cards* are
    up to eight tags, for cards 1, 2, … The ledger is stored in the directory *state*. Without *state*, `close` deletes
    the ledger. *volume* is 0 (mute) to 4, by default 3.

    - ``when_card_inserted``, ``when_card_removed``: with ``slot`` (``left``, ``right``) and ``number`` (``None`` for a
      rejected card)
    - ``when_transfer``: with ``from``, ``to`` (0 is the bank), ``amount``, ``reason`` and others
    - ``when_refused``: with ``why``
    - ``when_deal_started``, ``when_deal_ended``
    """

    SECTION = "bank"
    SHOWN = ("edition", "game", "display")

    when_card_inserted = When("card.inserted")
    when_card_removed = When("card.removed")
    when_transfer = When("transfer")
    when_refused = When("refused")
    when_deal_started = When("deal.started")
    when_deal_ended = When("deal.ended")

    def __init__(
        self,
        left: str | None = None,
        right: str | None = None,
        *,
        keypad: Mapping[str, Sequence[int]] | None = None,
        display: int | Mapping[str, object] | None = None,
        edition: str = "world",
        cards: Sequence[str] = (),
        state: str | Path | None = None,
        volume: int = DEFAULT_VOLUME,
    ) -> None:
        bank = {
            "left": _rdm6300(left),
            "right": _rdm6300(right),
            "keypad": keypad,
            "display": _backpack(display) if isinstance(display, int) else display,
            "cards": list(cards),
        }
        temporary = None if state else mkdtemp(prefix="reboard-")
        settings = {"edition": edition, "bank": bank, "speaker": {"volume": volume}}
        directory = str(Path(state or temporary or "").absolute())
        try:
            super().__init__({**settings, "state": {"directory": directory}}, temporary=temporary)
        except BaseException:
            if temporary:
                rmtree(temporary, ignore_errors=True)
            raise

    @property
    def balances(self) -> dict[int, int]:
        """The balance of each card in single units of the currency, keyed by card number."""
        return {card["number"]: card["balance"] for card in self._snapshot()["cards"]}

    def new_game(self) -> None:
        """Start a game without cards: each joins when it is inserted. The ledger keeps the old game."""
        self._call(self._table.request("new_game", by=SCRIPT))

    def undo(self) -> None:
        """Undo the last transfer that can be undone. Raises `Rejection` if there is none or a rule forbids it."""
        self._call(self._table.request("undo", transfer=LAST, by=SCRIPT))

    def _state(self) -> Fields:
        return self._snapshot()


def _backpack(address: int) -> dict[str, object]:
    return {"driver": hd44780_i2c.KIND.name, "address": address}


def _rdm6300(port: str | None) -> dict[str, str] | None:
    return None if port is None else {"reader": "rdm6300", "port": port}


class QuestionBlock(ScriptedAccessory):
    """A question block with a button on the BCM pin *button* and, optionally, a lamp on the BCM pin *lamp*.

    *odds* are weights as in ``table.toml`` (``{"coins": [1, 1, 1], "laugh": 1}``), by default the rule book's. With
    *bag*, no outcome repeats until each has come as often as its weight. With *quiet*, the lamp blinks the outcome and
    no sound plays. *volume* is 0 (mute) to 4, by default 3.

    - ``when_pressed``: the button was pressed
    - ``when_outcome``: with ``outcome``, such as ``laugh``, and ``coins`` (0 to 6)
    """

    SECTION = "block"
    SHOWN = ("last", "quiet")

    when_pressed = When("block.pressed")
    when_outcome = When("block.outcome")

    def __init__(
        self,
        button: int,
        lamp: int | None = None,
        *,
        odds: Mapping[str, object] | None = None,
        bag: bool = False,
        quiet: bool = False,
        volume: int = DEFAULT_VOLUME,
    ) -> None:
        block = {"button": button, "lamp": lamp, "odds": odds, "bag": bag, "quiet": quiet}
        super().__init__({"block": block, "speaker": {"volume": volume}})

    @property
    def last(self) -> Fields | None:
        """The last outcome, or ``None`` before the first outcome."""
        last: Fields | None = self._state().get("last")
        return last

    def wait_for_outcome(self, timeout: float | None = None) -> Fields | None:
        """Wait up to *timeout* seconds for the next outcome. Return the outcome, or ``None`` if the time runs out.

        Without *timeout*, the wait has no limit. Raises `DeviceError` if the question block is closed.
        """
        return self._wait_for("block.outcome", timeout)


class WormApple(ScriptedAccessory):
    """A worm apple with a lever on the BCM pin *lever* and a motor on the BCM pin *motor*.

    A turn takes *seconds* (5 to 120, by default 13). *volume* is 0 (mute) to 4, by default 3.

    - ``when_wound``: the lever is all the way back
    - ``when_started``: the lever was released; with ``seconds``
    - ``when_stopped``: the worms stopped, usually because the time was up or the lever was pulled again
    """

    SECTION = "apple"
    SHOWN = ("running", "wound")

    when_wound = When("apple.wound")
    when_started = When("apple.started")
    when_stopped = When("apple.stopped")

    def __init__(self, lever: int, motor: int, *, seconds: float = USUAL_S, volume: int = DEFAULT_VOLUME) -> None:
        super().__init__({"apple": {"lever": lever, "motor": motor, "seconds": seconds}, "speaker": {"volume": volume}})

    @property
    def is_running(self) -> bool:
        """Whether the worms are moving."""
        return bool(self._state().get("running"))

    @property
    def is_wound(self) -> bool:
        """Whether the lever is held back."""
        return bool(self._state().get("wound"))

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait up to *timeout* seconds for the worms to stop. Return whether they stopped.

        Without *timeout*, the wait has no limit. Raises `DeviceError` if the worm apple is closed.
        """
        return self._wait_for("apple.stopped", timeout) is not None
