-- Schema 2: a hash chains every record to the previous one (hash_chain.py), and notes record the log's own changes.

-- The digest of all other columns.
ALTER TABLE hook ADD COLUMN digest BLOB;

CREATE TABLE link (
    seq     INTEGER PRIMARY KEY,              -- position in the chain, from 1
    session INTEGER NOT NULL,                 -- row of the record's session, 0 without a session
    nth     INTEGER NOT NULL,                 -- position within its session, from 1
    kind    TEXT    NOT NULL,                 -- dispatch, end (of an async run), note
    subject INTEGER NOT NULL,                 -- id of the dispatch, run or note
    digest  BLOB    NOT NULL,                 -- of the record
    hash    BLOB    NOT NULL                  -- of the previous hash, this row and its digest
);
CREATE UNIQUE INDEX link_session ON link (session, nth);

CREATE TABLE note (
    id     INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL,                     -- begun: the log has rows older than this schema; pruned: the oldest rows were removed
    detail TEXT NOT NULL                      -- JSON
);

PRAGMA user_version = 2;
