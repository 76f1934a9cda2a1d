-- Which tools the turns of replies used, where anybody lets it learn. No arguments and no results.
CREATE TABLE reply_tools (
    turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE, -- the reply
    tool    TEXT NOT NULL,
    PRIMARY KEY (turn_id, tool)
) STRICT, WITHOUT ROWID;
