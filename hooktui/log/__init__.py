"""The log: every dispatch in SQLite, written on the fast path, read by the screens and `hooktui log`."""
