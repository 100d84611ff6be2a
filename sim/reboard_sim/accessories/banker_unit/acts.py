"""The acts, checks and faults of the banker unit in plays."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from reboard.accessories.banker_unit.accessory import BankConfig
from reboard.accessories.banker_unit.csv_export import transfers, write_csv
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.errors import Rejection, RequestError
from reboard_sim.accessories.accessory import SimulatedAccessory, Write, is_running
from reboard_sim.devices.card_slot import CARD_S, FAULTS, TAKE_S
from reboard_sim.devices.keypad import TAP_S
from reboard_sim.devices.readers.virtual_reader import DECK, NoSuchCardError, VirtualReader, card_name, virtual_reader
from reboard_sim.forms import Form, SimulatedFault, User
from reboard_sim.seen_table import PlayedTable, SeenTable

KEYPAD = "bank.keypad"
DISPLAY = "bank.display"
SLOTS = ("left", "right")

UNIT_STATE = ("asleep", "deal", "dialog", "ended", "payments", "refused", "slots", "typed", "units")
"""The keys of the snapshot from which the page derives the next step."""


async def insert(user: User, slot: str, card: str) -> None:
    """Insert *card* into *slot*. First remove the card that is in the slot, if there is one.

    Raises `RequestError` on the bench if *card* is in the other slot. A play can have copies of a card.
    """
    reader: VirtualReader = user.pi[f"bank.{slot}"]
    reader.says(card)
    _refuse_second(user, slot, card)
    if reader.card is not None:
        await remove(user, slot)
        _refuse_second(user, slot, card)  # another user may have inserted it meanwhile
    reader.put(card)
    user.did(f"insert {slot} {card_name(card)}")
    await user.let_pass(CARD_S)


def _refuse_second(user: User, slot: str, card: str) -> None:
    """Raise `RequestError` if *card* is in the other slot and this table has no copies of cards."""
    [other] = (side for side in SLOTS if side != slot)
    reader = user.pi.devices.get(f"bank.{other}")
    if not user.has_copies and isinstance(reader, VirtualReader) and reader.card == card:
        raise RequestError(f"Card {card_name(card)} is in the {other} slot: take it out first.")


async def remove(user: User, slot: str) -> None:
    """Remove the card from *slot*."""
    user.pi[f"bank.{slot}"].take()
    user.did(f"remove {slot}")
    await user.let_pass(TAKE_S)


async def type_amount(user: User, amount: str) -> None:
    """Tap the key for each character of *amount*."""
    for each in amount:
        await key(user, each)


async def key(user: User, key: str) -> None:
    """Tap *key*: press and release it."""
    await hold_key(user, key, TAP_S)
    await user.let_pass(TAP_S)


async def hold_key(user: User, key: str, seconds: float | None = None) -> None:
    """Press *key* and hold it. Release it after *seconds*, if given."""
    user.hold(KEYPAD, key, line=f"hold {key}", release=f"release {key}")
    if seconds is not None:
        await user.let_pass(seconds)
        await release_key(user, key)


async def release_key(user: User, key: str) -> None:
    """Release *key*."""
    user.release(KEYPAD, key, line=f"release {key}")


async def ask(user: User, payer: str, payee: str, amount: str, text: str | None = None) -> None:
    """Ask on a phone for the payment of *amount*. Lines with the same *text* are the same request.

    A rejection is not an error of the play, because only the phone shows it.
    """
    name = f" as {shlex.quote(text)}" if text else ""
    await _ask(user, f"ask {payer} pays {payee} {amount}{name}", text, payer, payee, amount=amount)


async def ask_to_join(user: User, payee: str) -> None:
    """Ask on a phone to add card *payee* to the game."""
    await _ask(user, f"ask {payee} joins", None, "bank", payee)


async def _ask(user: User, line: str, name: str | None, payer: str, payee: str, **amount: str) -> None:
    table = user.snapshot()
    # no other payment in this ledger had this id
    payment = f"play {name}" if name else f"play {table['t']:.3f} {[row['id'] for row in table['transfers'][:1]]}"
    accounts = {"from": int(payer.replace("bank", "0")), "to": int(payee.replace("bank", "0"))}
    with suppress(Rejection):
        await user.request("ask_payment", payment=payment, game=table["game"], **accounts, **amount)
    user.did(line)


async def answer(user: User, answer: str) -> None:
    """Confirm or reject the oldest waiting payment, as the host of the table page."""
    waiting = user.snapshot()["payments"]
    if not waiting:
        raise RequestError("no payment is waiting for an answer: first ask for one, such as `ask 1 pays bank 2M`")
    await user.request(f"{answer[:-1]}_payment", payment=waiting[0]["payment"])
    user.did(f"host {answer}")


def expect_display(table: PlayedTable, text: str) -> tuple[bool, str]:
    """Check that a line of the display is *text*. Return the result and the lines that were found."""
    lines = _display(table)
    return text.strip() in lines, " and ".join(f'"{line}"' for line in lines)


def expect_balance(table: PlayedTable, card: str, amount: str) -> tuple[bool, str]:
    """Check that the balance of *card* is shown as *amount*. Return the result and the balance that was found."""
    shown = table.shown_balance(card)
    return shown == amount, shown or "a card without an account"


def checks_now(table: PlayedTable) -> Iterator[str]:
    """Yield play lines that check the current display and balances."""
    if DISPLAY in table.pi.devices:
        yield from (
            f"expect display {shlex.quote(text)}" for text in dict.fromkeys(filter(None, _display(table))) or [""]
        )
    for card in table.cards_in_game:
        yield f"expect balance {card_name(card)} {table.shown_balance(card)}"


def prepare(bank: BankConfig, given: Mapping[str, Any]) -> BankConfig:
    """Return *bank* with the tags of the deck as its cards.

    The tags are as the left reader reads them, or the right reader if there is no left one. Return *bank* unchanged if
    it has no virtual reader, or if *given*, its TOML table, has ``cards``.
    """
    slot = bank.left or bank.right
    reader = virtual_reader(slot.reader) if slot else None
    if reader is None or "cards" in given:
        return bank
    tags = []
    with suppress(NoSuchCardError):
        for card in DECK:
            tags.append(reader.says(card))  # noqa: PERF401 - the cards before the error count
    return replace(bank, cards=tuple(tags))


def hardware(table: SeenTable) -> Mapping[str, object]:
    """Return ``slots`` and ``unit``: the inserted cards, and the state of the unit from which the next step follows.

    An inserted card is the number of a known card, the digits of an unknown card, or ``None``. The state is empty
    without power.
    """
    snapshot = table.snapshot() if table.is_on else {}
    return {
        "slots": {slot: _card(table, slot) for slot in SLOTS},
        "unit": {key: snapshot[key] for key in UNIT_STATE if key in snapshot},
    }


def copied(snapshot: Mapping[str, Any]) -> Mapping[str, object]:
    """Return ``slots``: the number of the card in each slot of a real table, or ``None``."""
    return {"slots": dict.fromkeys(SLOTS) | (snapshot.get("slots") or {})}


def _display(table: PlayedTable) -> list[str]:
    return [line.strip() for line in table.pi[DISPLAY].lines()]


def _card(table: SeenTable, slot: str) -> int | str | None:
    reader = table.pi.devices.get(f"bank.{slot}")
    if not isinstance(reader, VirtualReader) or reader.card is None:
        return None
    tag, known = reader.says(reader.card), table.config.section("bank").cards
    return known.index(tag) + 1 if tag in known else reader.card


def _account(word: str) -> str:
    if not re.fullmatch(r"[1-8]|bank", word):
        raise ValueError(f"{word[:80]!r} is not an account: use a card, 1 to 8, or `bank`")
    return word


def _amount(word: str) -> str:
    if not re.fullmatch(r"[0-9.KM]+", word):
        raise ValueError(f"{word[:80]!r} is not an amount: use only digits, '.', K and M")
    return word


def _slot_faults(slot: str) -> Iterator[SimulatedFault]:
    for name, meaning in FAULTS.items():
        yield SimulatedFault(f"{name} {slot}", meaning.replace("Its", f"The {slot} slot's", 1), f"bank.{slot}", name)


def lacks(snapshot: Mapping[str, Any], faults: Mapping[str, str]) -> str:
    """Return why the table has no ledger, or ``""``."""
    cause = faults.get("ledger") if snapshot.get("game") is None else None
    return f"this table has no ledger: {cause}. Name another directory with --state" if cause else ""


def ledger_csv(table: SeenTable, _: float) -> Write:
    """Return a function that writes all transfers of the ledger."""
    path = table.config.state.directory / LEDGER_FILE

    def write(file: BinaryIO) -> None:
        with closing(LedgerFile(path, read_only=True)) as ledger:
            rows = transfers(ledger, ledger.games())
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        write_csv(rows, text)
        text.detach()

    return write


BANKER_UNIT = SimulatedAccessory(
    static=Path(__file__).parent / "static",
    page_order=20,
    forms=(
        Form(
            "insert",
            "insert left|right CARD",
            "insert a card: 1 to 8 of the deck, or `tag 62E3086CED` for another one (after `config bank.cards []`)",
            insert,
        ),
        Form("remove", "remove left|right", "remove the card from a slot", remove),
        Form("type_amount", "type AMOUNT", "type an amount key by key: digits, `.`, `K`, `M`", type_amount),
        Form("key", "key KEY", "tap a key of the keypad: `0` to `9`, `.`, `K`, `M`, `C`, `GO` or `DEAL`", key),
        Form("hold_key", "hold KEY [SECONDS]", "hold a key for this time, or until it is released", hold_key),
        Form("release_key", "release KEY", "release a held key", release_key),
        Form(
            "ask",
            "ask PAYER pays PAYEE AMOUNT [as TEXT]",
            "ask on a phone for a payment between cards and the `bank`; lines with the same text are one request",
            ask,
        ),
        Form("ask_to_join", "ask PAYEE joins", "ask on a phone to add a card to the game", ask_to_join),
        Form("answer", "host confirms|rejects", "answer the oldest waiting payment as the host", answer),
        Form(
            "expect_display",
            "expect [not] display TEXT",
            "a line of the display is this text, ignoring spaces around it",
            check=expect_display,
        ),
        Form(
            "expect_balance",
            "expect [not] balance CARD AMOUNT",
            "a card has this balance, in the edition's format",
            check=expect_balance,
        ),
    ),
    faults=(
        *_slot_faults("left"),
        *_slot_faults("right"),
        SimulatedFault("display", "The display's plug is loose: the display does not answer.", DISPLAY, "unplugged"),
        SimulatedFault("disk full", "The disk is full.", "disk", "full"),
        SimulatedFault("disk read-only", "The disk is read-only.", "disk", "read-only"),
        SimulatedFault(
            "disk failing", "The disk reports every save as failed, but half of them succeed.", "disk", "failing"
        ),
        SimulatedFault("disk slow", "The disk takes 5 s for each save.", "disk", "slow"),
        SimulatedFault("disk damaged", "Each power cut leaves random bytes in the ledger's file.", "disk", "damaged"),
        SimulatedFault("clock", "The calendar is set back by a year.", "calendar", "back"),
        SimulatedFault("clock ahead", "The calendar is a year ahead.", "calendar", "ahead"),
    ),
    things={"deal": partial(is_running, accessory="deal")},
    values={"AMOUNT": _amount, "PAYER": _account, "PAYEE": _account},
    choices={"left|right": "slot", "confirms|rejects": "answer"},
    checks_now=checks_now,
    prepare=prepare,
    hardware=hardware,
    copied=copied,
    exports={"ledger.csv": ("text/csv; charset=utf-8", ledger_csv)},
    database=LEDGER_FILE,
    lacks=lacks,
)
