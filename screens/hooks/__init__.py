"""The Hooks screen."""
