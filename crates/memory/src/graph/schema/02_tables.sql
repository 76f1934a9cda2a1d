-- Until now a log of events stood here, and the graph was made of it at every start.
DROP TABLE checkpoint;
DROP TABLE log;
DROP TABLE place;

-- People, channels, days, topics, notes, their lines, names. What no edge touches is not there.
CREATE TABLE nodes (
    id    INTEGER PRIMARY KEY,
    kind  TEXT NOT NULL,
    key   TEXT NOT NULL,
    -- How many edges begin or end here.
    edges INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, key)
) STRICT;

-- How two of them hang together, once before each circle of people. All but the first five columns follows from `said`.
CREATE TABLE edges (
    id       INTEGER PRIMARY KEY,
    src      INTEGER NOT NULL,
    dst      INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    audience TEXT NOT NULL,
    -- What a step over it costs: the less it says about the two, the more.
    cost     REAL NOT NULL,
    count    INTEGER NOT NULL DEFAULT 0,
    first_ms INTEGER,
    last_ms  INTEGER,
    strength REAL GENERATED ALWAYS AS (count / cost) VIRTUAL,
    UNIQUE (src, dst, kind, audience)
) STRICT;

CREATE INDEX edges_by_source ON edges (src, strength DESC) WHERE kind NOT IN ('shown', 'reads');
CREATE INDEX edges_by_target ON edges (dst, strength DESC) WHERE kind NOT IN ('shown', 'reads');
CREATE INDEX edges_by_kind ON edges (kind, last_ms);
CREATE INDEX labels ON edges (src) WHERE kind IN ('shown', 'reads');

-- That a message or a note says so, when. Messages have positive numbers, notes negative ones.
CREATE TABLE said (
    edge   INTEGER NOT NULL,
    at_ms  INTEGER NOT NULL,
    source INTEGER NOT NULL,
    -- Whether that depends on the message before it or on the one it answers as well.
    leans  INTEGER NOT NULL,
    -- In thousandths.
    weight INTEGER NOT NULL,
    PRIMARY KEY (edge, at_ms, source, leans)
) STRICT, WITHOUT ROWID;

CREATE INDEX said_by_source ON said (source, leans);

CREATE TRIGGER said_came AFTER INSERT ON said BEGIN
    UPDATE edges SET count = count + 1,
        first_ms = min(coalesce(first_ms, NEW.at_ms), NEW.at_ms),
        last_ms = max(coalesce(last_ms, NEW.at_ms), NEW.at_ms)
    WHERE id = NEW.edge;
END;

CREATE TRIGGER said_went AFTER DELETE ON said BEGIN
    UPDATE edges SET count = count - 1,
        first_ms = (SELECT min(at_ms) FROM said WHERE edge = OLD.edge),
        last_ms = (SELECT max(at_ms) FROM said WHERE edge = OLD.edge)
    WHERE id = OLD.edge;
    DELETE FROM edges WHERE id = OLD.edge AND count = 0;
END;

CREATE TRIGGER edge_came AFTER INSERT ON edges BEGIN
    UPDATE nodes SET edges = edges + 1 WHERE id IN (NEW.src, NEW.dst);
END;

CREATE TRIGGER edge_went AFTER DELETE ON edges BEGIN
    UPDATE nodes SET edges = edges - 1 WHERE id IN (OLD.src, OLD.dst);
    DELETE FROM nodes WHERE id IN (OLD.src, OLD.dst) AND edges = 0;
END;

-- The messages that stand, as far as those after them depend on them.
CREATE TABLE turns (
    id       INTEGER PRIMARY KEY,
    channel  TEXT NOT NULL,
    ordinal  INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    audience TEXT NOT NULL,
    -- NULL for the familiar and for bots.
    person   TEXT,
    answers  INTEGER,
    -- How it stands to the message it is meant for, and the first topics of it: words with spaces between.
    stance   TEXT NOT NULL,
    topics   TEXT NOT NULL
) STRICT;

CREATE INDEX turns_by_channel ON turns (channel, ordinal);
CREATE INDEX turns_by_answered ON turns (answers) WHERE answers IS NOT NULL;

-- The notes that were read, with the hash of their bytes.
CREATE TABLE notes (
    id     INTEGER PRIMARY KEY,
    path   TEXT NOT NULL UNIQUE,
    sha256 TEXT NOT NULL
) STRICT;

-- How far the history was followed, and of which history and reading of it this is.
CREATE TABLE place (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    turn     INTEGER NOT NULL,
    change   INTEGER NOT NULL,
    history  TEXT NOT NULL,
    reads    INTEGER NOT NULL
) STRICT;

INSERT INTO place VALUES (1, 0, 0, '', 0);
