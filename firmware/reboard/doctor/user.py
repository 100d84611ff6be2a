"""The user who plays: may they use what is wired to the Pi?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from reboard.config import BumpsConfig, KeyboardConfig
from reboard.doctor.case import Case
from reboard.doctor.pins import wires_of
from reboard.finding import Finding, fine, note, wrong


async def look_at_user(case: Case) -> AsyncIterator[Finding]:
    """Is the user who plays in the groups that own what the config names?"""
    player = case.player
    if player == "root":
        yield note(
            "user.root",
            "The table is played by root, who may do anything.",
            "`sudo make install`, in reboard's folder, gives it a user of its own.",
        )
        return
    known = await case.machine.said("id", "-nG", player)
    is_me = player == case.machine.user
    if known is None:
        if is_me:  # there is no `id` on this machine
            return
        yield wrong("user.groups", f"There is no user {player}, who should play.", "`sudo make install` makes it.")
        return
    here = (await case.machine.said("id", "-nG") or "").split() if is_me else known.split()
    missing = {group: what for group, what in _needed(case) if group not in known.split()}
    for group, what in missing.items():
        again = "`sudo systemctl restart reboard`" if case.service else "log out and in again"
        yield wrong(
            "user.groups",
            f"{player}, who plays, is not in the group {group}, to which {what} belong.",
            f"`sudo usermod -aG {group} {player}`, then {again}.",
        )
    stale = [group for group, _ in _needed(case) if group in known.split() and group not in here]
    for group in stale:
        yield wrong(
            "user.session",
            f"{player} is in the group {group}, but was not yet when this session began.",
            "Log out and in again.",
        )
    if not missing and not stale:
        yield fine("user.groups", f"{player}, who plays, may use all that the config names.")


def _needed(case: Case) -> Iterator[tuple[str, str]]:
    """The groups that own what is used, and what that is."""
    if not case.config:
        return
    bank = case.config.bank
    slots = [slot for slot in (bank.left, bank.right) if slot] if bank else []
    if case.is_pi and wires_of(case.config):
        yield "gpio", "the header's pins"
    if any(not isinstance(slot, BumpsConfig | KeyboardConfig) for slot in slots):
        yield "dialout", "the serial lines"
    if any(isinstance(slot, KeyboardConfig) for slot in slots):
        yield "input", "the readers that type"
    if bank and bank.display:
        yield "i2c", "the display's wires"
    if case.config.speaker and not case.config.speaker.is_silent:
        yield "audio", "the sound cards"
