-- Where the words of a message begin in its turn, in bytes; empty where that is not known. Of a reply of several messages one may
-- be taken back.
ALTER TABLE turn_messages ADD COLUMN begins_at INTEGER;
