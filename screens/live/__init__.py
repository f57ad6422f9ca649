"""The Live screen."""
