"""The checks for a ledger file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from reboard.accessories.banker_unit import schema
from reboard.accessories.banker_unit.accounts import NO_CARDS, POT
from reboard.accessories.banker_unit.ledger_errors import is_unreadable
from reboard.accessories.banker_unit.open_files import log_of

FORMAT_FOR_WRITERS = 18
WRITABLE = (b"", b"\1", b"\2")
"""The valid values of the write-version byte in the header of an SQLite file. An empty file has no header."""


def is_another_programs(connection: sqlite3.Connection) -> bool:
    """Return whether the file has tables, but neither the application id nor any table or rule of a ledger."""
    found = schema.contents_of(connection)
    ((application,),) = connection.execute("PRAGMA application_id").fetchall()
    return bool(found) and application != schema.APPLICATION_ID and not found & schema.contents()[-1]


def is_newer(connection: sqlite3.Connection) -> bool:
    """Return whether a newer reboard wrote the file.

    A higher version number with the tables of a known version counts as damage instead.
    """
    is_above = schema.version_of(connection) > len(schema.MIGRATIONS)
    return is_above and schema.contents_of(connection) not in schema.contents()


def damage_of(path: Path, connection: sqlite3.Connection, *, rules: bool = True) -> str | None:
    """Return the first problem found in the ledger file *path*, which is open on *connection*, or ``None``.

    The money rules are checked only with *rules*, and only in a ledger of the newest version. The other checks are the
    version number, the write-version byte and SQLite's integrity check.

    Raises ``sqlite3.Error`` if the file cannot be read. `is_unreadable` distinguishes damage from a failing disk.
    """
    found = schema.contents_of(connection)
    # without rules, two versions can be the same
    versions = [number for number, made in enumerate(schema.backup_contents()) if made == found]
    version = schema.version_of(connection)
    if version not in (versions or [max(number for number, made in enumerate(schema.contents()) if made <= found)]):
        return "its version number does not match its tables and rules"
    log = log_of(path)
    # what a power cut damaged during a checkpoint is still complete in the log
    has_log = log.exists() and log.stat().st_size > 0
    with path.open("rb") as file:
        if not has_log and file.read(FORMAT_FOR_WRITERS + 1)[FORMAT_FOR_WRITERS:] not in WRITABLE:
            return "its write-version byte is damaged"
    ((free,),), ((pages,),) = (
        connection.execute(f"PRAGMA {count}").fetchall() for count in ("freelist_count", "page_count")
    )
    if free and free >= pages:  # SQLite's check accepts some such counts, and a later transfer fails
        return "its count of free pages is damaged"
    if rules and version == len(schema.MIGRATIONS):
        return next(iter(problems_of(connection)), None)
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return None if verdict == "ok" else str(verdict)


# a leaving ends with the card's return or with the start of a new player with its number
DEPARTURE = """
SELECT id, game, card, undone_by AS until, 'went bankrupt' AS how FROM bankruptcy
UNION ALL SELECT id, game, card, until, 'left' FROM leaving
"""

CHECKS: tuple[tuple[str, str], ...] = (
    (
        "game {}: the balances sum to {} instead of 0",
        "SELECT game, sum(balance) FROM account GROUP BY game HAVING sum(balance) <> 0",
    ),
    (
        "game {}, card {}: the balance is {}, but its transfers sum to {}",
        """
        SELECT game, card, balance, coalesce(moved, 0) FROM account LEFT JOIN (
            SELECT game, card, sum(change) AS moved FROM (
                SELECT game, "from" AS card, -amount AS change FROM transfer
                UNION ALL SELECT game, "to", amount FROM transfer
            ) GROUP BY game, card
        ) USING (game, card) WHERE balance <> coalesce(moved, 0)
        """,
    ),
    (
        "game {}, card {}: the balance was {} after transfer {}, but must be from {} to {}",
        f"""
        SELECT s.game, s.card, s.balance, s.id, iif(may_owe AND s.card <> {POT}, -largest, 0) AS least, largest FROM (
            SELECT game, card, id, sum(change) OVER (PARTITION BY game, card ORDER BY id) AS balance FROM (
                SELECT game, "from" AS card, id, -amount AS change FROM transfer
                UNION ALL SELECT game, "to", id, amount FROM transfer
            )
        ) AS s JOIN game AS g ON g.id = s.game
        WHERE s.card > 0 AND s.balance NOT BETWEEN least AND largest
        """,
    ),
    (
        "game {}, card {}: the card is bankrupt, but has {} instead of 0",
        "SELECT game, card, balance FROM account WHERE retired AND balance <> 0",
    ),
    (
        "game {}, card {}: the card left, but has {} instead of 0",
        'SELECT game, card, balance FROM account WHERE "left" AND balance <> 0',
    ),
    (
        "game {}, account {}: it is marked as a card that left, but it is the bank, the pot or a bankrupt card",
        f'SELECT game, card FROM account WHERE "left" AND (card IN ({NO_CARDS}) OR retired)',
    ),
    (
        "game {}: transfer {} has the reason {}, which is only for players, but moves money into or out of the pot",
        f"""
        SELECT game, id, reason FROM transfer WHERE {POT} IN ("from", "to") AND reason IN ('start', 'bankrupt', 'left')
        """,
    ),
    (
        "game {}: the pot is marked as bankrupt, but only a player can be bankrupt",
        f"SELECT game FROM account WHERE card = {POT} AND retired",
    ),
    (
        "game {}, card {}: the card {} with transfer {}, but is still in the game",
        f"""
        SELECT d.game, d.card, d.how, d.id FROM ({DEPARTURE}) AS d
        JOIN account AS a ON a.game = d.game AND a.card = d.card
        WHERE d.until IS NULL AND NOT CASE d.how WHEN 'left' THEN a."left" ELSE a.retired END
        """,
    ),
    (
        "game {}, card {}: the card {} with transfer {}, but kept {} instead of 0",
        f"""
        SELECT game, card, how, id, kept FROM (
            SELECT d.game, d.card, d.how, d.id, sum(CASE t."to" WHEN d.card THEN t.amount ELSE -t.amount END) AS kept
            FROM ({DEPARTURE}) AS d
            JOIN transfer AS t ON t.game = d.game AND d.card IN (t."from", t."to") AND t.id <= d.id
            GROUP BY d.id
        ) WHERE kept <> 0
        """,
    ),
    (
        "game {}, card {}: the card {} with transfer {}, but took part in transfer {} afterwards",
        f"""
        SELECT d.game, d.card, d.how, d.id, t.id FROM ({DEPARTURE}) AS d
        JOIN transfer AS t ON t.game = d.game AND d.card IN (t."from", t."to") AND t.id > d.id
        WHERE d.until IS NULL OR t.id < d.until
        """,
    ),
    (
        "transfer {} undoes transfer {}, but a new player has the number of card {} since",
        """
        SELECT u.id, u.undoes, s."to" FROM transfer AS u
        JOIN transfer AS s ON s.game = u.game AND s."to" IN (u."from", u."to") AND s.id > u.undoes AND s.id < u.id
        WHERE u.undoes IS NOT NULL AND s.reason = 'start'
        """,
    ),
    (
        "transfer {} belongs to the act of transfer {}, which does not begin an act before it in game {}",
        """
        SELECT t.id, t.act, t.game FROM transfer AS t LEFT JOIN transfer AS f ON f.id = t.act
        WHERE t.act IS NOT NULL AND (f.act IS NOT f.id OR f.game <> t.game OR f.id > t.id)
        """,
    ),
    (
        "the act of transfer {} is undone only in part: {} of {} transfers",
        """
        SELECT act, undone, every FROM (
            SELECT t.act, count(u.id) AS undone, count(*) AS every
            FROM transfer AS t LEFT JOIN transfer AS u ON u.undoes = t.id WHERE t.act IS NOT NULL GROUP BY t.act
        ) WHERE undone NOT IN (0, every)
        """,
    ),
    (
        "transfer {} moves {} from account {} to account {}: it must move more than 0 between two accounts",
        'SELECT id, amount, "from", "to" FROM transfer WHERE amount <= 0 OR "from" = "to"',
    ),
    (
        "transfer {} is not the opposite of transfer {}, which it undoes",
        """
        SELECT u.id, u.undoes FROM transfer AS u LEFT JOIN transfer AS t ON t.id = u.undoes
        WHERE u.undoes IS NOT NULL AND (t.id IS NULL OR t.undoes IS NOT NULL OR t.reason = 'start'
            OR (u.game, u."from", u."to", u.amount) IS NOT (t.game, t."to", t."from", t.amount))
        """,
    ),
    (
        "transfer {} is undone {} times instead of once",
        "SELECT undoes, count(*) FROM transfer WHERE undoes IS NOT NULL GROUP BY undoes HAVING count(*) > 1",
    ),
    (
        "one key press ({}) made {} transfers instead of one",
        "SELECT press, count(*) FROM transfer GROUP BY press HAVING count(*) > 1",
    ),
    (
        "missing transfers: {} of {}",
        """
        SELECT last - there, last FROM (SELECT max(id) AS last, count(*) AS there FROM transfer) WHERE there < last
        """,
    ),
    (
        "transfer {} belongs to game {}, but game {} was current then",
        """
        SELECT id, game, sat FROM (
            SELECT id, game, (SELECT game FROM sitting WHERE first <= t.id ORDER BY first DESC LIMIT 1) AS sat
            FROM transfer AS t
        ) WHERE game IS NOT sat
        """,
    ),
    (
        "missing games: {} of {}",
        """
        SELECT ever - there, ever FROM (
            SELECT (SELECT count(*) FROM game) AS there,
                max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'game'), 0),
                    coalesce((SELECT max(id) FROM game), 0)) AS ever
        ) WHERE there < ever
        """,
    ),
    (
        "{} games are current instead of one",
        "SELECT open FROM (SELECT count(*) AS open FROM game WHERE ended_at IS NULL) WHERE open > 1",
    ),
    (
        "a row of the table {} refers to a missing row of the table {}",
        'SELECT DISTINCT "table", parent FROM pragma_foreign_key_check',
    ),
    (
        "the file is damaged: {}",
        "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    ),
)
"""The checks: the sentence for a problem, and the query that returns a row of values for each case."""


GAMES_AFTER = "SELECT DISTINCT game FROM stretch WHERE last > ?"

# grouped by the key of the accounts: otherwise SQLite would sort the transfers, in a file if there are many
BALANCES_OF_A_GAME = """
SELECT a.card, balance, moved FROM account AS a JOIN (
    SELECT card, sum(CASE card WHEN "to" THEN amount WHEN "from" THEN -amount ELSE 0 END) AS moved
    FROM account AS b CROSS JOIN stretch AS s CROSS JOIN transfer AS t ON t.id BETWEEN s.first AND s.last
    WHERE b.game = :game AND s.game = :game GROUP BY card
) USING (card) WHERE game = :game AND balance <> moved
"""


def games_after(connection: sqlite3.Connection, transfer: int) -> set[int]:
    """Return the games that were current after *transfer*."""
    return {game for (game,) in connection.execute(GAMES_AFTER, (transfer,))}


def balance_problem(connection: sqlite3.Connection, games: Iterable[int]) -> str | None:
    """Return a sentence for a wrong balance in one of *games*, or ``None``."""
    for game in games:
        for row in connection.execute(BALANCES_OF_A_GAME, {"game": game}):
            return CHECKS[1][0].format(game, *row)
    return None


def problems_of(connection: sqlite3.Connection) -> list[str]:
    """Return a sentence for each problem of a ledger: broken money rules, damage, and missing or changed rules.

    Raises ``sqlite3.Error`` if the disk cannot be read, because that is not a problem of the file.
    """
    problems = []
    for sentence, query in CHECKS:
        try:
            problems += [sentence.format(*row) for row in connection.execute(query)]
        except sqlite3.DatabaseError as error:
            if not is_unreadable(error):
                raise
            problems.append(f"the file is damaged: {error}")
    if not schema.is_backup(connection):
        for _, name, *_ in sorted(schema.contents()[-1] - schema.contents_of(connection)):
            problems.append(f"a rule is missing or was changed: {name}")
    return list(dict.fromkeys(problems))
