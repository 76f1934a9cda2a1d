-- Where the conversation of a channel begins: what was said before is remembered, and is no part of it any more.
ALTER TABLE channels ADD COLUMN begins_behind INTEGER NOT NULL DEFAULT 0; -- the last ordinal that is no part of it
ALTER TABLE channels ADD COLUMN begins_at_ms INTEGER NOT NULL DEFAULT 0; -- when that was wished for
