"""Trust and approval, redaction, and safe editing of a person's files."""
