"""A table without devices whose players pay all the time, as a process that can be killed at any moment.

``python -m tests.chaos.quiet_table STATE --every 0.2 --seed 1``. Ledger, session, control socket and table are the real
ones. Four players have joined through the control socket's requests, and pay each other and the bank.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random

from reboard.accessories.banker_unit.accounts import BANK
from reboard.control.protocol import SOCKET_NAME
from reboard.errors import Rejection
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable

PLAYERS = (1, 2, 3, 4)
PAYMENTS_OF_A_GAME = 150
CONFIG = """
edition = "classic-de"
[bank]
names = ["Anna", "Ben", "Clara", "Dad"]
"""


class QuietTable:
    """A table with its ledger and its control socket in *state*, for a real event loop."""

    def __init__(self, state: Path, *, seed: int, mqtt: str = "") -> None:
        state.mkdir(parents=True, exist_ok=True)
        loop = asyncio.get_running_loop()
        scene = Scene.of_text(CONFIG + mqtt, state / "table.toml", state)
        self.table = VirtualTable(
            scene, seed=seed, socket=state / SOCKET_NAME, needs_ledger=True, calendar=time.time() - loop.time()
        )
        self._chance = Random(f"{seed} {time.time_ns()}")
        self._count = count()

    async def play(self, every_s: float) -> None:
        """Pay about each *every_s* seconds until cancelled. After some payments, end the game and begin another."""
        await self.table.power_on()
        for number in count(1):
            await asyncio.sleep(self._chance.uniform(0, 2 * every_s))
            await self.pay()
            if number % PAYMENTS_OF_A_GAME == 0:
                await self.request("end_game", game=self.game)
                await self.request("new_game")

    async def pay(self) -> None:
        """Pay an amount between two players, or a player and the bank."""
        payer, payee = self._chance.sample([BANK, BANK, *PLAYERS], 2)
        if payer == payee:
            payee = self._chance.choice(PLAYERS)
        for card in {payer, payee} - {BANK}:
            await self.join(card)
        with suppress(Rejection):  # not enough money
            await self.transfer(payer, payee, self._chance.randint(1, 50))

    async def join(self, card: int) -> None:
        """Add *card* to the game if it is not there yet."""
        await self._book({"from": BANK, "to": card})

    async def transfer(self, payer: int, payee: int, amount: int) -> None:
        """Book a transfer. Raises `Rejection`."""
        await self._book({"from": payer, "to": payee, "amount": str(amount)})

    async def _book(self, arguments: dict[str, object]) -> None:
        payment = f"payment {time.time_ns()} {next(self._count)}"
        asked = await self.request("ask_payment", payment=payment, game=self.game, **arguments)
        if asked["state"] == "asked":
            await self.request("confirm_payment", payment=payment)

    @property
    def game(self) -> int:
        """The number of the current game."""
        return int(self.table.snapshot()["game"])

    async def request(self, do: str, /, **args: object) -> dict[str, object]:
        """Send a request to the table."""
        assert self.table.table
        answer = await self.table.table.request(do, **args)
        return answer if isinstance(answer, dict) else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("state", type=Path)
    parser.add_argument("--every", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    async def play() -> None:
        await QuietTable(options.state, seed=options.seed).play(options.every)

    asyncio.run(play())


if __name__ == "__main__":
    main()
