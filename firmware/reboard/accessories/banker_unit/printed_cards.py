"""The step of setup that reads the original game's cards, so that each keeps its printed number."""

from __future__ import annotations

import asyncio
from contextlib import closing

from reboard.devices.device import TryOut
from reboard.devices.readers.bumps import SETTLE_S, Bumps
from reboard.devices.readers.card_slot import SlotName
from reboard.errors import DeviceError

PRINTED_CARDS = 6
"""The original game has cards 1 to 6."""

TAGS = [f"bumps-{code}" for code in range(1, 8)]

READ_S = SETTLE_S + 0.15
"""The time in which the slot reads a card that was just pushed in."""

SIDES: tuple[SlotName, ...] = ("left", "right")


async def ask_for_printed_cards(work: TryOut) -> None:
    """Read the cards one by one, if a slot has switches for them."""
    side = next((side for side in SIDES if work.setting(f"bank.{side}.reader") == "bumps"), None)
    if side is None:
        return
    work.prompts.say("Read each original card once, in order, so that it keeps the number that is printed on it.")
    try:
        with closing(Bumps(work.setting(f"bank.{side}.pins"), pins=work.board.pins, name=side)) as slot:
            slot.start(lambda _: None, lambda _: None)
            cards = await _read_cards(work, side, slot)
    except DeviceError as problem:
        work.prompts.say(f"{problem}")
        return
    if cards:
        work.put("bank.cards", cards)


async def _read_cards(work: TryOut, side: SlotName, slot: Bumps) -> list[str]:
    """Return the tags of cards 1, 2, …; a missing card gets a tag that no other card has."""
    prompts = work.prompts
    read: dict[int, str] = {}
    number = 1
    while number <= PRINTED_CARDS:
        answer = await prompts.ask(
            f"Push card {number} into the {side} slot as far as it goes, then press Enter (n: it is missing)."
        )
        if answer.lower() in ("n", "no"):
            number += 1
            continue
        await asyncio.sleep(READ_S)
        if slot.tag is None:
            prompts.say("No switch is closed: is the card all the way in, with its bumps towards the switches?")
        elif earlier := next((card for card, tag in read.items() if tag == slot.tag), None):
            prompts.say(
                f"That is the code of card {earlier}, {slot.tag}. Is one of the two the wrong way round, or does a "
                "switch not close?"
            )
        else:
            read[number] = slot.tag
            prompts.say(f"Card {number} is {slot.tag}.")
            number += 1
    unread = (tag for tag in TAGS if tag not in read.values())
    return [read.get(card) or next(unread) for card in range(1, max(read, default=0) + 1)]
