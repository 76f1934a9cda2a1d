-- How many turns still stand, by channel and thousand of ordinals, so that no prompt has to count what is older than it
-- shows: kept by triggers, and derived from turns.
CREATE TABLE live_turns (
    channel  TEXT NOT NULL,
    thousand INTEGER NOT NULL, -- ordinal / 1000
    turns    INTEGER NOT NULL,
    PRIMARY KEY (channel, thousand)
) STRICT, WITHOUT ROWID;

INSERT INTO live_turns
SELECT channel, ordinal / 1000, count(*) FROM turns WHERE deleted_at_ms IS NULL GROUP BY channel, ordinal / 1000;

CREATE TRIGGER live_turns_said AFTER INSERT ON turns WHEN new.deleted_at_ms IS NULL BEGIN
    INSERT INTO live_turns VALUES (new.channel, new.ordinal / 1000, 1)
    ON CONFLICT DO UPDATE SET turns = turns + 1;
END;

CREATE TRIGGER live_turns_took_back AFTER UPDATE OF deleted_at_ms ON turns
WHEN (old.deleted_at_ms IS NULL) != (new.deleted_at_ms IS NULL) BEGIN
    UPDATE live_turns SET turns = turns + iif(new.deleted_at_ms IS NULL, 1, -1)
    WHERE channel = new.channel AND thousand = new.ordinal / 1000;
END;

CREATE TRIGGER live_turns_forgotten AFTER DELETE ON turns WHEN old.deleted_at_ms IS NULL BEGIN
    UPDATE live_turns SET turns = turns - 1 WHERE channel = old.channel AND thousand = old.ordinal / 1000;
END;

-- How two people know each other is read from this index alone.
DROP INDEX turns_live_by_person;
CREATE INDEX turns_live_by_person
ON turns (author_account, audience_kind, audience_key, id, channel, at_ms, reply_to, role, deleted_at_ms)
WHERE deleted_at_ms IS NULL AND role = 'user';
