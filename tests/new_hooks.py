"""New hooks as `hooktui new` and the app make them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hooktui.catalog import catalog
from hooktui.catalog.catalog import Catalog
from hooktui.core.model import Hook, Run
from hooktui.edit import create_hook, new_hook_places
from hooktui.edit.change_plan import carry_out
from hooktui.edit.drafts import HookDraft
from hooktui.trials import payload_templates, runs


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


def tried(project: str, hook: Hook, payload: Mapping[str, Any] | None = None, loaded: Catalog | None = None) -> Run:
    """The run of a hook alone, by default on an event that fits it; only its format is loaded."""
    loaded = loaded or catalog.load(project, [hook.format])
    hook = next(one for one in loaded.hooks if one.id == hook.id)
    [run] = runs.run(loaded, hook, payload or payload_templates.payload_for(hook, project)).dispatch.runs
    return run
