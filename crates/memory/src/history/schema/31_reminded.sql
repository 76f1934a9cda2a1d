-- What the familiar said because a reminder was due: it is no answer to anybody.
CREATE TABLE reminded (
    turn_id INTEGER PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE
) STRICT;

CREATE TRIGGER reminders_told AFTER INSERT ON turns
WHEN new.role = 'assistant' AND new.turn IS NOT NULL AND EXISTS (SELECT 1 FROM reminders WHERE turn = new.turn) BEGIN
    INSERT INTO reminded (turn_id) VALUES (new.id);
END;
