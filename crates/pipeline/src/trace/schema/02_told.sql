-- What lists tell of a turn, as JSON, and an index that holds all of it: records are long, and need not be read for that.

ALTER TABLE traces ADD COLUMN told TEXT;

UPDATE traces SET told = json_object(
    'trigger', coalesce(body ->> '$.trigger', ''),
    'silence', json(body -> '$.outcome.reason'),
    'is_timed_call', json(iif(body ->> '$.modality' = 'voice' AND json_array_length(body, '$.in_call') > 0, 'true', 'false'))
) WHERE outcome = 'silent' AND json_valid(body);

UPDATE traces SET told = json_object(
    'trigger', coalesce(body ->> '$.trigger', ''),
    'is_timed_call', json(iif(body ->> '$.modality' = 'voice' AND json_array_length(body, '$.in_call') > 0, 'true', 'false'))
) WHERE outcome <> 'silent' AND json_valid(body);

DROP INDEX traces_by_channel;
CREATE INDEX traces_by_channel ON traces (channel, id, at_ms, told);
