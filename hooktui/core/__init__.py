"""What every room uses: the model, events, IDs, paths and the user's configuration."""
