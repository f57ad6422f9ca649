-- Schema 11: another rule tells what became of an event that a hook held or ended (merge_sources.outcome_of). database.py merges
-- the recorded events again.

UPDATE dispatch SET outcome = 'denied' WHERE outcome = 'denied-by-hook' AND event <> 'pre-tool-call' AND origin = 'transcript';

PRAGMA user_version = 11;
