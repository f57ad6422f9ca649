"""Changes to hooks, planned and shown first, then carried out and undone: switch, copy, convert, delete, form edits, fixes."""
