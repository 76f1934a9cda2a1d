-- Replies on their way: what of each has been posted so far, written as it is posted. A reply that is stored takes its row
-- away; what the program leaves behind when it is killed is stored at the next start.
CREATE TABLE deliveries (
    turn        INTEGER PRIMARY KEY,
    channel     TEXT NOT NULL,
    reply       TEXT NOT NULL, -- JSON: the reply as it would be stored now
    answers     TEXT NOT NULL, -- JSON: the rows it answers
    being_sent  TEXT, -- the part of which nobody knows yet whether it arrived
    closed_into INTEGER REFERENCES turns (id) ON DELETE CASCADE, -- the row that a killed program's part belongs to
    is_closed   INTEGER NOT NULL DEFAULT 0
) STRICT;
