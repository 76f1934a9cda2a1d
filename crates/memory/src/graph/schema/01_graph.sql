-- Everything here is derived from the history and the notes, and may be deleted at any time.

-- What still counts of the events before those in the log.
CREATE TABLE checkpoint (
    seq    INTEGER PRIMARY KEY,
    source TEXT NOT NULL UNIQUE,
    event  TEXT NOT NULL
) STRICT;

-- The newest events, at most one of each source.
CREATE TABLE log (
    seq    INTEGER PRIMARY KEY,
    source TEXT NOT NULL UNIQUE,
    event  TEXT NOT NULL
) STRICT;

-- How far the history was followed, and of which history this is.
CREATE TABLE place (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    turn     INTEGER NOT NULL,
    change   INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    history  TEXT NOT NULL,
    reads    INTEGER NOT NULL
) STRICT;

INSERT INTO place VALUES (1, 0, 0, 0, '', 0);
