"""The SQL texts of the migrations of the ledger. The money rules are their constraints and triggers.

So the rules apply to every program that writes the ledger. If players can try to break a rule, the text of its trigger
is the ``why`` of a `Rejection`.
"""

# the rules on transfers that a later migration has, too, because it creates their table again

HISTORY_RULES = """\
CREATE TRIGGER transfer_is_never_changed BEFORE UPDATE ON transfer
BEGIN SELECT RAISE(ABORT, 'a transfer is never changed'); END;

CREATE TRIGGER transfer_is_never_removed BEFORE DELETE ON transfer
BEGIN SELECT RAISE(ABORT, 'a transfer is never removed'); END;

-- INSERT OR REPLACE would remove a row without asking the trigger above
CREATE TRIGGER transfer_is_never_replaced BEFORE INSERT ON transfer
WHEN EXISTS (SELECT 1 FROM transfer WHERE id = NEW.id OR press = NEW.press)
BEGIN SELECT RAISE(ABORT, 'a transfer is never replaced'); END;

CREATE TRIGGER transfer_is_in_a_running_game BEFORE INSERT ON transfer
WHEN (SELECT ended_at FROM game WHERE id = NEW.game) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'this game is over'); END;

CREATE TRIGGER transfer_undoes_its_opposite_once BEFORE INSERT ON transfer
WHEN NEW.undoes IS NOT NULL AND (
    EXISTS (SELECT 1 FROM transfer WHERE undoes = NEW.undoes)
    OR NOT EXISTS (
        SELECT 1 FROM transfer
        WHERE id = NEW.undoes AND game = NEW.game AND "from" = NEW."to" AND "to" = NEW."from"
        AND amount = NEW.amount AND undoes IS NULL AND reason <> 'start'
    )
)
BEGIN SELECT RAISE(ABORT, 'nothing to undo'); END;"""

FIRST = f"""
CREATE TABLE game (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    edition TEXT NOT NULL CHECK (edition <> ''),
    start INTEGER NOT NULL CHECK (start > 0),
    largest INTEGER NOT NULL CHECK (largest > 0),
    may_owe INTEGER NOT NULL CHECK (may_owe IN (0, 1)),
    started_at REAL NOT NULL,
    ended_at REAL
) STRICT;

CREATE UNIQUE INDEX one_game_at_a_time ON game (ended_at IS NULL) WHERE ended_at IS NULL;

CREATE TABLE account (
    game INTEGER NOT NULL REFERENCES game (id),
    card INTEGER NOT NULL CHECK (card >= 0),
    balance INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (game, card)
) STRICT, WITHOUT ROWID;

CREATE TABLE transfer (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    game INTEGER NOT NULL,
    "from" INTEGER NOT NULL,
    "to" INTEGER NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    reason TEXT NOT NULL CHECK (reason <> ''),
    at REAL NOT NULL,
    undoes INTEGER UNIQUE REFERENCES transfer (id),
    press TEXT NOT NULL UNIQUE,
    CHECK ("from" <> "to"),
    FOREIGN KEY (game, "from") REFERENCES account (game, card),
    FOREIGN KEY (game, "to") REFERENCES account (game, card)
) STRICT;

CREATE INDEX transfer_of_game ON transfer (game, id);

CREATE TABLE deck (
    tag TEXT PRIMARY KEY CHECK (tag <> ''),
    number INTEGER NOT NULL UNIQUE CHECK (number > 0)
) STRICT, WITHOUT ROWID;

{HISTORY_RULES}

CREATE TRIGGER transfer_moves_money AFTER INSERT ON transfer
BEGIN
    UPDATE account SET balance = balance - NEW.amount WHERE game = NEW.game AND card = NEW."from";
    UPDATE account SET balance = balance + NEW.amount WHERE game = NEW.game AND card = NEW."to";
END;

CREATE TRIGGER account_opens_empty BEFORE INSERT ON account
WHEN NEW.balance <> 0 OR EXISTS (SELECT 1 FROM account WHERE game = NEW.game AND card = NEW.card)
BEGIN SELECT RAISE(ABORT, 'an account opens once, and empty'); END;

CREATE TRIGGER account_is_never_removed BEFORE DELETE ON account
BEGIN SELECT RAISE(ABORT, 'an account is never removed'); END;

-- account 0 is the bank, which never runs out
CREATE TRIGGER account_has_funds BEFORE UPDATE ON account
WHEN NEW.card > 0 AND NEW.balance < OLD.balance
    AND NEW.balance < (SELECT CASE may_owe WHEN 1 THEN -largest ELSE 0 END FROM game WHERE id = NEW.game)
BEGIN SELECT RAISE(ABORT, 'no funds'); END;

CREATE TRIGGER account_fits_its_line BEFORE UPDATE ON account
WHEN NEW.card > 0 AND NEW.balance > OLD.balance
    AND NEW.balance > (SELECT largest FROM game WHERE id = NEW.game)
BEGIN SELECT RAISE(ABORT, 'too much'); END;

CREATE TRIGGER game_is_never_removed BEFORE DELETE ON game
BEGIN SELECT RAISE(ABORT, 'a game is never removed'); END;

CREATE TRIGGER game_is_never_replaced BEFORE INSERT ON game
WHEN EXISTS (SELECT 1 FROM game WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a game is never replaced'); END;

CREATE TRIGGER game_only_ends BEFORE UPDATE ON game
WHEN OLD.ended_at IS NOT NULL OR NEW.ended_at IS NULL
    OR (OLD.id, OLD.edition, OLD.start, OLD.largest, OLD.may_owe, OLD.started_at)
    IS NOT (NEW.id, NEW.edition, NEW.start, NEW.largest, NEW.may_owe, NEW.started_at)
BEGIN SELECT RAISE(ABORT, 'a game only ends'); END;
"""

