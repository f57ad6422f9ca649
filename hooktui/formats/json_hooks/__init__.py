"""Hook files of Claude Code, VS Code, Copilot CLI and others, in JSON or in TOML of the same shape: find, read and edit."""
