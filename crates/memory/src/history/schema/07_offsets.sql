-- How much had been said in the channel before this turn, in rough tokens; written once, with the turn. History in a
-- prompt is cut at multiples of a step of it, so that the cut is the same for every prompt until the next one, and the
-- same again in a replay. Edits and deletions leave it alone.
ALTER TABLE turns ADD COLUMN said_before INTEGER NOT NULL DEFAULT 0;

UPDATE turns SET said_before = sums.said_before
  FROM (SELECT id, coalesce(sum((length(CAST(content AS BLOB)) + 3) / 4 + 16) OVER (
                   PARTITION BY channel ORDER BY ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
               AS said_before
          FROM turns) AS sums
 WHERE sums.id = turns.id;
