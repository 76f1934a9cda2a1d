-- Replies of the terminal and the window that were taken away because another answer was wanted, until that is there. What the
-- program leaves here when it is killed is brought back at the next start.
CREATE TABLE replaced (
    turn_id INTEGER PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE
) STRICT;
