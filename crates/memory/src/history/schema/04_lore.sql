-- What lasts of lore entries in a channel: stays, rests, latches. Lengths are the channel's message ordinals.
CREATE TABLE lore_effects (
    channel    TEXT NOT NULL,
    book       TEXT NOT NULL,
    uid        INTEGER NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('sticky', 'cooldown', 'latched_on', 'latched_off')),
    entry_hash BLOB NOT NULL, -- eight bytes, little-endian: SQLite's integers have a sign
    started    INTEGER NOT NULL,
    ends       INTEGER, -- absent: never
    protected  INTEGER NOT NULL,
    PRIMARY KEY (channel, book, uid, kind)
) STRICT, WITHOUT ROWID;
