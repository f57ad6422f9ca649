-- Schema 3: one row of the index of words is a whole dispatch, with all that its runs said (rowid: the dispatch's id), so that what
-- is found needs no second look. The same words as storing.words_of gives.

INSERT INTO words (words) VALUES ('delete-all');
INSERT INTO words (rowid, body)
SELECT id, replace(replace(replace(replace(payload, '\\', ' '), '\n', ' '), '\r', ' '), '\t', ' ') || char(10) || ifnull(reason, '')
    || ifnull((SELECT group_concat(char(10) || stdout || char(10) || stderr || char(10) || ifnull(run.reason, ''), '')
        FROM run WHERE run.dispatch = dispatch.id), '')
FROM dispatch JOIN content USING (id) ORDER BY id;

PRAGMA user_version = 3;
