-- Schema 5: events that agents' transcripts tell of (origin `transcript`, imported.py). The hash chain does not cover them.

-- the agent's own title, '' without one
ALTER TABLE session ADD COLUMN title TEXT NOT NULL DEFAULT '';
-- contract.md, "Transcripts"; NULL where no transcript tells
ALTER TABLE dispatch ADD COLUMN outcome TEXT;
ALTER TABLE dispatch ADD COLUMN hooks_recorded TEXT;

-- How far each transcript was read. A file of the same inode that has grown is continued at its position.
CREATE TABLE transcript (
    path     TEXT    PRIMARY KEY,
    host     TEXT    NOT NULL,
    session  TEXT    NOT NULL,                -- the session id that the agent gave
    inode    INTEGER NOT NULL,
    size     INTEGER NOT NULL,                -- when it was read last
    changed  INTEGER NOT NULL,                -- its modification time then, in nanoseconds
    position INTEGER NOT NULL,                -- end of the last complete line that was read
    first    TEXT    NOT NULL,                -- id of its first record, which copies of it share
    state    TEXT    NOT NULL                 -- JSON, redacted: what its reader needs to go on
) WITHOUT ROWID;

PRAGMA user_version = 5;
