-- What makes names that others are given for our conversations different in every installation; drawn once.
CREATE TABLE installation (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    salt     BLOB NOT NULL CHECK (length(salt) = 16)
) STRICT;

INSERT INTO installation (only_row, salt) VALUES (1, randomblob(16));
