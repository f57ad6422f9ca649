-- Schema 2: every record is chained to the one before by a hash (chain.py), and notes tell what the log did to itself.

-- Of everything else in the row.
ALTER TABLE hook ADD COLUMN digest BLOB;

CREATE TABLE link (
    seq     INTEGER PRIMARY KEY,              -- place in the chain, from 1
    session INTEGER NOT NULL,                 -- row of the record's session, 0 for those that have none
    nth     INTEGER NOT NULL,                 -- place among those of its session, from 1
    kind    TEXT    NOT NULL,                 -- dispatch, end (of an async run), note
    subject INTEGER NOT NULL,                 -- id of the dispatch, the run or the note
    digest  BLOB    NOT NULL,                 -- of what was recorded
    hash    BLOB    NOT NULL                  -- of the hash before, this row and its digest
);
CREATE UNIQUE INDEX link_session ON link (session, nth);

CREATE TABLE note (
    id     INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL,                     -- begun: rows older than this schema are there; pruned: the oldest were removed
    detail TEXT NOT NULL                      -- JSON
);

PRAGMA user_version = 2;
