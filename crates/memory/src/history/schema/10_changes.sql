-- Which turns were changed or removed after they were stored, for what is derived from turns and kept in memory: it
-- reads on from where it stopped. Numbers only; words that were taken back leave no trace here.
CREATE TABLE turn_changes (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    turn_id INTEGER NOT NULL
) STRICT;

CREATE TRIGGER turn_changes_after_update AFTER UPDATE OF content, deleted_at_ms, audience_kind, audience_key ON turns
BEGIN
    INSERT INTO turn_changes (turn_id) VALUES (new.id);
END;

CREATE TRIGGER turn_changes_after_removal AFTER DELETE ON turns BEGIN
    INSERT INTO turn_changes (turn_id) VALUES (old.id);
END;