SECOND = """
-- who is out of the game has nothing, and the bank never is
ALTER TABLE account ADD COLUMN retired INTEGER NOT NULL DEFAULT 0
    CHECK (retired = 0 OR (retired = 1 AND card > 0 AND balance = 0));

CREATE TABLE setting (
    name TEXT PRIMARY KEY CHECK (name <> ''),
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX transfer_from ON transfer (game, "from");
CREATE INDEX transfer_to ON transfer (game, "to");
CREATE INDEX transfer_of_the_bankrupt ON transfer (game) WHERE reason = 'bankrupt';

-- the card that goes bankrupt pays all it has, or the bank pays what it owes
CREATE VIEW bankruptcy AS
SELECT id, game, CASE "from" WHEN 0 THEN "to" ELSE "from" END AS card,
    (SELECT u.id FROM transfer AS u WHERE u.undoes = t.id) AS undone_by
FROM transfer AS t WHERE reason = 'bankrupt' AND undoes IS NULL;

DROP TRIGGER transfer_moves_money;

CREATE TRIGGER transfer_moves_money AFTER INSERT ON transfer
BEGIN
    UPDATE account SET retired = 0
        WHERE game = NEW.game AND card = (SELECT card FROM bankruptcy WHERE id = NEW.undoes);
    UPDATE account SET balance = balance - NEW.amount WHERE game = NEW.game AND card = NEW."from";
    UPDATE account SET balance = balance + NEW.amount WHERE game = NEW.game AND card = NEW."to";
    UPDATE account SET retired = 1
        WHERE game = NEW.game AND card = (SELECT card FROM bankruptcy WHERE id = NEW.id);
END;

CREATE TRIGGER transfer_leaves_the_bankrupt_alone BEFORE INSERT ON transfer
WHEN EXISTS (
    SELECT 1 FROM account WHERE game = NEW.game AND card IN (NEW."from", NEW."to") AND retired
    AND card IS NOT (SELECT b.card FROM bankruptcy AS b WHERE b.id = NEW.undoes)
)
BEGIN SELECT RAISE(ABORT, 'bankrupt'); END;

CREATE TRIGGER account_is_back_only_with_its_money BEFORE UPDATE OF retired ON account
WHEN OLD.retired > NEW.retired
    AND EXISTS (SELECT 1 FROM bankruptcy WHERE game = NEW.game AND card = NEW.card AND undone_by IS NULL)
BEGIN SELECT RAISE(ABORT, 'bankrupt'); END;

CREATE TRIGGER account_retires_in_a_running_game BEFORE UPDATE OF retired ON account
WHEN OLD.retired <> NEW.retired AND (SELECT ended_at FROM game WHERE id = NEW.game) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'this game is over'); END;

DROP TRIGGER game_only_ends;

CREATE TRIGGER game_only_ends_or_goes_on BEFORE UPDATE ON game
WHEN (OLD.ended_at IS NULL) = (NEW.ended_at IS NULL)
    OR (OLD.id, OLD.edition, OLD.start, OLD.largest, OLD.may_owe, OLD.started_at)
    IS NOT (NEW.id, NEW.edition, NEW.start, NEW.largest, NEW.may_owe, NEW.started_at)
BEGIN SELECT RAISE(ABORT, 'a game only ends or goes on'); END;
"""

