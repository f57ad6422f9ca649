"""Try a hook on events: run the real hook under its real limits, in this process or a separate one."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hooktui.engine import pipeline, worker_process
from hooktui.log.write.writer import LogWriter, db_path
from hooktui.simulate.payload_templates import CannotTry, NotApproved, event_of, payload_again, payload_for
from hooktui.simulate.unsaved_hooks import Edit, require_approval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.core.report import RunReport
    from hooktui.edit.copy_targets import Target
    from hooktui.engine.pipeline import Handled

__all__ = ["CannotTry", "Edit", "NotApproved", "Trial", "event_of", "payload_again", "payload_for", "run", "try_hook"]

_LONGEST = 1 << 28  # bytes of a report


def run(catalog: Catalog, hook: Hook, payload: Mapping[str, Any], *, edited: bool = False) -> Handled:
    """Run one hook alone and record the run as synthetic. Raises CannotTry.

    `edited`: the hook is an unsaved version from `unsaved_hooks`, which has checked the approval.
    """
    event = event_of(hook, payload, catalog.project)
    if not edited:
        require_approval(hook, catalog.trust[hook.id])
    alone = hook.replace(rivals=())  # a hook that a project hook overrides can be tried, too
    recorder = LogWriter(db_path(catalog.settings), catalog.settings.redact)
    return pipeline.handle(event, catalog.project, [alone], catalog.settings, recorder, synthetic=True, approved=edited)


class Trial:
    """A separate process (trial.py) that runs versions of one hook, or the hook and its copy at a target, event by event.

    Leaving the context ends everything that still runs. Entering it raises CannotTry.
    """

    def __init__(self, directory: str, hook_id: str, edits: Iterable[Edit] = (), target: Target | None = None) -> None:
        self._request: dict[str, Any] = {"directory": directory, "hook": hook_id, "edits": [asdict(edit) for edit in edits]}
        if target is not None:
            self._request["target"] = asdict(target)

    async def __aenter__(self) -> Self:
        self._process = await worker_process.start(("hooktui.simulate.trial",), limit=_LONGEST)
        try:
            await self._ask(self._request)
        except BaseException:
            await worker_process.end(self._process)
            raise
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await worker_process.end(self._process)

    async def run(self, payload: Mapping[str, Any], *, edited: bool = False) -> dict[str, Any]:
        """Run the hook once and return the report (contract.md). Raises CannotTry."""
        report = (await self._ask({"payload": dict(payload), "edited": edited}))["report"]
        assert isinstance(report, dict)
        return report

    async def compare(self, payload: Mapping[str, Any]) -> tuple[RunReport, RunReport]:
        """Run the hook and its copy; return the run of each as in a report (contract.md). Raises CannotTry."""
        answer = await self._ask({"payload": dict(payload)})
        return answer["original"], answer["copy"]

    async def _ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin and stdout and stderr
        stdin.write(json.dumps(question).encode() + b"\n")
        line = await stdout.readline()
        if not line:
            last = (await stderr.read()).decode(errors="replace").strip().rpartition("\n")[2]
            raise CannotTry(f"the trial process ended without a result: {last or 'killed'}")
        answer = json.loads(line)
        assert isinstance(answer, dict)
        if "error" in answer:
            raise (NotApproved if answer["unapproved"] else CannotTry)(answer["error"])
        return answer


async def try_hook(
    directory: str, hook_id: str, payload: Mapping[str, Any], edits: Iterable[Edit] = ()
) -> list[dict[str, Any]]:
    """Try a hook in a separate process, with edits first the edited and then the saved version; return the reports.

    Cancelling ends the hook and everything it started. Raises CannotTry.
    """
    edits = tuple(edits)
    async with Trial(directory, hook_id, edits) as trial:
        return [await trial.run(payload, edited=edited) for edited in ((True, False) if edits else (False,))]
