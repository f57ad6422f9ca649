"""The commands: `fast` for agents, the rest for people."""
