"""What a person sees: one module a screen, its widgets beside it."""
