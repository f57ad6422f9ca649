"""The process of the warm runner, `python -m hooktui.cli.resident [SECONDS]`: imports what events need, then serves."""

from __future__ import annotations

import _blake2
import binascii
import json
import sys
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import text_sanitizer
from hooktui.hosts.shared import json_answers, json_interpretation, json_stdin
from hooktui.runner import command, dispatch_report, process_tree, run, tool_skip_cache, upkeep
from hooktui.runner.journal import side_files, skipped_runs
from hooktui.runner.warm import runtime, server

if TYPE_CHECKING:
    from hooktui.runner.hook_files import HookFiles

# What `run` imports when it needs it: a process that has imported something else handles no second event.
_IMPORTED = (
    *(_blake2, binascii, json, json_answers, json_interpretation, json_stdin, run, dispatch_report, side_files),
    *(tool_skip_cache, process_tree, skipped_runs, text_sanitizer, upkeep),
)


def main(idle_s: float = runtime.IDLE_S) -> int:
    """Serve until nothing has come for so many seconds."""
    assert _IMPORTED
    hosts.specs()
    try:
        server.serve(_handle, idle_s)
    except server.AlreadyRunningError:
        return 0
    return 0


def _handle(arguments: list[str]) -> int:
    sys.argv = ["hooktui", "run", *arguments]
    return command.answer("run", arguments, _hook_files)


def _hook_files() -> HookFiles:
    from hooktui.catalog.hook_files import CatalogFiles

    return CatalogFiles()


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:2])))
