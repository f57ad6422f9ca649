"""New hooks as `hooktui new` and the app make them."""

from __future__ import annotations

from typing import Any

from hooktui.core.model import Hook
from hooktui.edit import create_hook, new_hook_places
from hooktui.edit.change_plan import carry_out
from hooktui.edit.drafts import HookDraft


def draft(
    project: str, name: str, event: str, format_name: str = "agenthooks", scope: str = "project", **wanted: Any
) -> HookDraft:
    """A hook as a person wants it, at the usual place of a format and scope."""
    return HookDraft(new_hook_places.default_place(project, format_name, scope), name, event, **wanted)


def make(
    project: str, name: str = "guard", event: str = "pre-tool-call", *where: str, own: bool = False, **wanted: Any
) -> Hook:
    """Create a hook, by default a project's HOOK.md; `own`: it is approved at once."""
    return carry_out(create_hook.plan(draft(project, name, event, *where, **wanted), own=own), project).plan.hook
