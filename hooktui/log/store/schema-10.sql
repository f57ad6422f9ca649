-- Schema 10: hook files of projects as they were, so that what was known of past events stays known after a change.

CREATE TABLE listing (
    host TEXT NOT NULL,
    directory TEXT NOT NULL,
    changed REAL NOT NULL, -- s since 1970: no file was changed from here …
    seen REAL NOT NULL, -- … to here
    files TEXT NOT NULL -- JSON: redacted text by path
);
CREATE INDEX listing_directory ON listing (host, directory, seen);

PRAGMA user_version = 10;
