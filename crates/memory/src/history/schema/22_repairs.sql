-- Replies that are being repaired where people read them: what each is to say. A repair that is stored takes its row away;
-- what the program leaves behind when it is killed is done again at the next start.
CREATE TABLE repairs (
    turn_id INTEGER PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE,
    place   TEXT NOT NULL, -- JSON
    pieces  TEXT NOT NULL, -- JSON: its messages as they are to read; none where it is to go
    once    TEXT NOT NULL -- what tells that the same is posted again
) STRICT;
