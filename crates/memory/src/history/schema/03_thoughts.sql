-- What the familiar thought before its last few replies in a channel. Never part of a reply, never searched.

CREATE TABLE thoughts (
    channel       TEXT NOT NULL REFERENCES channels (channel),
    turn          INTEGER NOT NULL,
    audience_kind TEXT NOT NULL CHECK (audience_kind IN ('canon', 'guild', 'private', 'dm')),
    audience_key  TEXT NOT NULL,
    answered      TEXT, -- whom, by the name in prompts
    at_ms         INTEGER NOT NULL,
    content       TEXT NOT NULL,
    PRIMARY KEY (channel, turn)
) STRICT, WITHOUT ROWID;
