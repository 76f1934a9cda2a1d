-- Up to which message of its platform a channel was forgotten: what a platform still shows of it is not taken in again.
ALTER TABLE channels ADD COLUMN forgotten_to INTEGER;
