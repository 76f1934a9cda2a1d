-- What happened, word for word. Truth: everything else in the data folder can be derived from it or from Markdown.

CREATE TABLE channels (
    channel      TEXT PRIMARY KEY NOT NULL,
    platform     TEXT NOT NULL,
    kind         TEXT NOT NULL,
    guild        TEXT,
    name         TEXT,
    guild_name   TEXT,
    last_ordinal INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    channel         TEXT NOT NULL REFERENCES channels (channel),
    ordinal         INTEGER NOT NULL,
    platform        TEXT NOT NULL,
    guild           TEXT,
    audience_kind   TEXT NOT NULL CHECK (audience_kind IN ('canon', 'guild', 'private', 'dm')),
    audience_key    TEXT NOT NULL,
    role            TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant')),
    author_account  TEXT,
    author_username TEXT,
    author_display  TEXT,
    author_is_bot   INTEGER NOT NULL DEFAULT 0,
    content         TEXT NOT NULL,
    search_text     TEXT, -- content with ideographs set apart, where that differs from content
    at_ms           INTEGER NOT NULL,
    mode            TEXT NOT NULL,
    modality        TEXT NOT NULL,
    turn            INTEGER,
    reply_to        TEXT,
    edited_at_ms    INTEGER,
    deleted_at_ms   INTEGER, -- set: the words are gone from here, the event log has them until they are forgotten
    UNIQUE (channel, ordinal)
) STRICT;

CREATE INDEX turns_live ON turns (channel, ordinal) WHERE deleted_at_ms IS NULL;
CREATE INDEX turns_live_by_mode ON turns (channel, mode, ordinal) WHERE deleted_at_ms IS NULL;
CREATE INDEX turns_live_by_role ON turns (channel, role, ordinal) WHERE deleted_at_ms IS NULL;
-- A reply that was taken back still answered, so its place is found among the deleted too.
CREATE INDEX turns_replies ON turns (channel, ordinal) WHERE role = 'assistant';
CREATE INDEX turns_by_author ON turns (author_account) WHERE author_account IS NOT NULL;

CREATE TABLE turn_messages (
    channel       TEXT NOT NULL,
    message       TEXT NOT NULL,
    turn_id       INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    part          INTEGER NOT NULL,
    deleted_at_ms INTEGER,
    PRIMARY KEY (channel, message)
) STRICT, WITHOUT ROWID;

CREATE INDEX turn_messages_by_turn ON turn_messages (turn_id, part);

CREATE TABLE turn_tokens (
    turn_id  INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    encoding TEXT NOT NULL,
    tokens   INTEGER NOT NULL,
    PRIMARY KEY (turn_id, encoding)
) STRICT, WITHOUT ROWID;

-- Append-only. Only "forget" removes from it.
CREATE TABLE events (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms       INTEGER NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('edited', 'deleted')),
    channel     TEXT NOT NULL,
    turn_id     INTEGER REFERENCES turns (id) ON DELETE CASCADE,
    message     TEXT NOT NULL,
    old_content TEXT
) STRICT;

CREATE INDEX events_by_turn ON events (turn_id);

-- How far each background job has come, per scope (a channel, an audience, or '' for all).
CREATE TABLE watermarks (
    worker        TEXT NOT NULL,
    scope         TEXT NOT NULL,
    last_turn_id  INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    PRIMARY KEY (worker, scope)
) STRICT, WITHOUT ROWID;

-- Derived: rebuilt from turns by one command.
CREATE VIEW turns_searchable (id, body) AS SELECT id, coalesce(search_text, content) FROM turns;

CREATE VIRTUAL TABLE turns_fts USING fts5 (
    body,
    content = 'turns_searchable',
    content_rowid = 'id',
    tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER turns_fts_insert AFTER INSERT ON turns BEGIN
    INSERT INTO turns_fts (rowid, body) VALUES (new.id, coalesce(new.search_text, new.content));
END;

CREATE TRIGGER turns_fts_delete AFTER DELETE ON turns BEGIN
    INSERT INTO turns_fts (turns_fts, rowid, body)
    VALUES ('delete', old.id, coalesce(old.search_text, old.content));
END;

CREATE TRIGGER turns_fts_update AFTER UPDATE OF content, search_text ON turns BEGIN
    INSERT INTO turns_fts (turns_fts, rowid, body)
    VALUES ('delete', old.id, coalesce(old.search_text, old.content));
    INSERT INTO turns_fts (rowid, body) VALUES (new.id, coalesce(new.search_text, new.content));
END;

-- In how many turns each word stands; a view of the index, with nothing stored of its own.
CREATE VIRTUAL TABLE turns_words USING fts5vocab (turns_fts, row);
