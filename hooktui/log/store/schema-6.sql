-- Schema 6: skipped hooks in lists that dispatches share (skip_lists.py). Older dispatches have a row of `run` for each.

CREATE TABLE skip_list (
    id      INTEGER PRIMARY KEY,
    version TEXT NOT NULL UNIQUE,             -- hash of what the list was made from
    digest  BLOB NOT NULL                     -- of its rows, with the digests of their hooks
);

CREATE TABLE skip (
    list     INTEGER NOT NULL REFERENCES skip_list (id),
    position INTEGER NOT NULL,                -- place in the order considered, among those that ran
    hook     INTEGER NOT NULL REFERENCES hook (id),
    skip     TEXT    NOT NULL,
    why      TEXT    NOT NULL,
    PRIMARY KEY (list, position)
) WITHOUT ROWID;
CREATE INDEX skip_hook ON skip (hook);

ALTER TABLE dispatch ADD COLUMN skips INTEGER;
-- NULL: that of no record, or the record has rows of `run`
ALTER TABLE part ADD COLUMN skips INTEGER;
CREATE INDEX dispatch_skips ON dispatch (skips) WHERE skips IS NOT NULL;

PRAGMA user_version = 6;
