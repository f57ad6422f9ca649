"""Fixes applied to Textual from outside. Each module names the reason and the Textual version it was seen in."""
