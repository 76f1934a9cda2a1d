-- A file is known by the hash of what is in it, and by nothing else.
ALTER TABLE files DROP COLUMN bytes;
ALTER TABLE files DROP COLUMN modified_ns;
ALTER TABLE files DROP COLUMN problem;
