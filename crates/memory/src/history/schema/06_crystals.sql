-- Summaries of turns that are no longer shown word for word. Derived: rebuilt from turns.

-- Leaves (level 0) cover the channel's ordinals from 1 on without holes, each a run of turns of one audience, and are
-- kept for good; a fold (level 1) stands for all leaves of its audience up to `last_ordinal`, of which the newest are
-- kept.
CREATE TABLE crystals (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    channel       TEXT NOT NULL,
    level         INTEGER NOT NULL CHECK (level IN (0, 1)),
    audience_kind TEXT NOT NULL CHECK (audience_kind IN ('canon', 'guild', 'private', 'dm')),
    audience_key  TEXT NOT NULL,
    first_ordinal INTEGER NOT NULL,
    last_ordinal  INTEGER NOT NULL,
    first_at_ms   INTEGER NOT NULL,
    last_at_ms    INTEGER NOT NULL,
    source_tokens INTEGER NOT NULL, -- what the covered turns take in a prompt
    tokens        INTEGER NOT NULL,
    text          TEXT NOT NULL,
    writer        TEXT NOT NULL, -- a model's name, or 'excerpts'
    inputs        TEXT NOT NULL, -- fingerprint of what it was made from
    made_at_ms    INTEGER NOT NULL,
    stale         INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX crystals_by_channel ON crystals (channel, level, last_ordinal);

-- What went on in a channel lately, in a sentence or two, for the channels that may hear of it.
CREATE TABLE digests (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    channel       TEXT NOT NULL,
    audience_kind TEXT NOT NULL CHECK (audience_kind IN ('canon', 'guild', 'private', 'dm')),
    audience_key  TEXT NOT NULL,
    first_ordinal INTEGER NOT NULL,
    last_ordinal  INTEGER NOT NULL,
    last_turn_id  INTEGER NOT NULL,
    last_at_ms    INTEGER NOT NULL,
    text          TEXT NOT NULL,
    writer        TEXT NOT NULL,
    made_at_ms    INTEGER NOT NULL,
    UNIQUE (channel, last_turn_id)
) STRICT;

-- Words that were taken back or changed do not live on in what was made of them, whoever changes them.
CREATE TRIGGER crystals_follow_changes AFTER UPDATE OF content ON turns WHEN new.content IS NOT old.content BEGIN
    DELETE FROM crystals
    WHERE channel = old.channel AND level = 1 AND old.ordinal BETWEEN first_ordinal AND last_ordinal;
    UPDATE crystals SET stale = 1, text = '', tokens = 0
    WHERE channel = old.channel AND level = 0 AND old.ordinal BETWEEN first_ordinal AND last_ordinal;
    DELETE FROM digests
    WHERE channel = old.channel AND old.ordinal BETWEEN first_ordinal AND last_ordinal;
END;

CREATE TRIGGER crystals_follow_removals AFTER DELETE ON turns BEGIN
    DELETE FROM crystals
    WHERE channel = old.channel AND level = 1 AND old.ordinal BETWEEN first_ordinal AND last_ordinal;
    UPDATE crystals SET stale = 1, text = '', tokens = 0
    WHERE channel = old.channel AND level = 0 AND old.ordinal BETWEEN first_ordinal AND last_ordinal;
    DELETE FROM digests
    WHERE channel = old.channel AND old.ordinal BETWEEN first_ordinal AND last_ordinal;
END;
