"""Trust and approval, redaction, and reading and writing a person's files safely."""
