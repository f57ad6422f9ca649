"""The vocabulary of the project: model, events, IDs, paths and the user's configuration."""
