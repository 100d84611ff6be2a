"""The card slots: which reader is in which, and names for them that last."""

from __future__ import annotations

import asyncio
from contextlib import closing, suppress

from reboard.build import SlotName
from reboard.errors import PartError
from reboard.parts.slots.bumps import SETTLE_S, Bumps
from reboard.setup.pins import ask_input
from reboard.setup.reader_hunt import Heard, Hunt
from reboard.setup.udev import lasting_name
from reboard.setup.visit import Visit

TYPING_S = 30.0
"""How long keyboards are listened to: it may be the one that the answers are typed on."""

BUMPS = "bumps"
COIL, SWITCHES = "reader", "switches"
KINDS = {
    COIL: "with a coil or antenna, or a USB reader that types",
    SWITCHES: "three, for the original game's own cards",
}
WEIGHTS = ("1", "2", "4")

PRINTED_CARDS = 6
"""The original game has cards 1 to 6."""

BUMPS_TAGS = [f"bumps-{code}" for code in range(1, 8)]

READ_S = SETTLE_S + 0.15
"""Long enough for the slot to read a card that was pushed in just before."""


async def set_up_bank(visit: Visit) -> None:
    """Is there a banker unit at all?"""
    visit.talk.show("\nThe banker unit")
    is_there = await visit.has("bank", "Is there a banker unit, with card readers, keypad or display?")
    if is_there and visit.draft.get("bank") is None:
        visit.draft.put("bank", {})


async def set_up_left(visit: Visit) -> None:
    """Which reader is in the slot that receives?"""
    await _set_up_slot(visit, "left")


async def set_up_right(visit: Visit) -> None:
    """Which reader is in the slot that pays?"""
    await _set_up_slot(visit, "right")


async def _set_up_slot(visit: Visit, side: SlotName) -> None:
    talk, draft, name = visit.talk, visit.draft, f"bank.{side}"
    if draft.get("bank") is None:
        return
    role = "receives (+)" if side == "left" else "pays (-)"
    if not await visit.has(name, f"Is there a {side} slot, which {role}?"):
        return
    present = SWITCHES if draft.get(f"{name}.reader") == BUMPS else COIL
    if await talk.choose("What is in it?", KINDS, present) == SWITCHES:
        await _set_up_switches(visit, side)
        return
    while (heard := await _hunt(visit, side)) is None:
        if not await talk.yes("Once more?"):
            return
    talk.say(f"The card {heard.tag} was read by a reader of the kind {heard.reader}, on {heard.place}.")
    draft.rules.pop(side, None)
    draft.found[side] = heard.place
    place = await lasting_name(visit, side, heard)
    draft.put(name, {"reader": heard.reader, "device" if heard.reader == "keyboard" else "port": place})


async def _set_up_switches(visit: Visit, side: SlotName) -> None:
    name = f"bank.{side}"
    before = visit.draft.get(f"{name}.pins") or [None] * len(WEIGHTS)
    visit.draft.put(name, {"reader": BUMPS, "pins": []})
    for weight, usual in zip(WEIGHTS, before, strict=True):
        # only this slot's pins that were asked for count as taken
        pin = await ask_input(visit, f"{name}.{weight}", f"the switch that counts {weight}", "Press it", usual)
        visit.draft.get(f"{name}.pins").append(pin)


async def set_up_cards(visit: Visit) -> None:
    """Read the original cards one by one, so that each keeps the number that is printed on it."""
    talk, draft = visit.talk, visit.draft
    sides: tuple[SlotName, ...] = ("left", "right")
    side = next((side for side in sides if draft.get(f"bank.{side}.reader") == BUMPS), None)
    if side is None:
        return
    talk.say("The original cards keep the numbers that are printed on them when each is read once, in their order.")
    try:
        with closing(Bumps(draft.get(f"bank.{side}.pins"), pins=visit.board.pins, name=side)) as slot:
            slot.start(lambda _: None, lambda _: None)
            cards = await _printed_cards(visit, side, slot)
    except PartError as problem:
        talk.say(f"{problem}")
        return
    if cards:
        draft.put("bank.cards", cards)


async def _printed_cards(visit: Visit, side: SlotName, slot: Bumps) -> list[str]:
    """Return the codes of cards 1, 2, …; the place of a missing card gets a code that no other card has."""
    talk = visit.talk
    read: dict[int, str] = {}
    number = 1
    while number <= PRINTED_CARDS:
        answer = await talk.ask(
            f"Push card {number} into the {side} slot as far as it goes, then press Enter (n: it is missing)."
        )
        if answer.lower() in ("n", "no"):
            number += 1
            continue
        await asyncio.sleep(READ_S)
        if slot.tag is None:
            talk.say("No switch is closed: is the card all the way in, with its bumps towards the switches?")
        elif earlier := next((card for card, tag in read.items() if tag == slot.tag), None):
            talk.say(
                f"That is the code of card {earlier}, {slot.tag}. Is one of the two the wrong way round, or does a "
                "switch not close?"
            )
        else:
            read[number] = slot.tag
            talk.say(f"Card {number} is {slot.tag}.")
            number += 1
    unread = (tag for tag in BUMPS_TAGS if tag not in read.values())
    return [read.get(card) or next(unread) for card in range(1, max(read, default=0) + 1)]


async def _hunt(visit: Visit, side: SlotName) -> Heard | None:
    talk = visit.talk
    typing = await _typing(visit, side)
    ports = [] if typing else _ports(visit, side)
    if not ports and not typing:
        talk.say(
            "There is no serial line to listen to: plug the reader in, or switch the header's serial port on "
            "(`sudo raspi-config nonint do_serial_hw 0` and `do_serial_cons 1`, then `sudo reboot`)."
        )
        return None
    with closing(Hunt(visit.board)) as hunt:
        talk.say("Looking for readers.")
        await hunt.begin(ports, typing)
        hold = (
            f"Hold a card to the {side} slot now. If nothing happens, lift it and hold it there again; Enter ends it."
        )
        heard = None
        with suppress(TimeoutError):
            async with asyncio.timeout(TYPING_S if typing else None):
                heard = await talk.until(hold, hunt.first())
        if heard is None:
            talk.say("No card was read.")
            for cause in hunt.silent.values():
                talk.say(f"{cause}.")
        return heard


def _ports(visit: Visit, side: SlotName) -> list[str]:
    """All serial lines, and those that the config names, of which nobody else may know."""
    named = (visit.draft.get(f"bank.{slot}.port") for slot in ("left", "right"))
    known = dict.fromkeys(visit.machine.serial_ports())
    known |= {visit.machine.real(port): None for port in named if port and visit.machine.has(port)}
    return [port for port in known if port != _others_place(visit, side)]


async def _typing(visit: Visit, side: SlotName) -> list[str]:
    """The input devices to listen to, when somebody says that the reader types."""
    devices = visit.machine.named("/dev/input/by-path/*-event-kbd")
    if not devices:
        return []
    question = (
        "Is it a USB reader that types like a keyboard? (A keyboard at this machine is silent for half a minute.)"
    )
    if not await visit.talk.yes(question, visit.draft.get(f"bank.{side}.reader") == "keyboard"):
        return []
    return [device for device in devices if visit.machine.real(device) != _others_place(visit, side)]


def _others_place(visit: Visit, side: SlotName) -> str | None:
    """The device file of the other slot's reader."""
    other = "right" if side == "left" else "left"
    slot = visit.draft.get(f"bank.{other}") or {}
    place = visit.draft.found.get(other) or slot.get("port") or slot.get("device")
    return visit.machine.real(place) if place else None
