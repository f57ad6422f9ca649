-- Schema 9: the events of one tool call are one row of a list (calls.py).

-- id of the first event of its call; NULL for that event, and for what belongs to no call
ALTER TABLE dispatch ADD COLUMN head INTEGER;
CREATE INDEX dispatch_head ON dispatch (head) WHERE head IS NOT NULL;

-- Of older events, the newest whose calls have an id.
UPDATE dispatch SET head = call.head FROM (
    SELECT dispatch.id AS event, min(dispatch.id) OVER (PARTITION BY session, json_extract(payload, '$.tool_use_id')) AS head
    FROM dispatch JOIN content USING (id)
    WHERE dispatch.id >= ifnull((SELECT id FROM dispatch ORDER BY id DESC LIMIT 1 OFFSET 50000), 0)
        AND dispatch.event IN ('pre-tool-call', 'post-tool-call', 'post-tool-call-failure') AND NOT synthetic
        AND CASE WHEN json_valid(payload) THEN json_extract(payload, '$.tool_use_id') END IS NOT NULL
) AS call WHERE dispatch.id = call.event AND call.head < call.event;

PRAGMA user_version = 9;
