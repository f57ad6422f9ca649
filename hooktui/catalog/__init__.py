"""All hooks of a user and a project, in firing order: loading, and the compiled plan."""
