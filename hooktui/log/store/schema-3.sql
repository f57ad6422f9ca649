-- Schema 3: one row of the word index covers a whole dispatch with its runs (rowid: the dispatch's id), so that a match needs no
-- further lookup. It has the same words as storing.words_of.

INSERT INTO words (words) VALUES ('delete-all');
INSERT INTO words (rowid, body)
SELECT id, replace(replace(replace(replace(payload, '\\', ' '), '\n', ' '), '\r', ' '), '\t', ' ') || char(10) || ifnull(reason, '')
    || ifnull((SELECT group_concat(char(10) || stdout || char(10) || stderr || char(10) || ifnull(run.reason, ''), '')
        FROM run WHERE run.dispatch = dispatch.id), '')
FROM dispatch JOIN content USING (id) ORDER BY id;

PRAGMA user_version = 3;
