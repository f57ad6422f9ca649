"""What mends Textual from outside, each with its reason."""
