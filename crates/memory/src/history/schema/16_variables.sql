-- What a character's card remembers by itself in a conversation, set by its macros.
CREATE TABLE card_variables (
    channel TEXT NOT NULL,
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (channel, name)
) STRICT, WITHOUT ROWID;
