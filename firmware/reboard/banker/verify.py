"""Does a ledger keep its own rules? Every row is looked at, and nothing is taken for granted."""

from __future__ import annotations

import sqlite3

from reboard.banker import schema

LOST = "lost"
"""The ledger's setting for which tables were not wholly readable when a damaged file was mended."""

UNKNOWN_EDITION = "unknown"
"""What a game is booked as when the file is mended and its own row was not readable."""

CHECKS: tuple[tuple[str, str], ...] = (
    (
        "game {}: its accounts sum to {}, not to zero",
        "SELECT game, sum(balance) FROM account GROUP BY game HAVING sum(balance) <> 0",
    ),
    (
        "game {}, card {}: the balance is {}, but the transfers sum to {}",
        """
        SELECT game, card, balance, booked FROM (
            SELECT a.game, a.card, a.balance,
                (SELECT coalesce(sum(amount), 0) FROM transfer WHERE game = a.game AND "to" = a.card)
                - (SELECT coalesce(sum(amount), 0) FROM transfer WHERE game = a.game AND "from" = a.card) AS booked
            FROM account AS a
        ) WHERE balance <> booked
        """,
    ),
    (
        "game {}, card {}: had {} after transfer {}, and in this game a card has {} to {}",
        """
        SELECT s.game, s.card, s.balance, s.id, iif(may_owe AND s.card <> 9, -largest, 0) AS least, largest FROM (
            SELECT game, card, id, sum(change) OVER (PARTITION BY game, card ORDER BY id) AS balance FROM (
                SELECT game, "from" AS card, id, -amount AS change FROM transfer
                UNION ALL SELECT game, "to", id, amount FROM transfer
            )
        ) AS s JOIN game AS g ON g.id = s.game
        WHERE s.card > 0 AND s.balance NOT BETWEEN least AND largest
        """,
    ),
    (
        "game {}, card {}: it is out of the game, and has {}",
        "SELECT game, card, balance FROM account WHERE retired AND balance <> 0",
    ),
    (
        "game {}: transfer {} is called {}, and it is the pot's, which is no player",
        "SELECT game, id, reason FROM transfer WHERE 9 IN (\"from\", \"to\") AND reason IN ('start', 'bankrupt')",
    ),
    (
        "game {}: the pot is out of the game, and it is no player",
        "SELECT game FROM account WHERE card = 9 AND retired",
    ),
    (
        "game {}, card {}: it went bankrupt by transfer {}, and is in the game",
        """
        SELECT b.game, b.card, b.id FROM bankruptcy AS b JOIN account AS a ON a.game = b.game AND a.card = b.card
        WHERE b.undone_by IS NULL AND NOT a.retired
        """,
    ),
    (
        "game {}, card {}: it went bankrupt by transfer {}, and kept {}",
        """
        SELECT game, card, id, kept FROM (
            SELECT b.game, b.card, b.id, sum(CASE t."to" WHEN b.card THEN t.amount ELSE -t.amount END) AS kept
            FROM bankruptcy AS b JOIN transfer AS t ON t.game = b.game AND b.card IN (t."from", t."to") AND t.id <= b.id
            GROUP BY b.id
        ) WHERE kept <> 0
        """,
    ),
    (
        "game {}, card {}: it went bankrupt by transfer {}, and took part in transfer {}",
        """
        SELECT b.game, b.card, b.id, t.id
        FROM bankruptcy AS b JOIN transfer AS t ON t.game = b.game AND b.card IN (t."from", t."to") AND t.id > b.id
        WHERE b.undone_by IS NULL OR t.id < b.undone_by
        """,
    ),
    (
        "transfer {} moves {} from account {} to account {}",
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
        "transfer {} is undone {} times",
        "SELECT undoes, count(*) FROM transfer WHERE undoes IS NOT NULL GROUP BY undoes HAVING count(*) > 1",
    ),
    (
        "one press ({}) made {} transfers",
        "SELECT press, count(*) FROM transfer GROUP BY press HAVING count(*) > 1",
    ),
    (
        "{} of the {} transfers ever made are missing",
        """
        SELECT ever - there, ever FROM (
            SELECT (SELECT count(*) FROM transfer) AS there,
                max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'transfer'), 0),
                    coalesce((SELECT max(id) FROM transfer), 0)) AS ever
        ) WHERE there < ever
        """,
    ),
    (
        "{} transfers were not made, but stand for what was lost",
        "SELECT made_up FROM (SELECT count(*) AS made_up FROM transfer WHERE reason = 'recovered') WHERE made_up",
    ),
    (
        "{} of the {} games ever begun are missing",
        """
        SELECT ever - there, ever FROM (
            SELECT (SELECT count(*) FROM game) AS there,
                max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'game'), 0),
                    coalesce((SELECT max(id) FROM game), 0)) AS ever
        ) WHERE there < ever
        """,
    ),
    (
        "game {}: what was played is lost",
        f"SELECT id FROM game WHERE edition = '{UNKNOWN_EDITION}'",
    ),
    (
        "when the file was mended, it was not wholly readable: {}",
        f"SELECT value FROM setting WHERE name = '{LOST}'",
    ),
    (
        "{} games are on at once",
        "SELECT open FROM (SELECT count(*) AS open FROM game WHERE ended_at IS NULL) WHERE open > 1",
    ),
    (
        "a row of {} points to a row of {} that is not there",
        'SELECT DISTINCT "table", parent FROM pragma_foreign_key_check',
    ),
    (
        "the file is damaged: {}",
        "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    ),
)
"""A sentence for what is wrong, and the query that finds it."""


def problems_of(connection: sqlite3.Connection) -> list[str]:
    """A sentence for each rule that the ledger behind *connection* breaks; none when all is well."""
    problems = []
    for sentence, query in CHECKS:
        try:
            problems += [sentence.format(*row) for row in connection.execute(query)]
        except sqlite3.DatabaseError as error:
            problems.append(f"the file is damaged: {error}")
    for _, name, *_ in sorted(schema.contents()[-1] - schema.contents_of(connection)):
        problems.append(f"a rule was taken out of the file, or changed: {name}")
    return list(dict.fromkeys(problems))
