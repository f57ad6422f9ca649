-- Schema 7: imported events whose words are not in the index yet (word_index.py). A search compares their texts.

CREATE TABLE unindexed (
    id INTEGER PRIMARY KEY                    -- of the dispatch
);

PRAGMA user_version = 7;
