"""What host modules share: the shape of a Host, reading payloads, writing answers."""
