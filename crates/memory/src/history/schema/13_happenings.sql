-- Reactions under messages as they came and went: every one, with its emoji. What they say is in `regards`.
CREATE TABLE reactions (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    account TEXT NOT NULL,
    emoji   TEXT NOT NULL,
    is_put  INTEGER NOT NULL,
    at_ms   INTEGER NOT NULL
) STRICT;

CREATE INDEX reactions_by_turn ON reactions (turn_id);
CREATE INDEX reactions_by_account ON reactions (account);

-- Who came to a guild and who left. Everybody in the guild could see that, and nobody else.
CREATE TABLE comings (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    guild      TEXT NOT NULL,
    account    TEXT NOT NULL,
    name       TEXT NOT NULL,
    is_joining INTEGER NOT NULL,
    at_ms      INTEGER NOT NULL
) STRICT;

CREATE INDEX comings_by_guild ON comings (guild, at_ms);
CREATE INDEX comings_by_account ON comings (account);
