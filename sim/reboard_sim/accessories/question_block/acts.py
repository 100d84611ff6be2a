"""The acts, checks and faults of the question block in plays."""

from __future__ import annotations

from pathlib import Path

from reboard_sim.accessories.accessory import SimulatedAccessory
from reboard_sim.forms import Form, SimulatedFault, User

BUTTON = "block.button"
PRESS_S = 0.1


async def press(user: User, seconds: float = PRESS_S) -> None:
    """Press the block, and release it after *seconds*."""
    await hold(user)
    await user.let_pass(seconds)
    await release(user)


async def hold(user: User) -> None:
    """Press the block and hold it."""
    user.hold(BUTTON, line="hold block", release="release block")


async def release(user: User) -> None:
    """Release the block."""
    user.release(BUTTON, line="release block")


QUESTION_BLOCK = SimulatedAccessory(
    static=Path(__file__).parent / "static",
    page_order=10,
    forms=(
        Form("press_block", "press block [SECONDS]", "press the question block for 0.1 s, or for this time", press),
        Form("hold_block", "hold block", "press the question block and hold it", hold),
        Form("release_block", "release block", "release the question block", release),
    ),
    faults=(
        SimulatedFault(
            "chatter block", "The block's button loses contact at random while it is held.", BUTTON, "chatter"
        ),
        SimulatedFault("stuck block", "The block's button does not move.", BUTTON, "stuck"),
    ),
    things={"lamp": lambda table: bool(table.pi["block.lamp"].is_on)},
)
