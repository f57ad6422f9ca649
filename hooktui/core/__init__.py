"""The words everybody uses: records, events, ids, paths, configuration."""
