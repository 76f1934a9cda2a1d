-- What the channel of a message is called, so that it can be told where two people spoke. Filled as the graph is made anew,
-- which this step comes with.
ALTER TABLE turns ADD COLUMN place TEXT;
