"""Lists of skipped hooks, as the journal keeps them: most events of a kind skip the same hooks for the same reasons.

A run belongs in a list if it says nothing but its hook, its position and why it was skipped. A list never changes.
"""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.runner.journal import side_files
from hooktui.runner.journal.entry import RunEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.runner.journal.entry import DispatchEntry

    Rows = Sequence[tuple[int, str, str, str]]  # position, version of the hook, skip, why

# What a run says in a list, and the values that it must have for the rest.
_LISTED = ("id", "dispatch", "hook_version", "position", "skip", "why", "started_ms")
_SILENT = {"state": "skipped", "decision": "none", "duration_ms": 0.0, "stdout": "", "stderr": "", "truncated": 0}
_PLAIN = {name: _SILENT.get(name) for name in RunEntry._fields if name not in _LISTED}


def taken_out(entry: DispatchEntry) -> tuple[DispatchEntry, Rows]:
    """An entry without the runs that belong in a list, and the list's rows for them."""
    listed: list[RunEntry] = []
    others: list[RunEntry] = []
    for run in entry.runs:
        (listed if _is_plain(run) else others).append(run)
    if not listed or len({run.position for run in listed}) < len(listed):  # somebody wrote into the spool
        return entry, []
    return entry.replace(runs=tuple(others)), rows_of(listed)


def _is_plain(run: RunEntry) -> bool:
    return run.state == "skipped" and bool(run.skip) and all(getattr(run, name) == value for name, value in _PLAIN.items())


def rows_of(runs: Sequence[RunEntry]) -> Rows:
    """The rows of a list with these skipped runs."""
    return sorted((run.position, run.hook_version, run.skip or "", run.why) for run in runs)


def version_of(rows: Sequence[object]) -> str:
    """The hash that identifies a list."""
    from _blake2 import blake2b  # the C module behind hashlib, which would import OpenSSL

    return blake2b(fast_json.dumps(rows).encode(), digest_size=16).hexdigest()


def keep(db: str, runs: Sequence[RunEntry]) -> str:
    """Write the list of skipped runs beside the log; its version. Raises OSError and UnicodeEncodeError."""
    rows = rows_of(runs)
    version = version_of(rows)
    side_files.keep(db, version, rows)
    return version
