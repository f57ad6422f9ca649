"""Modal dialogs: each asks one thing and returns the answer."""
