-- The message that somebody passed on with one of theirs, by its row: its words stand there too, and are forgotten with it.
ALTER TABLE turns ADD COLUMN forwards INTEGER;

CREATE INDEX turns_forwarding ON turns (forwards) WHERE forwards IS NOT NULL;
