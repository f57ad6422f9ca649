"""Notices to the user about guards that did not run, once per session each (hosts.md, "Answers are closed").

They never reach a model, and never suggest approval.
"""

from __future__ import annotations

import os
import time

from hooktui import hosts
from hooktui.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.core.model import Dispatch, Run

_KEPT_FROM_RUNNING = ("untrusted", "invalid", "bad-matcher", "host-skips-file")
_KEPT_S = 7 * 24 * 3600  # how long a mark is kept


def skipped_guards(dispatch: Dispatch) -> tuple[Run, ...]:
    """The hooks that could have denied the event and did not run, although they are enabled and match."""
    if not hosts.spec(dispatch.event.host).denies_by_exit_2(dispatch.event.name):
        return ()
    return tuple(run for run in dispatch.runs if run.skip in _KEPT_FROM_RUNNING)


def notice(run: Run) -> str:
    """The sentence about a skipped guard."""
    return f"hook {run.hook.label} did not run: {run.why} ({run.skip})"


def take(dispatch: Dispatch) -> tuple[str, ...]:
    """The notices of a dispatch that its session has not shown yet; marks them as shown."""
    return tuple(notice(run) for run in skipped_guards(dispatch) if _mark(dispatch, run))


def _mark(dispatch: Dispatch, run: Run) -> bool:
    """Mark a notice as shown in its session; False if it was already. True if the mark cannot be written."""
    import hashlib  # 3 ms, but checking the approval has already imported it

    about = "\0".join((dispatch.event.host, dispatch.event.session_id, run.hook.identity, run.skip or ""))
    path = os.path.join(_directory(), hashlib.sha256(about.encode(errors="surrogatepass")).hexdigest())
    try:
        paths.make_directories(_directory())
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError:
        return True
    _forget_old()
    return True


def _forget_old() -> None:
    """Delete the marks of sessions that began more than a week ago."""
    try:
        for mark in os.scandir(_directory()):
            if mark.stat().st_mtime < time.time() - _KEPT_S:
                os.unlink(mark.path)
    except OSError:  # another process is deleting them
        return


def _directory() -> str:
    return os.path.join(paths.state_dir(), "notices")
