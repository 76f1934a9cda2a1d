-- Stretches of a channel that a background job passed over because its model gave nothing: they are read again later.
-- `not_before_ms` is empty where that was given up. Numbers only; no words.
CREATE TABLE passed_over (
    worker        TEXT NOT NULL,
    channel       TEXT NOT NULL,
    first_turn    INTEGER NOT NULL,
    last_turn     INTEGER NOT NULL,
    why           TEXT NOT NULL,
    tries         INTEGER NOT NULL,
    not_before_ms INTEGER,
    since_ms      INTEGER NOT NULL,
    answer        TEXT,
    PRIMARY KEY (worker, channel, last_turn)
) STRICT, WITHOUT ROWID;
