"""HOOK.md directories: find, read and edit."""
