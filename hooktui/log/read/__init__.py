"""The read side of the log: queries, sessions and verification."""
