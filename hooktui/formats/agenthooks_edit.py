"""Change one field of a HOOK.md and no other byte (architecture.md, rule 5)."""

from __future__ import annotations


def edit(text: str, field: str, value: object) -> str:
    """The text with one field changed."""
    raise ValueError("not yet")
