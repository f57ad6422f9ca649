"""Run one hook alone on an event, in this process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from hooktui.catalog.hook_files import CatalogFiles
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.runner import pipeline
from hooktui.runner.journal.recorder import SpoolRecorder
from hooktui.trials.payload_templates import event_of
from hooktui.trials.unsaved_hooks import require_approval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Dispatch, Event, Hook
    from hooktui.core.settings import DispatchContext
    from hooktui.runner.pipeline import Handled


def run(catalog: Catalog, hook: Hook, payload: Mapping[str, Any], *, edited: bool = False) -> Handled:
    """Run one hook alone and record the run as synthetic. Raises TrialError.

    `edited`: the hook is an unsaved version from `unsaved_hooks`, which has checked the approval.
    """
    event, alone = _prepared(catalog, hook, payload, edited=edited)
    recorder = SpoolRecorder(paths.log_path(catalog.settings.log_path), catalog.settings.redact)
    return pipeline.handle(
        event, catalog.project, [alone], catalog.settings, recorder, CatalogFiles, synthetic=True, approved=edited
    )


def run_unrecorded(catalog: Catalog, hook: Hook, payload: Mapping[str, Any], *, edited: bool = False) -> Dispatch:
    """Run one hook alone like `run`, without a row in the log. Raises TrialError."""
    event, alone = _prepared(catalog, hook, payload, edited=edited)
    context = unrecorded(catalog, [alone], _project(catalog, hook, event))
    return pipeline.decide(event, [alone], pipeline.in_place(context) if edited else context)


def unrecorded(catalog: Catalog, hooks: Sequence[Hook], project: str) -> DispatchContext:
    """The context for a dispatch in a project that is not recorded."""
    context = pipeline.dispatch_context(
        project, hooks, catalog.settings, CatalogFiles, denials_in_a_row=lambda: 0, on_async_end=lambda *_: None
    )
    return context.replace(synthetic=True)


def _project(catalog: Catalog, hook: Hook, event: Event) -> str:
    """The project to run a hook in: for one of all projects the event's own, if it is still there."""
    own = hook.scope in ("user", "managed") and os.path.isdir(event.work_dir)
    return projects.root(paths.canonical(event.work_dir)) if own else catalog.project


def _prepared(catalog: Catalog, hook: Hook, payload: Mapping[str, Any], *, edited: bool) -> tuple[Event, Hook]:
    """The event of a payload, and the hook without its rivals: one that a project hook overrides can be tried, too."""
    event = event_of(hook, payload, catalog.project)
    if not edited:
        require_approval(hook, catalog.trust[hook.id])
    return event, hook.replace(rivals=())
