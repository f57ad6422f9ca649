"""Tries in a process of their own, so that cancelling can end them with everything they started.

Standard input holds JSON lines: first a request (`directory`, `hook`: its id, null for all that run today, `edits`: each path,
stamp and text, `recorded`: whether the log gets the runs), which is
answered by whether the hook can be tried at all; then for each try `payload` and `edited`: whether to run
the edited version; for all hooks a PastCall. Each answer is one line: `report`, or `original` and `copy`, or `decision`, or
`error` with a message.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

from hooktui.catalog import catalog
from hooktui.catalog.catalog import Catalog
from hooktui.core import paths
from hooktui.core.model import Hook
from hooktui.hosts import UnreadableEventError
from hooktui.log.read.connection import as_stored
from hooktui.runner import pipeline
from hooktui.runner.dispatch_report import report_json
from hooktui.trials import serving
from hooktui.trials.backtest_matches import PastCall, PastMatcher, event_of, todays_hooks
from hooktui.trials.payload_templates import SESSION, NotApprovedError, TrialError, payload_again
from hooktui.trials.runs import run, run_unrecorded, unrecorded
from hooktui.trials.unsaved_hooks import Edit, edited_version, require_approval

_KEPT_S = 3600.0  # an async hook may still run in its copy after the try


class _HookVersions:
    """The saved version of a hook and, with edits, the edited one. Raises TrialError if one of them may not or cannot run.

    `linger`: the edited version may still run in its directory after the last try.
    """

    def __init__(self, project_catalog: Catalog, saved: Hook, edits: Sequence[Edit], place: str, *, recorded: bool) -> None:
        self._catalog = project_catalog
        self._recorded = recorded
        self._versions = {False: saved}
        self.linger = False
        if edits:
            self._versions[True] = edited = edited_version(project_catalog, saved, edits, place)
            self.linger = edited.is_async

    def run(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run one version and return its report. Raises TrialError."""
        edited = request["edited"]
        version, payload = self._versions[edited], request["payload"]
        if self._recorded:
            done = run(self._catalog, version, payload, edited=edited).dispatch
        else:
            done = run_unrecorded(self._catalog, version, payload, edited=edited)
        return {"report": report_json(done)}


class _TodaysHooks:
    """All hooks that run today on an event that they match."""

    linger = False

    def __init__(self, project_catalog: Catalog) -> None:
        self._catalog = project_catalog
        self._hooks = todays_hooks(project_catalog)
        self._matcher = PastMatcher(self._hooks, None, project_catalog.settings.formats, as_stored(project_catalog.project))

    def run(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run those that match an event and return their decision. Raises TrialError."""
        call = PastCall(**request)
        try:
            hooks, event = self._matcher.matching(call), event_of(call)
        except UnreadableEventError as error:
            raise TrialError(str(error)) from error
        event = event.replace(session_id=SESSION, payload=payload_again(event.payload))
        is_here = call.project == as_stored(self._catalog.project) or not os.path.isdir(call.project)
        project = self._catalog.project if is_here else call.project
        hooks = tuple(hook.replace(rivals=()) for hook in hooks)
        return {"decision": pipeline.decide(event, hooks, unrecorded(self._catalog, hooks, project)).decision}


def main() -> int:
    """Answer requests until stdin ends or a signal arrives."""
    place, begun = _make_directory(), list[_HookVersions | _TodaysHooks]()

    def begin(request: Mapping[str, Any]) -> serving.Answer:
        begun.append(_load(request, place))
        return begun[0].run

    try:
        return serving.serve(begin, TrialError, _error)
    finally:
        if not any(tries.linger for tries in begun):
            shutil.rmtree(place, ignore_errors=True)


def _load(request: Mapping[str, Any], place: str) -> _HookVersions | _TodaysHooks:
    project_catalog = catalog.load(request["directory"])
    if request["hook"] is None:
        return _TodaysHooks(project_catalog)
    hook = next((hook for hook in project_catalog.hooks if hook.id == request["hook"]), None)
    if hook is None:
        raise TrialError("this hook no longer exists")
    require_approval(hook, project_catalog.trust[hook.id])
    edits = [Edit(**edit) for edit in request["edits"]]
    return _HookVersions(project_catalog, hook, edits, place, recorded=request["recorded"])


def _error(error: TrialError) -> dict[str, Any]:
    return {"error": str(error), "unapproved": isinstance(error, NotApprovedError)}


def _make_directory() -> str:
    """Make an empty directory for copies, and remove those that earlier tries left behind."""
    root = os.path.join(paths.state_dir(), "tries")
    paths.make_directories(root)
    for name in os.listdir(root):
        old = os.path.join(root, name)
        with contextlib.suppress(OSError):
            if time.time() - os.stat(old).st_mtime > _KEPT_S:
                shutil.rmtree(old)
    return tempfile.mkdtemp(dir=root)


if __name__ == "__main__":
    sys.exit(main())
