"""The Fleet screen."""
