-- Schema 8: a transcript completes the events that were recorded (joining.py).

-- 1: a hook denied the call, and it ran all the same
ALTER TABLE dispatch ADD COLUMN overruled INTEGER NOT NULL DEFAULT 0;
CREATE INDEX dispatch_overruled ON dispatch (overruled) WHERE overruled;

-- What a transcript tells of an event that was recorded, too. An event that only a transcript tells has no row here.
CREATE TABLE told (
    key      INTEGER PRIMARY KEY,             -- of the event in its transcript (past_rows.key_of)
    dispatch INTEGER NOT NULL REFERENCES dispatch (id),
    row      TEXT    NOT NULL                 -- JSON, redacted
);
CREATE INDEX told_dispatch ON told (dispatch);

PRAGMA user_version = 8;
