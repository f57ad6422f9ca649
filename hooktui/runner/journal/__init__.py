"""What `run` and `exec` write: the spool beside the log and its side files. The log reads this format."""
