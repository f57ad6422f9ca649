-- The log (contract.md, "The log"), schema 1; schema-2.sql and schema-3.sql upgrade it. Ids are time-ordered integers (ids.py) that
-- serve as rowid, sort key and time.
-- `dispatch` is narrow, so that a million rows scroll; `content` has the columns that are read when a dispatch is opened.

CREATE TABLE session (
    id       INTEGER PRIMARY KEY,
    name     TEXT    NOT NULL,                -- the session id that the agent gave
    host     TEXT    NOT NULL,
    project  TEXT    NOT NULL,
    first    INTEGER NOT NULL,                -- ids of the first and last dispatch
    last     INTEGER NOT NULL,
    events   INTEGER NOT NULL DEFAULT 0,
    denials  INTEGER NOT NULL DEFAULT 0,      -- dispatches decided deny or stop
    failures INTEGER NOT NULL DEFAULT 0,      -- runs that ended failed, timeout or invalid-output
    hook_ms  REAL    NOT NULL DEFAULT 0,      -- time the agent waited for hooks
    UNIQUE (name, project, host)
);

CREATE TABLE hook (
    id      INTEGER PRIMARY KEY,
    version TEXT NOT NULL UNIQUE,             -- hash of everything below: one row for each version ever considered
    key     TEXT NOT NULL,                    -- the hook's id in `list --json`
    name    TEXT NOT NULL,
    format  TEXT NOT NULL,
    scope   TEXT NOT NULL,
    file    TEXT NOT NULL,
    line    INTEGER NOT NULL,
    event   TEXT NOT NULL,
    text    TEXT NOT NULL
);
CREATE INDEX hook_name ON hook (name);

CREATE TABLE dispatch (
    id          INTEGER PRIMARY KEY,
    session     INTEGER NOT NULL REFERENCES session (id),
    event       TEXT    NOT NULL,
    tool        TEXT,
    decision    TEXT    NOT NULL,
    state       TEXT    NOT NULL,             -- the worst state of its runs, '' when none ran
    ran         TEXT    NOT NULL,             -- names of the hooks that ran, joined by newlines
    reason      TEXT,
    duration_ms REAL    NOT NULL,
    synthetic   INTEGER NOT NULL DEFAULT 0    -- made by `try` or the demo's rehearsal, not by an agent
);
CREATE INDEX dispatch_session  ON dispatch (session, event, decision);
CREATE INDEX dispatch_event    ON dispatch (event);
CREATE INDEX dispatch_tool     ON dispatch (tool) WHERE tool IS NOT NULL;
CREATE INDEX dispatch_decision ON dispatch (decision) WHERE decision <> 'none';

CREATE TABLE content (
    id      INTEGER PRIMARY KEY REFERENCES dispatch (id),
    payload TEXT NOT NULL,                    -- the host's input: JSON, redacted and capped
    effects TEXT                              -- JSON: modified_input, additional_context, system_messages, logs, warnings
);

CREATE TABLE run (
    id          INTEGER PRIMARY KEY,
    dispatch    INTEGER NOT NULL REFERENCES dispatch (id),
    hook        INTEGER NOT NULL REFERENCES hook (id),
    position    INTEGER NOT NULL,             -- place in the order considered, from 0
    state       TEXT    NOT NULL,
    skip        TEXT,
    why         TEXT    NOT NULL,
    decision    TEXT    NOT NULL,
    via         TEXT,
    reason      TEXT,
    exit_code   INTEGER,
    signal      INTEGER,
    started_ms  REAL    NOT NULL,             -- from the start of the dispatch
    duration_ms REAL    NOT NULL,
    stdout      TEXT    NOT NULL,
    stderr      TEXT    NOT NULL,
    truncated   INTEGER NOT NULL,
    effects     TEXT                          -- JSON: modified_input, additional_context, system_message, log, problems
);
CREATE INDEX run_dispatch ON run (dispatch);
-- The query terms `hook:` and `state:` are answered from this index alone.
CREATE INDEX run_hook     ON run (hook, state, dispatch);

-- The words of payloads, reasons and outputs (rows: schema-3.sql), without the text and positions: a phrase is looked up by its
-- words, then compared with the stored text.
CREATE VIRTUAL TABLE words USING fts5 (body, content = '', detail = none, columnsize = 0, tokenize = "unicode61");

PRAGMA user_version = 1;
