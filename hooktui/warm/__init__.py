"""The warm runner: a resident process that handles events in place of a new interpreter (decision 0031)."""
