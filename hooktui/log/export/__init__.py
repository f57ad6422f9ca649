"""Exports of the log: JSON Lines, CSV, Markdown and HTML."""
