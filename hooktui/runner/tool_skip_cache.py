"""Remember which hooks the tool of an event rules out, so that further events with this tool need not load them.

Only `run` with an index does so, after its answer. `run --json` and dry runs judge every hook.
"""

from __future__ import annotations

from hooktui.core.model import JsonEntry, Mismatches
from hooktui.runner import pipeline, plan, trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Dispatch, Hook
    from hooktui.runner.journal.recorder import SpoolRecorder
    from hooktui.runner.plan import Compiled


def remember(directory: str, formats: Sequence[str], compiled: Compiled, dispatch: Dispatch, recorder: SpoolRecorder) -> None:
    """Remember what a recorded dispatch of hooks from an index has found out. Failures are ignored."""
    called = pipeline.called(dispatch.event)
    numbers = {run.id for run in dispatch.runs if run.skip == "tool-mismatch" and _is_settled(run.hook)}
    version = recorder.keep_list(dispatch, numbers) if called and numbers else None
    if called and version:
        others = [(place, run.hook.id) for place, run in enumerate(dispatch.runs) if run.id not in numbers]
        mismatches = Mismatches(version=version, places=tuple(place for place, _ in others))
        plan.remember(directory, formats, compiled, called, mismatches, {key for _, key in others})


def _is_settled(hook: Hook) -> bool:
    """Whether nothing but its matcher decides whether a hook runs. A project's hook needs approval, which comes first."""
    part = hook.source.part if isinstance(hook.source, JsonEntry) else ""
    return trust.is_own(hook) and not (hook.rivals or hook.agent or part)
