-- Schema 12: a failure that the agent reported shows a call that ran only where no call that a hook denied is one
-- (merge_sources.merged). database.py merges the recorded calls again.

PRAGMA user_version = 12;
