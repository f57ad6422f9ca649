"""Trying one hook on events: the real hook, under its real limits, in this process or in one of its own."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hooktui.engine import pipeline, worker_process
from hooktui.log.write.writer import LogWriter, db_path
from hooktui.simulate.edited_hook import Edit, require_approval
from hooktui.simulate.payload_templates import CannotTry, NotApproved, event_of, payload_again, payload_for

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


def run(found: Catalog, hook: Hook, payload: Mapping[str, Any], *, edited: bool = False) -> Handled:
    """Run one hook, alone, under its real limits, and record it as synthetic. Raises CannotTry.

    `edited`: it is a version that is not saved, made by edited.py, which has seen to it that it may run.
    """
    event = event_of(hook, payload, found.project)
    if not edited:
        require_approval(hook, found.trust[hook.id])
    alone = hook.replace(rivals=())  # also one that a project's hook replaces can be tried
    recorder = LogWriter(db_path(found.settings), found.settings.redact)
    return pipeline.handle(event, found.project, [alone], found.settings, recorder, synthetic=True, approved=edited)


class Trial:
    """A process of its own (trial.py) that runs versions of one hook, or the hook and its copy at a target, event by event.

    Leaving it ends what is still running, with all that it started. Entering raises CannotTry.
    """

    def __init__(self, project: str, hook_id: str, edits: Iterable[Edit] = (), target: Target | None = None) -> None:
        self._request: dict[str, Any] = {"project": project, "hook": hook_id, "edits": [asdict(edit) for edit in edits]}
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
        """The report of one try (contract.md). Raises CannotTry."""
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
            raise CannotTry(f"the try ended without an answer: {last or 'it was killed'}")
        answer = json.loads(line)
        assert isinstance(answer, dict)
        if "trouble" in answer:
            raise (NotApproved if answer["unapproved"] else CannotTry)(answer["trouble"])
        return answer


async def try_hook(project: str, hook_id: str, payload: Mapping[str, Any], edits: Iterable[Edit] = ()) -> list[dict[str, Any]]:
    """Try a hook in a process of its own, with edits the edited version and then the saved one; the reports (contract.md).

    Cancelling ends the hook and all it started. Raises CannotTry.
    """
    edits = tuple(edits)
    async with Trial(project, hook_id, edits) as trial:
        return [await trial.run(payload, edited=edited) for edited in ((True, False) if edits else (False,))]
