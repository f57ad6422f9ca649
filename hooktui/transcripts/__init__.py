"""The past: one module for each agent that keeps transcripts, and their incremental import."""
