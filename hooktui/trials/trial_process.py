"""Run hooks event by event in a separate process, which cancelling ends with everything that it started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooktui.config import worker_process
from hooktui.trials.payload_templates import NotApprovedError, TrialError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from hooktui.core.model import DecisionName
    from hooktui.trials.backtest_matches import PastCall
    from hooktui.trials.unsaved_hooks import Edit

_LONGEST = 1 << 28  # bytes of a report


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
