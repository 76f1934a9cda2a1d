-- The first word of a name or another label, folded, so that a name is found without reading all of them. Filled as the
-- graph is made anew, which this step comes with.
ALTER TABLE nodes ADD COLUMN word TEXT;
CREATE INDEX nodes_by_word ON nodes (word) WHERE word IS NOT NULL;
DROP INDEX edges_by_kind;
CREATE INDEX edges_by_name ON edges (dst) WHERE kind IN ('shown', 'called');
