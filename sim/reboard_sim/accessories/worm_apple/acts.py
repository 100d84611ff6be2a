"""The acts, checks and faults of the worm apple in plays."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from reboard_sim.accessories.accessory import SimulatedAccessory, is_running
from reboard_sim.forms import Form, SimulatedFault, User

LEVER = "apple.lever"
PULL_S = 0.15


async def pull(user: User) -> None:
    """Pull the lever all the way back and hold it."""
    user.hold(LEVER, line="pull lever", release="release lever")
    await user.let_pass(PULL_S)


async def release(user: User) -> None:
    """Release the lever. It springs back at once, so the act takes no time."""
    user.release(LEVER, line="release lever")


WORM_APPLE = SimulatedAccessory(
    static=Path(__file__).parent / "static",
    page_order=30,
    forms=(
        Form("pull_lever", "pull lever", "pull the apple's lever all the way back and hold it", pull),
        Form("release_lever", "release lever", "release the lever", release),
    ),
    faults=(
        SimulatedFault(
            "chatter lever", "The lever's contact opens at random while the lever is held.", LEVER, "chatter"
        ),
        SimulatedFault("stuck lever", "The lever's contact does not move.", LEVER, "stuck"),
    ),
    things={
        "motor": lambda table: bool(table.pi["apple.motor"].is_on),
        "apple": partial(is_running, accessory="apple"),
    },
)
