"""The write side of the log: schema, writer, hash chain and spool."""
