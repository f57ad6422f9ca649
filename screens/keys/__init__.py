"""Key bindings, the help and jump mode."""
