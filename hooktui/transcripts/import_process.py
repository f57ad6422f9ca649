"""A process that imports the past beside the app: progress as JSON Lines on stdout, at most ten a second.

It ends when its stdin is closed or it gets SIGTERM, after the transaction that it is in; killing it loses nothing.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sqlite3
import sys
import time
from contextlib import closing, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from hooktui.core import config
from hooktui.log.read.conditions import time_of
from hooktui.log.write.database import LogUnusable
from hooktui.transcripts.agents import BY_NAME, chosen
from hooktui.transcripts.past_import import import_lock, import_slices
from hooktui.transcripts.past_log import PastLog
from hooktui.transcripts.past_portions import ImportChoice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.settings import Settings
    from hooktui.transcripts.past_import import ImportProgress

BUSY = 3  # exit code: another import is doing it
_NICE = 10
_PERIOD_S = 0.1


def command(db: str) -> list[str]:
    """The command that imports into a log."""
    return [sys.executable, "-I", "-m", "hooktui.transcripts.import_process", db]


def choice_of(settings: Settings) -> ImportChoice:
    """What the user's configuration wants imported. Raises ValueError."""
    since = settings.history_since
    return ImportChoice(since=0.0 if since == "all" else time_of(since, time.time()), exclude=settings.history_exclude)


def main(db: str) -> int:
    """Import what the configuration wants; the exit code."""
    settings, _ = config.load_or_defaults()
    if not settings.history_enabled:
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(OSError):
        os.nice(_NICE)
    agents = chosen([name for name in settings.history_hosts if name in BY_NAME])
    try:
        with closing(PastLog(db, settings.redact)) as log, import_lock(db, waits=False) as is_ours:
            if not is_ours:
                return BUSY
            _report(import_slices(log, agents, choice_of(settings)))
    except (LogUnusable, sqlite3.Error, OSError, ValueError) as error:
        print(f"transcripts cannot be imported: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


def _report(slices: Iterator[ImportProgress]) -> None:
    """Print the progress of an import, until it ends or nobody is left who wants it."""
    printed_at, progress = 0.0, None
    for progress in slices:
        if progress.files_total and time.monotonic() - printed_at > _PERIOD_S:
            _print(progress)
            printed_at = time.monotonic()
        if select.select([sys.stdin], [], [], 0)[0] and not os.read(sys.stdin.fileno(), 4096):
            break
    if progress and progress.files_total:
        _print(progress)


def _print(progress: ImportProgress) -> None:
    print(json.dumps(asdict(progress)), flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
