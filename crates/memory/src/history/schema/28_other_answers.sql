-- Answers that were given to the same words besides the one that stands, for whoever goes back to them after a start. Only going
-- back reads them: they are no part of what was said. All of them go when anything is forgotten.
CREATE TABLE other_answers (
    asked         INTEGER PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE, -- the newest of the words
    audience_kind TEXT NOT NULL, -- the replies'
    audience_key  TEXT NOT NULL,
    texts         TEXT NOT NULL, -- JSON: all of them, oldest first
    stands        INTEGER NOT NULL, -- which of them; behind the last where another one was asked for
    at_ms         INTEGER NOT NULL
) STRICT;

CREATE TRIGGER answers_follow_deletions AFTER UPDATE OF deleted_at_ms ON turns WHEN new.deleted_at_ms IS NOT NULL BEGIN
    DELETE FROM other_answers WHERE asked = new.id;
END;
