-- What follows from a message or note that came or went is said here; until now the program said it row by row.

-- What is said, whole. Said by a source once more, it counts once; and nobody stands to themselves somehow, whichever
-- account they use.
CREATE VIEW sayings AS
SELECT f.kind AS from_kind, f.key AS from_key, f.word AS from_word, t.kind AS to_kind, t.key AS to_key, t.word AS to_word,
       e.kind, e.audience, e.cost, s.at_ms, s.source, s.leans, s.weight
FROM said s JOIN edges e ON e.id = s.edge JOIN nodes f ON f.id = e.src JOIN nodes t ON t.id = e.dst;

CREATE TRIGGER saying_came INSTEAD OF INSERT ON sayings
WHEN NEW.from_kind <> 'person' OR NEW.to_kind <> 'person' OR NEW.from_key <> NEW.to_key BEGIN
    INSERT INTO nodes (kind, key, word)
    VALUES (NEW.from_kind, NEW.from_key, NEW.from_word), (NEW.to_kind, NEW.to_key, NEW.to_word)
    ON CONFLICT DO NOTHING;
    INSERT INTO edges (src, dst, kind, audience, cost)
    SELECT f.id, t.id, NEW.kind, NEW.audience, NEW.cost FROM nodes f, nodes t
    WHERE f.kind = NEW.from_kind AND f.key = NEW.from_key AND t.kind = NEW.to_kind AND t.key = NEW.to_key
    ON CONFLICT DO NOTHING;
    INSERT INTO said (edge, at_ms, source, leans, weight)
    SELECT e.id, NEW.at_ms, NEW.source, NEW.leans, NEW.weight FROM nodes f, nodes t, edges e
    WHERE f.kind = NEW.from_kind AND f.key = NEW.from_key AND t.kind = NEW.to_kind AND t.key = NEW.to_key
      AND e.src = f.id AND e.dst = t.id AND e.kind = NEW.kind AND e.audience = NEW.audience
      AND NOT EXISTS (SELECT 1 FROM said WHERE source = NEW.source AND leans = NEW.leans AND edge = e.id);
END;

CREATE TRIGGER note_went AFTER DELETE ON notes BEGIN
    DELETE FROM said WHERE source = -OLD.id;
END;

-- Where messages came and went since what leans on them was said anew.
CREATE TABLE moved (
    id      INTEGER NOT NULL,
    channel TEXT NOT NULL,
    ordinal INTEGER NOT NULL
) STRICT;

CREATE TRIGGER turn_came AFTER INSERT ON turns BEGIN
    INSERT INTO moved VALUES (NEW.id, NEW.channel, NEW.ordinal);
END;

CREATE TRIGGER turn_went AFTER DELETE ON turns BEGIN
    DELETE FROM said WHERE source = OLD.id;
    INSERT INTO moved VALUES (OLD.id, OLD.channel, OLD.ordinal);
END;

-- These messages, the one behind each, and those that answer one.
CREATE VIEW touched AS
SELECT id FROM moved
UNION
SELECT (SELECT t.id FROM turns t WHERE t.channel = m.channel AND t.ordinal > m.ordinal ORDER BY t.ordinal LIMIT 1)
FROM moved m
UNION
SELECT t.id FROM moved m CROSS JOIN turns t ON t.answers = m.id;
