"""Record dispatches on the fast path: one line appended to the spool, before the agent gets its answer.

What recording needs is imported while a hook runs (`prepare`), when this process would wait.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hooktui.core.model import Dispatch, Run
    from hooktui.runner.journal.async_run_lease import AsyncRunLease
    from hooktui.runner.journal.entry import LogEntry

_KILLED = "the process of hooktui that watched over it was killed"


class SpoolRecorder:
    """Records in the spool of a log, and never raises. `has_grown`: the spool is worth a process that takes it in."""

    def __init__(self, db: str, secrets: Sequence[str] = ()) -> None:
        self.db = db
        self.has_grown = False
        self._secrets = secrets
        self._last_will: AsyncRunLease | None = None

    def prepare(self) -> None:
        """Import what `record` needs."""
        from hooktui.runner.journal import side_files

        assert side_files

    def record(self, dispatch: Dispatch) -> str | None:
        """Append a dispatch; a warning if a part of it, or of the log, is lost."""
        from hooktui.runner.journal import entry, side_files

        kept = side_files.keep_hooks(self.db, dispatch, self._secrets)
        return self._append(entry.of_dispatch(dispatch, self._secrets, kept))

    def has_list(self, version: str) -> bool:
        """Whether a list of skipped hooks is kept, so that a dispatch may name it."""
        from hooktui.runner.journal import side_files

        return side_files.is_kept(self.db, version)

    def keep_list(self, dispatch: Dispatch, numbers: Collection[int]) -> str | None:
        """Keep a list of runs, by their IDs, that a recorded dispatch skipped; its version, None if that is not possible."""
        from hooktui.runner.journal import entry, skipped_runs

        runs = zip(dispatch.places, dispatch.runs, strict=True)
        skipped = [entry.of_run(run, dispatch.id, place, self._secrets) for place, run in runs if run.id in numbers]
        try:
            return skipped_runs.keep(self.db, skipped)
        except (OSError, UnicodeEncodeError):
            return None

    def watch(self, run: Run, dispatch_id: int, position: int) -> None:
        """Make sure that an async run gets an end, from the process that watches over it, even if that process is killed."""
        from hooktui.runner.journal import async_run_lease, entry

        end = run.replace(state="interrupted", outcome=run.outcome.replace(problems=(_KILLED,)))
        try:
            self._last_will = async_run_lease.AsyncRunLease(self.db, entry.of_end(end, dispatch_id, position, self._secrets))
        except OSError:
            return

    def hand_over(self, run: Run, dispatch_id: int, position: int) -> None:
        """Append the end of an async run, from the process that watched over it; there is nobody to warn."""
        from hooktui.runner.journal import entry

        self._append(entry.of_end(run, dispatch_id, position, self._secrets))
        if self._last_will:
            self._last_will.revoke()

    def _append(self, line: LogEntry) -> str | None:
        from hooktui.runner.journal import spool

        try:
            self.has_grown = spool.append(self.db, line) > spool.LARGE
        except OSError as error:
            from hooktui.runner.journal import full_disk

            return full_disk.append(self.db, line, error)
        return None
