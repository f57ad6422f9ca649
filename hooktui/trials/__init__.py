"""Try a hook on events: run the real hook under its real limits, in this process or a separate one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from hooktui.catalog.hook_files import CatalogFiles
from hooktui.config import worker_process
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.runner import pipeline
from hooktui.runner.journal.recorder import SpoolRecorder
from hooktui.trials.payload_templates import NotApprovedError, TrialError, event_of, payload_again, payload_for
from hooktui.trials.unsaved_hooks import Edit, require_approval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import DecisionName, Dispatch, Event, Hook
    from hooktui.core.settings import DispatchContext
    from hooktui.runner.pipeline import Handled
    from hooktui.trials.backtest_matches import PastCall

__all__ = [
    "Edit",
    "NotApprovedError",
    "Trial",
    "TrialError",
    "event_of",
    "payload_again",
    "payload_for",
    "run",
    "run_unrecorded",
    "try_hook",
]

_LONGEST = 1 << 28  # bytes of a report


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


class Trial:
    """A separate process (trial.py) that runs hooks event by event.

    It runs versions of one hook, or without a hook all that run today.

    Leaving the context ends everything that still runs. Entering it raises TrialError. `recorded`: the log gets a row for
    each run of a version.
    """

    def __init__(
        self,
        directory: str,
        hook_id: str | None = None,
        edits: Iterable[Edit] = (),
        *,
        recorded: bool = True,
    ) -> None:
        self._request: dict[str, Any] = {
            "directory": directory,
            "hook": hook_id,
            "edits": [edit._asdict() for edit in edits],
            "recorded": recorded,
        }

    async def __aenter__(self) -> Self:
        self._process = await worker_process.start(("hooktui.trials.trial",), limit=_LONGEST)
        try:
            await self._ask(self._request)
        except BaseException:
            await worker_process.end(self._process)
            raise
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await worker_process.end(self._process)

    async def run(self, payload: Mapping[str, Any], *, edited: bool = False) -> dict[str, Any]:
        """Run the hook once and return the report (contract.md). Raises TrialError."""
        report = (await self._ask({"payload": dict(payload), "edited": edited}))["report"]
        assert isinstance(report, dict)
        return report

    async def decide(self, call: PastCall) -> DecisionName:
        """Run all of today's hooks on a logged event and return what they decide together. Raises TrialError."""
        decision: DecisionName = (await self._ask(call._asdict()))["decision"]
        return decision

    async def _ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        try:
            answer = await worker_process.exchange(self._process, question)
        except worker_process.WorkerEndedError as error:
            raise TrialError(f"the trial process ended without a result: {error}") from None
        if "error" in answer:
            raise (NotApprovedError if answer["unapproved"] else TrialError)(answer["error"])
        return answer


async def try_hook(
    directory: str, hook_id: str, payload: Mapping[str, Any], edits: Iterable[Edit] = ()
) -> list[dict[str, Any]]:
    """Try a hook in a separate process, with edits first the edited and then the saved version; return the reports.

    Cancelling ends the hook and everything it started. Raises TrialError.
    """
    edits = tuple(edits)
    async with Trial(directory, hook_id, edits) as trial:
        return [await trial.run(payload, edited=edited) for edited in ((True, False) if edits else (False,))]
