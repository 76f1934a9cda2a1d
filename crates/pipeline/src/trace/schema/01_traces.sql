-- How each turn went. Kept up to a number of turns; nothing else depends on it.

CREATE TABLE traces (
    id            INTEGER PRIMARY KEY NOT NULL,
    at_ms         INTEGER NOT NULL,
    channel       TEXT NOT NULL,
    audience      TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    model         TEXT,
    prompt_tokens INTEGER,
    reply_tokens  INTEGER,
    cost_usd      REAL,
    total_us      INTEGER NOT NULL,
    body          TEXT NOT NULL
) STRICT;

CREATE INDEX traces_by_channel ON traces (channel, id);

CREATE TABLE trace_authors (
    account  TEXT NOT NULL,
    trace_id INTEGER NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    PRIMARY KEY (account, trace_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX trace_authors_by_trace ON trace_authors (trace_id);

-- Turn numbers below this may have been given out already.
CREATE TABLE turn_numbers (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    reserved INTEGER NOT NULL
) STRICT;

INSERT INTO turn_numbers (only_row, reserved) VALUES (1, 1);
