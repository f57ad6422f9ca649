"""The Diagnostics screen."""
