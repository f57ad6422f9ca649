"""hooktui: see, edit, try, watch and audit the hooks of AI coding agents."""

__version__ = "0.1.0"
