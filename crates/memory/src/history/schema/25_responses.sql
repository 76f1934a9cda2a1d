-- What people who let it learn from that did with its replies. No words: which reply, who, what, how long the reply was, when.
CREATE TABLE responses (
    turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE, -- the reply
    account TEXT NOT NULL,
    deed    TEXT NOT NULL,
    channel TEXT NOT NULL, -- the reply's
    chars   INTEGER NOT NULL, -- of the reply, when it was done
    at_ms   INTEGER NOT NULL,
    PRIMARY KEY (turn_id, account, deed)
) STRICT, WITHOUT ROWID;

CREATE INDEX responses_by_channel ON responses (channel, at_ms);
CREATE INDEX responses_by_account ON responses (account);
