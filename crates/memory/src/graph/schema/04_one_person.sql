-- The accounts that are another's person, as they were when the messages were read: where that changes, the graph is made
-- anew.
CREATE TABLE one_person (
    account TEXT PRIMARY KEY NOT NULL,
    person  TEXT NOT NULL
) STRICT;
