-- Feelings are kept by the audience before which they were moved: what somebody said alone with the familiar shows in its
-- tone where that may be known, and nowhere else.
CREATE TABLE feelings_by_audience (
    towards       TEXT NOT NULL, -- an account; empty for the mood
    audience_kind TEXT NOT NULL,
    audience_key  TEXT NOT NULL,
    valence       REAL NOT NULL,
    arousal       REAL NOT NULL,
    at_ms         INTEGER NOT NULL,
    PRIMARY KEY (towards, audience_kind, audience_key)
) STRICT, WITHOUT ROWID;

-- Nobody knows any more where the older ones come from, so they count as said alone. A mood has nobody to be alone with,
-- and has passed within a day anyway.
INSERT INTO feelings_by_audience
SELECT towards, 'dm', towards, valence, arousal, at_ms FROM feelings WHERE towards <> '';

DROP TABLE feelings;
ALTER TABLE feelings_by_audience RENAME TO feelings;

-- What a card remembers may be made of what was said: it is for those who could see the channel. Of the older ones the
-- smallest circle counts that ever could.
ALTER TABLE card_variables ADD COLUMN audience_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE card_variables ADD COLUMN audience_key TEXT NOT NULL DEFAULT '';

UPDATE card_variables SET (audience_kind, audience_key) = (
    SELECT t.audience_kind, t.audience_key FROM turns t WHERE t.channel = card_variables.channel
    ORDER BY CASE t.audience_kind WHEN 'dm' THEN 0 WHEN 'private' THEN 1 WHEN 'guild' THEN 2 ELSE 3 END, t.id DESC
    LIMIT 1)
WHERE EXISTS (SELECT 1 FROM turns t WHERE t.channel = card_variables.channel);
