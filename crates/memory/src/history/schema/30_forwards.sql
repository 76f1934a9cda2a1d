-- The message that somebody passed on with one of theirs: its words stand there too, and are forgotten with it. By its channel
-- and id, since it may be stored after what passes it on.
ALTER TABLE turns ADD COLUMN forwards_channel TEXT;
ALTER TABLE turns ADD COLUMN forwards_message TEXT;

CREATE INDEX turns_forwarding ON turns (forwards_channel, forwards_message) WHERE forwards_message IS NOT NULL;