THIRD = """
-- account 9 is the Free Parking pot: no player, and never below zero, also where players may owe
DROP TRIGGER account_has_funds;

CREATE TRIGGER account_has_funds BEFORE UPDATE ON account
WHEN NEW.card NOT IN (0, 9) AND NEW.balance < OLD.balance
    AND NEW.balance < (SELECT CASE may_owe WHEN 1 THEN -largest ELSE 0 END FROM game WHERE id = NEW.game)
BEGIN SELECT RAISE(ABORT, 'no funds'); END;

CREATE TRIGGER pot_has_funds BEFORE UPDATE ON account
WHEN NEW.card = 9 AND NEW.balance < OLD.balance AND NEW.balance < 0
BEGIN SELECT RAISE(ABORT, 'pot empty'); END;

CREATE TRIGGER pot_never_retires BEFORE UPDATE OF retired ON account
WHEN NEW.card = 9 AND NEW.retired
BEGIN SELECT RAISE(ABORT, 'the pot is no player'); END;

CREATE TRIGGER pot_is_no_player BEFORE INSERT ON transfer
WHEN 9 IN (NEW."from", NEW."to") AND NEW.reason IN ('start', 'bankrupt')
BEGIN SELECT RAISE(ABORT, 'the pot is no player'); END;
"""

FOURTH = """
-- 1: the card left the game; 2: its number is free, too, and the next card with it starts from the beginning
ALTER TABLE account ADD COLUMN "left" INTEGER NOT NULL DEFAULT 0
    CHECK ("left" = 0 OR ("left" IN (1, 2) AND card NOT IN (0, 9) AND balance = 0 AND retired = 0));

-- a tag of the config that does not have its number any more
CREATE TABLE lost (
    tag TEXT NOT NULL CHECK (tag <> ''),
    number INTEGER NOT NULL CHECK (number > 0),
    PRIMARY KEY (tag, number)
) STRICT, WITHOUT ROWID;
"""

