"""The process of the warm runner, `python -m hooktui.cli.resident [SECONDS]`: imports what events need, then serves."""

from __future__ import annotations

import _blake2
import binascii
import json
import sys

from hooktui import hosts
from hooktui.cli import fast, run
from hooktui.core import text_sanitizer
from hooktui.engine import dispatch_report, mismatches, process_tree, protocols
from hooktui.log.write import gate_log, hook_texts, skip_files, skip_lists, upkeep
from hooktui.warm import runtime, server

# What `run` imports when it needs it: a process that has imported something else handles no second event.
_IMPORTED = (
    *(_blake2, binascii, json, run, dispatch_report, gate_log, hook_texts, mismatches, process_tree),
    *(skip_files, skip_lists, text_sanitizer, upkeep),
)


def main(idle_s: float = runtime.IDLE_S) -> int:
    """Serve until nothing has come for so many seconds."""
    assert _IMPORTED
    for spec in hosts.specs():
        protocols.load(spec.name)
    try:
        server.serve(_handle, idle_s)
    except server.AlreadyRunning:
        return 0
    return 0


def _handle(arguments: list[str]) -> int:
    sys.argv = ["hooktui", "run", *arguments]
    return fast.answered("run")


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:2])))
