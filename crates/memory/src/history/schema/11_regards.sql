-- What people's reactions under messages say to whoever wrote them. The emoji itself is not kept.
CREATE TABLE regards (
    turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    account TEXT NOT NULL,
    regard  TEXT NOT NULL,
    at_ms   INTEGER NOT NULL,
    PRIMARY KEY (turn_id, account, regard)
) STRICT, WITHOUT ROWID;

CREATE INDEX regards_by_account ON regards (account);

-- Whoever follows the turns hears of them.
CREATE TRIGGER turn_changes_after_regard AFTER INSERT ON regards BEGIN
    INSERT INTO turn_changes (turn_id) VALUES (new.turn_id);
END;

CREATE TRIGGER turn_changes_after_regard_taken_away AFTER DELETE ON regards BEGIN
    INSERT INTO turn_changes (turn_id) VALUES (old.turn_id);
END;

-- What was taken back is nobody's to agree with.
CREATE TRIGGER regards_follow_deletions AFTER UPDATE OF deleted_at_ms ON turns WHEN new.deleted_at_ms IS NOT NULL BEGIN
    DELETE FROM regards WHERE turn_id = new.id;
END;
