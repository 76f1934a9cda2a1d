-- A reply whose message is edited as it comes: after a kill the message is to read what is stored.
ALTER TABLE deliveries ADD COLUMN grows INTEGER NOT NULL DEFAULT 0;
