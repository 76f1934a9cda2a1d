-- What people asked to be reminded of, and what they told of that is still open. What has been said goes; what comes again
-- gets its next moment.
CREATE TABLE reminders (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    kind          TEXT NOT NULL,
    account       TEXT NOT NULL, -- who asked
    asker         TEXT NOT NULL, -- JSON: the same with the names they had
    channel       TEXT NOT NULL,
    place         TEXT NOT NULL, -- JSON: where they asked
    audience_kind TEXT NOT NULL,
    audience_key  TEXT NOT NULL,
    words         TEXT NOT NULL,
    due_at_ms     INTEGER, -- empty for what has no moment
    zone          TEXT NOT NULL, -- by whose clock
    recurrence    TEXT,
    made_at_ms    INTEGER NOT NULL,
    fired_at_ms   INTEGER, -- when it was last said
    turn          INTEGER, -- the turn that is saying it
    said_at_ms    INTEGER, -- when what that turn said was stored
    tries         INTEGER NOT NULL DEFAULT 0, -- how often it could not be said
    not_before_ms INTEGER
) STRICT;

CREATE INDEX reminders_by_due ON reminders (due_at_ms) WHERE due_at_ms IS NOT NULL;
CREATE INDEX reminders_by_account ON reminders (account);
CREATE INDEX reminders_by_turn ON reminders (turn) WHERE turn IS NOT NULL;

-- However it comes to be known that it was said, also after the program was killed.
CREATE TRIGGER reminders_said AFTER INSERT ON turns WHEN new.role = 'assistant' AND new.turn IS NOT NULL BEGIN
    UPDATE reminders SET said_at_ms = new.at_ms WHERE turn = new.turn;
END;
