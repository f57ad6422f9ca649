"""What a person sees who has no hooks at all: what hooks are, and how to begin."""

from __future__ import annotations

from hooktui.screens.widgets.empty import Empty

_WHAT_HOOKS_ARE = (
    "No hooks here yet.\n\n"
    "Hooks are programs that run when your agent does something: before a tool,\n"
    "after it, when it wants to stop. They can allow, deny or rewrite it."
)
_KEYS = (
    ("{new}", "make a hook"),
    ("{demo}", "watch the demo: a project full of hooks, at work"),
    ("{help}", "all keys"),
    ("hooktui connect claude", "in a shell: have Claude Code call your hooks"),
)


class FirstRun(Empty):
    """Stands in place of the panes."""

    def __init__(self) -> None:
        super().__init__(id="first-run")

    def greet(self) -> None:
        """Say it, with the keys that the person has."""
        self.tell(_WHAT_HOOKS_ARE, _KEYS)
