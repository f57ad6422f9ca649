"""JSON hook files of Claude Code, VS Code, Copilot CLI and others: find, read and edit."""
