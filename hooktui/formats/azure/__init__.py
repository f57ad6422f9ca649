"""Azure SRE Agent's YAML files: find, read and edit."""
