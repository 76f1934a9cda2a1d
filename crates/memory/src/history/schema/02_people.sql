-- How long people have been known and how much was said together, so that no prompt has to count: kept by triggers, and
-- derived from turns as these are.

CREATE TABLE acquaintances (
    account       TEXT NOT NULL,
    audience_kind TEXT NOT NULL,
    audience_key  TEXT NOT NULL,
    messages      INTEGER NOT NULL, -- of this person's, those that still stand
    first_at_ms   INTEGER NOT NULL, -- a message that was taken back was a meeting all the same
    PRIMARY KEY (account, audience_kind, audience_key)
) STRICT, WITHOUT ROWID;

INSERT INTO acquaintances
SELECT author_account, audience_kind, audience_key, sum(deleted_at_ms IS NULL), min(at_ms)
FROM turns WHERE author_account IS NOT NULL AND role = 'user'
GROUP BY author_account, audience_kind, audience_key;

CREATE TRIGGER acquaintances_said AFTER INSERT ON turns
WHEN new.author_account IS NOT NULL AND new.role = 'user' BEGIN
    INSERT INTO acquaintances VALUES (new.author_account, new.audience_kind, new.audience_key, 1, new.at_ms)
    ON CONFLICT DO UPDATE SET messages = messages + 1, first_at_ms = min(first_at_ms, excluded.first_at_ms);
END;

CREATE TRIGGER acquaintances_took_back AFTER UPDATE OF deleted_at_ms ON turns
WHEN old.deleted_at_ms IS NULL AND new.deleted_at_ms IS NOT NULL AND new.author_account IS NOT NULL AND new.role = 'user'
BEGIN
    UPDATE acquaintances SET messages = messages - 1
    WHERE account = new.author_account AND audience_kind = new.audience_kind AND audience_key = new.audience_key;
END;

CREATE TRIGGER acquaintances_forgotten AFTER DELETE ON turns
WHEN old.deleted_at_ms IS NULL AND old.author_account IS NOT NULL AND old.role = 'user' BEGIN
    UPDATE acquaintances SET messages = messages - 1
    WHERE account = old.author_account AND audience_kind = old.audience_kind AND audience_key = old.audience_key;
END;

CREATE INDEX turns_live_by_person ON turns (author_account, audience_kind, audience_key, id)
WHERE deleted_at_ms IS NULL AND role = 'user';

-- How the familiar feels: its mood under '', its warmth for a person under the account. As of at_ms; it fades from there.
CREATE TABLE feelings (
    towards TEXT PRIMARY KEY NOT NULL,
    valence REAL NOT NULL,
    arousal REAL NOT NULL,
    at_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
