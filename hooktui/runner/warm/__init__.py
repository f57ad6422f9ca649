"""The optional resident runner: its server, its C client, and the surroundings of a caller."""
