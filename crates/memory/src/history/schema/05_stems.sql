-- Words are found whatever their ending (memory 2.3: stemming is worth ten points of recall), and turns by when
-- they were said.
DROP TABLE turns_words;
DROP TRIGGER turns_fts_insert;
DROP TRIGGER turns_fts_delete;
DROP TRIGGER turns_fts_update;
DROP TABLE turns_fts;

CREATE VIRTUAL TABLE turns_fts USING fts5 (
    body,
    content = 'turns_searchable',
    content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

INSERT INTO turns_fts (turns_fts) VALUES ('rebuild');

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

CREATE VIRTUAL TABLE turns_words USING fts5vocab (turns_fts, row);

CREATE INDEX turns_by_time ON turns (at_ms) WHERE deleted_at_ms IS NULL;
