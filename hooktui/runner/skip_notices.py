"""Notices to the user about guards that did not run, once per session each (hosts.md, "Answers are closed").

They never reach a model, and never suggest approval.
"""

from __future__ import annotations

import os

from hooktui import hosts
from hooktui.core import paths
from hooktui.core.model import KEPT_FROM_RUNNING
from hooktui.runner import session_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Dispatch, Event, Run

_MOST_NAMED = 5  # hooks that are named one by one


def skipped_guards(dispatch: Dispatch) -> tuple[Run, ...]:
    """The hooks that could have denied the event and did not run, although the user has not disabled them."""
    if not hosts.spec(dispatch.event.host).can_deny(dispatch.event.name):
        return ()
    return tuple(run for run in dispatch.runs if run.skip in KEPT_FROM_RUNNING or _is_disabled_by_project(run))


def _is_disabled_by_project(run: Run) -> bool:
    return run.skip == "disabled" and run.hook.disabled_by_project


def notice(run: Run) -> str:
    """The sentence about a skipped guard."""
    return f"hook {run.hook.label} did not run: {run.why} ({run.skip})"


def notices(runs: Sequence[Run]) -> tuple[str, ...]:
    """A sentence for each skipped guard, or one for all that were skipped for the same reason if they are many."""
    sentences: list[str] = []
    for skip in dict.fromkeys(run.skip for run in runs):
        alike = [run for run in runs if run.skip == skip]
        named = len(alike) if len(alike) <= _MOST_NAMED else 0
        sentences += map(notice, alike[:named])
        if not named:
            sentences.append(f"{len(alike):,} hooks did not run ({skip}), such as {alike[0].hook.label}")
    return tuple(sentences)


def take(dispatch: Dispatch) -> tuple[str, ...]:
    """The notices of a dispatch that its session has not shown yet; marks them as shown."""
    skipped = skipped_guards(dispatch)
    if len(skipped) > _MOST_NAMED:  # one mark for all: thousands of hooks must not cost thousands of files
        together = "\0".join(f"{run.hook.identity} {run.skip}" for run in skipped)
        return notices(skipped) if is_first(dispatch.event, together) else ()
    return notices([run for run in skipped if is_first(dispatch.event, f"{run.hook.identity}\0{run.skip}")])


def is_first(event: Event, content: str) -> bool:
    """Mark a notice as shown in its session; False if it was already. True if the mark cannot be written."""
    path = session_files.path("notices", "\0".join((event.host, event.session_id, content)))
    try:
        paths.make_directories(os.path.dirname(path))
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError:
        return True
    session_files.forget_old(os.path.dirname(path))
    return True
