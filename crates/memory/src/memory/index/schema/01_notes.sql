-- Everything here is derived from the files and may be deleted at any time.

CREATE TABLE files (
    path        TEXT PRIMARY KEY,
    bytes       INTEGER NOT NULL,
    -- In nanoseconds since 1970; NULL where the file was so fresh that another edit could leave the same time.
    modified_ns INTEGER,
    sha256      TEXT NOT NULL,
    -- Why nothing of it can be found; NULL where all is well.
    problem     TEXT
) STRICT;

CREATE TABLE passages (
    id         INTEGER PRIMARY KEY,
    path       TEXT NOT NULL,
    ordinal    INTEGER NOT NULL,
    line       INTEGER NOT NULL,
    -- The how manieth under its heading, from 0.
    part       INTEGER NOT NULL,
    -- From the outermost on, as JSON; only those that whoever may see the passage may see.
    headings   TEXT NOT NULL,
    fact       TEXT,
    audience   TEXT NOT NULL,
    text       TEXT NOT NULL,
    -- The comment of a fact, as it was read.
    data       TEXT NOT NULL,
    UNIQUE (path, ordinal)
) STRICT;

-- Words as they are looked for: folded and stemmed, with spaces between. `audience` is one word per audience, so that
-- who may see what is part of every question.
CREATE VIRTUAL TABLE words USING fts5 (
    audience, terms, content='', contentless_delete=1, tokenize='ascii'
);

CREATE VIRTUAL TABLE words_held USING fts5vocab (words, instance);
