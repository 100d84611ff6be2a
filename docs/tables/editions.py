"""The tables of the editions and the sounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from docs.tables.markdown import table
from hardware.making.sounds import COMPOSITIONS, EXAMPLES
from reboard.editions.edition import Edition, editions_in_the_box


def money() -> str:
    """Return the table of the money of each edition and variant."""
    return table(
        "edition | boxed game | start | `GO` pays | jail | auction | mortgage", map(_money, editions_in_the_box())
    )


def _money(edition: Edition) -> Sequence[str]:
    shown, interest, auction = edition.money.shown, edition.mortgage_interest_percent, edition.auction
    opens = f"from {shown(auction.opening)}" if auction.opening else "any bid"
    steps = f", by {shown(auction.step)}" if auction.step else ""
    amounts = [
        f"{shown(amount)} {edition.currency}".strip() for amount in (edition.start, edition.salary, edition.jail_fee)
    ]
    return (
        f"`{edition.name}`",
        edition.title,
        *amounts,
        f"{opens}{steps}",
        "on the deeds" if interest is None else f"{interest} %",
    )


def ends() -> str:
    """Return the table of the end of the game in each edition and variant."""
    return table("edition | players | the game is over | a hotel counts", map(_end, editions_in_the_box()))


def _end(edition: Edition) -> Sequence[str]:
    at = edition.ends_at_bankruptcy
    over = f"at bankruptcy number {at}" if at else "when one player is left"
    hotel = f"its price and {edition.hotel_houses} houses" if edition.hotel_houses else "its price"
    return f"`{edition.name}`", f"{edition.players.fewest} to {edition.players.most}", over, hotel


def sounds() -> str:
    """Return the table of our sounds."""
    return table("sound | what is heard | when", _sounds())


def _sounds() -> Iterator[Sequence[str]]:
    for folder, compositions in COMPOSITIONS.items():
        if not folder.is_relative_to(EXAMPLES):
            for compose in compositions:
                heard, _, when = (compose.__doc__ or "").rstrip(".").partition(": ")
                yield f"`{compose.__name__}`", heard, when


TABLES: Mapping[str, Callable[..., str]] = {"money of editions": money, "ends of editions": ends, "sounds": sounds}
