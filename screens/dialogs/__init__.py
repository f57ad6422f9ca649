"""Modal dialogs: each returns the user's answer."""
