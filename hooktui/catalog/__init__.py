"""All hooks of a user and a project, in firing order: loading, matching, and the compiled index."""
