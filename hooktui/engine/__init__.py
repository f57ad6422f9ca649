"""Running hooks: one process, one outcome, one dispatch."""
