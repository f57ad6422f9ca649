"""What host modules share: the shape of a HostSpec, reading payloads, writing answers."""