FIFTH = f"""
-- A payment writes a page for each table and index that it changes: so the index of the presses is the only one.
-- Rows are never removed, so that a number is not used twice, even without AUTOINCREMENT.
CREATE TABLE former AS SELECT * FROM transfer;
DROP TABLE transfer;

CREATE TABLE transfer (
    id INTEGER PRIMARY KEY,
    game INTEGER NOT NULL,
    "from" INTEGER NOT NULL,
    "to" INTEGER NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    reason TEXT NOT NULL CHECK (reason <> ''),
    at REAL NOT NULL,
    undoes INTEGER REFERENCES transfer (id),
    press TEXT NOT NULL,
    act INTEGER REFERENCES transfer (id),
    CHECK ("from" <> "to"),
    FOREIGN KEY (game, "from") REFERENCES account (game, card),
    FOREIGN KEY (game, "to") REFERENCES account (game, card)
) STRICT;

INSERT INTO transfer (id, game, "from", "to", amount, reason, at, undoes, press, act)
SELECT id, game, "from", "to", amount, reason, at, undoes, press, NULL FROM former ORDER BY id;
DROP TABLE former;

CREATE UNIQUE INDEX transfer_of_press ON transfer (press);
CREATE UNIQUE INDEX transfer_undone ON transfer (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX transfer_of_the_bankrupt ON transfer (game) WHERE reason = 'bankrupt';
CREATE INDEX transfer_of_act ON transfer (act) WHERE act IS NOT NULL;
CREATE INDEX transfer_of_start ON transfer (game, "to") WHERE reason = 'start';
CREATE INDEX transfer_of_the_left ON transfer (game) WHERE reason = 'left';

-- each time that a game becomes current: the transfers from "first" up to the next sitting's first are its transfers
CREATE TABLE sitting (
    first INTEGER PRIMARY KEY,
    game INTEGER NOT NULL REFERENCES game (id)
) STRICT;

CREATE INDEX sitting_of_game ON sitting (game);

INSERT INTO sitting SELECT id, game FROM (SELECT id, game, lag(game) OVER (ORDER BY id) AS before FROM transfer)
WHERE game IS NOT before;
INSERT INTO sitting SELECT (SELECT coalesce(max(id), 0) + 1 FROM transfer), id FROM game
WHERE ended_at IS NULL AND id IS NOT (SELECT game FROM transfer ORDER BY id DESC LIMIT 1);

CREATE VIEW stretch AS
SELECT game, first, coalesce((SELECT min(n.first) FROM sitting AS n WHERE n.first > s.first) - 1, 1 << 62) AS last
FROM sitting AS s;

CREATE TRIGGER game_sits_down AFTER INSERT ON game WHEN NEW.ended_at IS NULL
BEGIN INSERT OR REPLACE INTO sitting SELECT coalesce(max(id), 0) + 1, NEW.id FROM transfer; END;

CREATE TRIGGER game_sits_down_again AFTER UPDATE OF ended_at ON game WHEN NEW.ended_at IS NULL
BEGIN INSERT OR REPLACE INTO sitting SELECT coalesce(max(id), 0) + 1, NEW.id FROM transfer; END;

-- the card that leaves pays all it has to the bank, or the bank pays what it owes; it is back with the transfer "until"
CREATE VIEW leaving AS
SELECT id, game, card, coalesce(
    (SELECT u.id FROM transfer AS u WHERE u.undoes = t.id),
    (SELECT min(s.id) FROM transfer AS s
        WHERE s.game = t.game AND s."to" = t.card AND s.reason = 'start' AND s.id > t.id)
) AS until
FROM (
    SELECT id, game, CASE "from" WHEN 0 THEN "to" ELSE "from" END AS card FROM transfer
    WHERE reason = 'left' AND undoes IS NULL
) AS t;

{HISTORY_RULES}

CREATE TRIGGER transfer_moves_money AFTER INSERT ON transfer
BEGIN
    UPDATE account SET retired = 0 WHERE NEW.undoes IS NOT NULL
        AND game = NEW.game AND card = (SELECT card FROM bankruptcy WHERE id = NEW.undoes);
    UPDATE account SET "left" = 0 WHERE NEW.undoes IS NOT NULL
        AND game = NEW.game AND card = (SELECT card FROM leaving WHERE id = NEW.undoes);
    UPDATE account SET "left" = 0 WHERE NEW.reason = 'start' AND game = NEW.game AND card = NEW."to" AND "left";
    UPDATE account SET balance = balance - NEW.amount WHERE game = NEW.game AND card = NEW."from";
    UPDATE account SET balance = balance + NEW.amount WHERE game = NEW.game AND card = NEW."to";
    UPDATE account SET retired = 1 WHERE NEW.reason = 'bankrupt'
        AND game = NEW.game AND card = (SELECT card FROM bankruptcy WHERE id = NEW.id);
    UPDATE account SET "left" = 1 WHERE NEW.reason = 'left'
        AND game = NEW.game AND card = (SELECT card FROM leaving WHERE id = NEW.id);
END;

CREATE TRIGGER transfer_leaves_the_absent_alone BEFORE INSERT ON transfer
WHEN EXISTS (
    SELECT 1 FROM account WHERE game = NEW.game AND card IN (NEW."from", NEW."to") AND (retired OR "left")
)
BEGIN
    SELECT RAISE(ABORT, 'bankrupt') FROM account
        WHERE game = NEW.game AND card IN (NEW."from", NEW."to") AND retired
        AND card IS NOT (SELECT b.card FROM bankruptcy AS b WHERE b.id = NEW.undoes);
    SELECT RAISE(ABORT, 'left') FROM account
        WHERE game = NEW.game AND card IN (NEW."from", NEW."to") AND "left"
        AND NOT (NEW.reason = 'start' AND "left" = 2)
        AND card IS NOT (SELECT l.card FROM leaving AS l WHERE l.id = NEW.undoes);
END;

CREATE TRIGGER transfer_undoes_nothing_before_a_start BEFORE INSERT ON transfer
WHEN NEW.undoes IS NOT NULL AND EXISTS (
    SELECT 1 FROM transfer
    WHERE game = NEW.game AND "to" IN (NEW."from", NEW."to") AND reason = 'start' AND id > NEW.undoes
)
BEGIN SELECT RAISE(ABORT, 'nothing to undo'); END;

CREATE TRIGGER account_returns_only_with_its_money BEFORE UPDATE OF "left" ON account
WHEN OLD."left" AND NOT NEW."left"
    AND EXISTS (SELECT 1 FROM leaving WHERE game = NEW.game AND card = NEW.card AND until IS NULL)
BEGIN SELECT RAISE(ABORT, 'left'); END;

CREATE TRIGGER account_leaves_in_a_running_game BEFORE UPDATE OF "left" ON account
WHEN OLD."left" <> NEW."left" AND (SELECT ended_at FROM game WHERE id = NEW.game) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'this game is over'); END;

CREATE TRIGGER pot_is_no_player BEFORE INSERT ON transfer
WHEN 9 IN (NEW."from", NEW."to") AND NEW.reason IN ('start', 'bankrupt', 'left')
BEGIN SELECT RAISE(ABORT, 'the pot is no player'); END;
"""

MIGRATIONS: tuple[str, ...] = (FIRST, SECOND, THIRD, FOURTH, FIFTH)
"""The SQL text of the migration to each version, from version 1. The first migration starts with an empty file.

Released migrations are never edited. Each adds a table or a trigger, because `verify.damage_of` uses them to find the
version of a file."""
