"""The time that hooks add to a tool call in the real Claude Code."""

from __future__ import annotations

import json
import resource
import statistics
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.bench.figure import Figure
from tests.command_world import CommandWorld
from tests.hosts import programs
from tests.hosts.claude_code import ClaudeWorld
from tests.hosts.scripted_model import bash, say

_HOOKS = 10
_SESSIONS, _CALLS = 3, 10  # of each kind: 30 calls


class Calls(NamedTuple):
    """Milliseconds of tool calls, and of the processor for one of them."""

    wall: list[float]
    cpu: float

    def beyond(self, other: Calls) -> str:
        """The difference to other calls: median, 95th percentile and CPU."""
        wall = statistics.median(self.wall) - statistics.median(other.wall)
        p95 = statistics.quantiles(self.wall, n=20)[-1] - statistics.median(other.wall)
        return f"+{wall:.0f} ms, p95 +{p95:.0f} ms, CPU +{self.cpu - other.cpu:.0f} ms"


def added(world: CommandWorld) -> Figure | None:
    """30 calls of a tool with ten hooks that do nothing: HOOK.md hooks connected, Claude's own observed, and none.

    Sessions of the kinds alternate; the first call of each warms up and does not count. None without Claude Code.
    """
    program = programs.installed(programs.NEWEST) or programs.installed(programs.PINNED)
    if program is None:
        return None
    kinds = {kind: _world(world.home / kind, program, kind) for kind in ("none", "connected", "own", "observed")}
    taken = {kind: Calls([], 0.0) for kind in kinds}
    for _ in range(_SESSIONS):
        for kind, claude in kinds.items():
            wall, cpu = _session(claude)
            taken[kind] = Calls(taken[kind].wall + wall, taken[kind].cpu + cpu / _SESSIONS)
    for kind in ("connected", "observed"):
        assert len(kinds[kind].decisions("event:pre-tool-call")) >= len(taken[kind].wall), "Claude did not call us"
    none, connected, own, observed = taken.values()
    detail = f"{program}, {_HOOKS} hooks, {len(none.wall)} calls each; connected {connected.beyond(none)}; "
    detail += f"observed {observed.beyond(own)} beyond the same hooks unobserved ({own.beyond(none)})"
    return Figure(statistics.median(connected.wall) - statistics.median(none.wall), 100, "ms", detail)


def _world(root: Path, program: programs.Program, kind: str) -> ClaudeWorld:
    root.mkdir()
    claude = ClaudeWorld(root, program)
    if kind in ("own", "observed"):
        entries = [{"type": "command", "command": f"cat > /dev/null # {number}"} for number in range(_HOOKS)]
        settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": entries}]}}
        claude.settings(".claude/settings.json").write_text(json.dumps(settings))
    if kind == "connected":
        for number in range(_HOOKS):
            claude.hook(f"hook-{number}", "#!/bin/sh\ncat > /dev/null\n", matcher={"tool": "Bash"})
    if kind in ("connected", "observed"):
        observe = ["--observe"] if kind == "observed" else []
        claude.run("connect", "claude", "--scope", "project", "--yes", *observe)
    return claude


def _session(claude: ClaudeWorld) -> tuple[list[float], float]:
    """The milliseconds of each call, and the mean of the processor's, all child processes included."""
    before = _cpu()
    script = [bash(f"true {number}") for number in range(_CALLS + 1)]
    arrivals = claude.session(*script, say("all done")).arrivals
    calls = [(later - earlier) * 1000 for earlier, later in pairwise(arrivals)]
    return calls[1:], (_cpu() - before) * 1000 / len(calls)


def _cpu() -> float:
    """Seconds of the processor that ended children have had."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
