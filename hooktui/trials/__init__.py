"""Try a hook on events: run the real hook under its real limits, in this process or a separate one."""
