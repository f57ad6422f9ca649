"""The log: every dispatch in SQLite, taken from the journal, read by the screens and `hooktui log`."""
