-- Words of turns and of summaries, in every language, each marked with who may know it (`search_terms` of the program).
-- Derived: rebuilt from turns by one command.
DROP TABLE turns_words;
DROP TRIGGER turns_fts_insert;
DROP TRIGGER turns_fts_delete;
DROP TRIGGER turns_fts_update;
DROP TABLE turns_fts;
DROP VIEW turns_searchable;
ALTER TABLE turns DROP COLUMN search_text;

CREATE VIRTUAL TABLE turn_words USING fts5 (
    terms, content='', contentless_delete=1, detail=none, tokenize='ascii'
);
CREATE VIRTUAL TABLE turn_vocabulary USING fts5vocab (turn_words, row);

INSERT INTO turn_words (rowid, terms)
SELECT id, search_terms(content, audience_kind || ':' || audience_key) FROM turns WHERE deleted_at_ms IS NULL;

CREATE TRIGGER turn_words_insert AFTER INSERT ON turns WHEN new.deleted_at_ms IS NULL BEGIN
    INSERT INTO turn_words (rowid, terms)
    VALUES (new.id, search_terms(new.content, new.audience_kind || ':' || new.audience_key));
END;

CREATE TRIGGER turn_words_delete AFTER DELETE ON turns BEGIN
    DELETE FROM turn_words WHERE rowid = old.id;
END;

CREATE TRIGGER turn_words_update
AFTER UPDATE OF content, audience_kind, audience_key, deleted_at_ms ON turns BEGIN
    DELETE FROM turn_words WHERE rowid = old.id;
    INSERT INTO turn_words (rowid, terms)
    SELECT new.id, search_terms(new.content, new.audience_kind || ':' || new.audience_key)
    WHERE new.deleted_at_ms IS NULL;
END;

-- Summaries that a model wrote of turns and that still hold.
CREATE VIRTUAL TABLE crystal_words USING fts5 (
    terms, content='', contentless_delete=1, detail=none, tokenize='ascii'
);

INSERT INTO crystal_words (rowid, terms)
SELECT id, search_terms(text, audience_kind || ':' || audience_key) FROM crystals
WHERE level = 0 AND stale = 0 AND text <> '' AND writer <> 'excerpts';

CREATE TRIGGER crystal_words_insert AFTER INSERT ON crystals
WHEN new.level = 0 AND new.stale = 0 AND new.text <> '' AND new.writer <> 'excerpts' BEGIN
    INSERT INTO crystal_words (rowid, terms)
    VALUES (new.id, search_terms(new.text, new.audience_kind || ':' || new.audience_key));
END;

CREATE TRIGGER crystal_words_delete AFTER DELETE ON crystals BEGIN
    DELETE FROM crystal_words WHERE rowid = old.id;
END;

CREATE TRIGGER crystal_words_update AFTER UPDATE OF text, stale, writer ON crystals BEGIN
    DELETE FROM crystal_words WHERE rowid = old.id;
    INSERT INTO crystal_words (rowid, terms)
    SELECT new.id, search_terms(new.text, new.audience_kind || ':' || new.audience_key)
    WHERE new.level = 0 AND new.stale = 0 AND new.text <> '' AND new.writer <> 'excerpts';
END;
