-- Schema 4: what a hook is called, who ran the hooks of an event, its effect, and the records that were joined into one event
-- (joining.py). A digest covers a column of this schema only in rows that have it.

-- NULL in older rows: such a hook is called by its name.
ALTER TABLE hook ADD COLUMN label TEXT;

-- run, observed, python, try (contract.md, `origin`)
ALTER TABLE dispatch ADD COLUMN origin TEXT NOT NULL DEFAULT 'run';
-- stop, deny, ask, rewrite, allow, context, none
ALTER TABLE dispatch ADD COLUMN effect TEXT NOT NULL DEFAULT 'none';
-- joining.event_key; NULL: never joined
ALTER TABLE dispatch ADD COLUMN event_key INTEGER;
CREATE INDEX dispatch_origin ON dispatch (origin) WHERE origin <> 'run';
CREATE INDEX dispatch_effect ON dispatch (effect) WHERE effect <> 'none';
CREATE INDEX dispatch_key    ON dispatch (event_key) WHERE event_key IS NOT NULL;

-- observed; NULL: as the record's
ALTER TABLE run ADD COLUMN origin TEXT;
-- the record it came with, where that was joined to another
ALTER TABLE run ADD COLUMN part INTEGER;

-- The records of an event that was reported more than once, as they were recorded: by `run` and by `exec` around each observed
-- hook. The event is the row of `dispatch` that came first; it is merged from these.
CREATE TABLE part (
    id          INTEGER PRIMARY KEY,
    dispatch    INTEGER NOT NULL REFERENCES dispatch (id),
    tool        TEXT,
    decision    TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    ran         TEXT    NOT NULL,
    reason      TEXT,
    duration_ms REAL    NOT NULL,
    synthetic   INTEGER NOT NULL,
    payload     TEXT,                                                 -- NULL: that of the event
    effects     TEXT,
    origin      TEXT    NOT NULL
);
CREATE INDEX part_dispatch ON part (dispatch);

UPDATE dispatch SET origin = 'observed' WHERE id IN (
    SELECT dispatch FROM run WHERE hook IN (SELECT id FROM hook WHERE key GLOB '*:observed:*'));
UPDATE dispatch SET origin = 'python' WHERE session IN (SELECT id FROM session WHERE host = 'python');
UPDATE dispatch SET origin = 'try' WHERE synthetic = 1;
UPDATE dispatch SET effect = decision WHERE decision IN ('stop', 'deny', 'ask');
UPDATE dispatch SET effect = CASE
    WHEN json_extract(effects, '$.modified_input') IS NOT NULL THEN 'rewrite' WHEN decision = 'allow' THEN 'allow'
    WHEN json_array_length(effects, '$.additional_context') > 0 THEN 'context' ELSE 'none' END
FROM content WHERE content.id = dispatch.id AND json_valid(effects) AND decision IN ('allow', 'none');
UPDATE dispatch SET effect = 'allow' WHERE decision = 'allow' AND effect = 'none';

PRAGMA user_version = 4;
