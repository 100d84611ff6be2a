"""What can be asked of the banker unit through the table's door."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from reboard.banker.desk import Desk
from reboard.banker.hands import Answer, Hands
from reboard.banker.keys import Keys
from reboard.banker.texts import Text
from reboard.edition import Edition
from reboard.errors import ReboardError, RequestError
from reboard.events import Emit
from reboard.player_names import must_be
from reboard.refusal import Refusal
from reboard.settings.reading import shown


class Requests:
    """Each is done in its turn, between two touches of the unit, and returns when the disk has it; JSON answers.

    Each can be repeated without harm when it names its game, its transfer or its card. Raises `Refusal` or
    `RequestError` when it cannot be done, and then nothing was; `ReboardError` when the unit cannot be asked.
    """

    def __init__(self, hands: Hands, desk: Desk, keys: Keys, emit: Emit) -> None:
        self._hands = hands
        self._desk = desk
        self._till = desk.till
        self._keys = keys
        self._emit = emit

    async def new_game(self, after: int | None = None, edition: str | None = None) -> Answer:
        """Begin a new game, as ``C`` held does, in another *edition* if one is named.

        Answers with the number of the ``game`` that is on then. One that names the game *after* which it is begins none
        when that is not on any more.
        """

        async def begun() -> Answer:
            if after in (None, self._till.game):
                await self._keys.new_game(self._edition(edition) if edition else self._till.edition)
            return {"game": self._till.game}

        return await self._hands.ask(begun)

    async def undo(self, transfer: int | None = None) -> Answer:
        """Take back one transfer of the game, or the last that can be. Answers with the opposite one."""

        async def taken_back() -> Answer:
            return (await self._keys.undo(transfer)).as_json()

        return await self._hands.ask(taken_back)

    async def name(self, card: int, name: str) -> None:
        """Call who plays with *card* so, from game to game; ``""``: as the config does."""

        async def named() -> Answer:
            self._check_name(card, name)
            await self._till.name(card, name)
            self._emit("named", number=card, name=self._till.names.of(card))
            return {}

        await self._hands.ask(named)

    async def end_game(self, game: int, worths: Mapping[int, int]) -> Answer:
        """End *game*, where cards have deeds and houses of so much worth beside their money. Answers who has won."""

        async def ended() -> Answer:
            over = await self._desk.end_game(self._with_money(game, worths))
            self._desk.say(self._desk.texts(Text.GAME_OVER))
            return over.as_json(self._till.names, self._till.edition.money)

        return await self._hands.ask(ended)

    async def history(self) -> str:
        """The past of the game that is on, as JSON. The unit plays on meanwhile.

        That the file is found damaged by it ends what the unit knows, as if it had found that itself.
        """
        try:
            return await self._till.history()
        except Refusal:
            raise
        except ReboardError as error:
            damage = error

            async def found_damaged() -> Answer:
                raise damage

            with suppress(ReboardError):
                await self._hands.ask(found_damaged)
            raise

    def _edition(self, name: str) -> Edition:
        editions = {edition.name: edition for edition in self._till.editions()}
        if name not in editions:
            raise RequestError(f"there is no edition {shown(name)}; there are {', '.join(editions)}")
        edition = editions[name]
        most = edition.players.most
        for side in self._desk.seats.taken:
            if (number := self._desk.seats.number(side) or 0) > most:
                why = f"card {number} is in the {side} slot, and {edition.title} has only {most}: take it out first"
                raise Refusal("cards in", why)
        return edition

    def _check_name(self, card: int, name: str) -> None:
        if name and (allowed := must_be(name)):
            raise RequestError(f"what a player is called must be {allowed}, and is {shown(name)}")
        bearer = self._till.names.bearer(name)
        if bearer not in (None, card):
            raise RequestError(f"card {bearer} is called {name} already")

    def _with_money(self, game: int, worths: Mapping[int, int]) -> dict[int, int]:
        """What each player is worth. Raises as `end_game` does."""
        till, money = self._till, self._till.edition.money
        if game != till.game:
            raise RequestError(f"game {game} is not on, but game {till.game}")
        if not till.playing:
            raise RequestError(f"nobody plays in game {game}: there is nobody to win it")
        if strangers := worths.keys() - set(till.playing):
            raise RequestError(f"nobody plays with card {min(strangers)} in game {game}")
        if any(worth % money.smallest for worth in worths.values()):
            raise Refusal("too fine")
        total = {card: till.balances[card] + worths.get(card, 0) for card in till.playing}
        if max(total.values()) > money.largest:
            raise Refusal("too much")
        return total
