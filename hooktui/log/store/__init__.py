"""Storing: the journal and imported transcripts become rows, joined by event and chained by hash."""
