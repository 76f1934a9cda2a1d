-- Documents that came with messages, and messages that are pinned in a channel: what is told of them, and their words,
-- paragraph by paragraph. They go with the message they came with, in the same transaction.
CREATE TABLE sources (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    kind          TEXT NOT NULL CHECK (kind IN ('document', 'pin')),
    channel       TEXT NOT NULL,
    message       TEXT, -- empty where its platform names no messages
    turn_id       INTEGER REFERENCES turns (id) ON DELETE CASCADE, -- empty for a pin whose message was never stored
    audience_kind TEXT NOT NULL,
    audience_key  TEXT NOT NULL,
    account       TEXT, -- whose it is
    author        TEXT, -- the same by name
    name          TEXT NOT NULL,
    bytes         INTEGER NOT NULL,
    hash          TEXT NOT NULL, -- of its content; empty while it was not read
    at_ms         INTEGER NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('reading', 'read', 'unread')),
    problem       TEXT NOT NULL, -- why it could not be read
    left_out      INTEGER NOT NULL, -- characters behind those that were kept
    CHECK (kind = 'pin' OR turn_id IS NOT NULL)
) STRICT;

CREATE INDEX sources_by_turn ON sources (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX sources_by_channel ON sources (channel, kind, at_ms);
CREATE INDEX sources_by_account ON sources (account) WHERE account IS NOT NULL;

CREATE TABLE source_passages (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    ordinal   INTEGER NOT NULL,
    heading   TEXT NOT NULL, -- the headings it stands under
    text      TEXT NOT NULL,
    terms_of  TEXT NOT NULL, -- the mark of who may know its words, as the table of words has it
    UNIQUE (source_id, ordinal)
) STRICT;

CREATE VIRTUAL TABLE source_words USING fts5 (
    terms, content='', contentless_delete=1, detail=none, tokenize='ascii'
);

CREATE TRIGGER source_words_insert AFTER INSERT ON source_passages BEGIN
    INSERT INTO source_words (rowid, terms)
    VALUES (new.id, search_terms(new.heading || ' ' || new.text, new.terms_of));
END;

CREATE TRIGGER source_words_delete AFTER DELETE ON source_passages BEGIN
    DELETE FROM source_words WHERE rowid = old.id;
END;

CREATE TRIGGER sources_follow_deletions AFTER UPDATE OF deleted_at_ms ON turns WHEN new.deleted_at_ms IS NOT NULL BEGIN
    DELETE FROM sources WHERE turn_id = new.id;
END;

-- A file that was taken off its message goes, and so does what a pin said before; pins are read again. A message names its
-- files in lines of their own, `> [file: rules.md, 2 KB]`.
CREATE TRIGGER sources_follow_changes AFTER UPDATE OF content ON turns WHEN new.content IS NOT old.content BEGIN
    DELETE FROM sources WHERE turn_id = new.id
        AND (kind = 'pin' OR instr(new.content, '> [') = 0
            OR instr(substr(new.content, instr(new.content, '> [')), ': ' || name || ', ') = 0);
END;

-- What a file said stays with the events of its message, as what the message said does, until that is forgotten: then it is
-- looked for in what others were told.
CREATE TRIGGER source_words_stay BEFORE DELETE ON sources
WHEN old.kind = 'document' AND EXISTS (SELECT 1 FROM turns WHERE id = old.turn_id) BEGIN
    INSERT INTO events (at_ms, kind, channel, turn_id, message, old_content)
    SELECT old.at_ms, 'deleted', old.channel, old.turn_id, coalesce(old.message, ''), text
    FROM source_passages WHERE source_id = old.id ORDER BY ordinal;
END;
