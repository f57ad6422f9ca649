"""Problems that a logged run shows: an answer that a host rejects, a block that has no effect."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.core import fast_json
from hooktui.core.events import GATE
from hooktui.core.model import AzureEntry, HookDirectory
from hooktui.diagnostics import output_rules
from hooktui.diagnostics.exit_rules import BLOCK_WORDS, OVER
from hooktui.diagnostics.output_rules import Fault
from hooktui.formats.diagnostic_collector import shortened

if TYPE_CHECKING:
    from collections.abc import Callable

    from hooktui.core.model import Hook
    from hooktui.log.read.hook_history import LoggedRun

    _Rule = Callable[[Hook, LoggedRun], Fault | None]

_QUOTED = 80
# System errors that contain words of blocking.
_SYSTEM_ERROR = re.compile(
    r"(?:permission|access) denied|connection refused|operation not permitted|non-?blocking", re.IGNORECASE
)


def fault(hook: Hook, run: LoggedRun) -> Fault | None:
    """The first problem of a run. A failure alone is not a problem."""
    return next(filter(None, (rule(hook, run) for rule in _RULES)), None)


def quoted(text: str) -> str:
    """The start of a hook's output on one line."""
    return f"“{shortened(' '.join(text.split()), _QUOTED)}”"


def _unusable(hook: Hook, run: LoggedRun) -> Fault | None:
    if run.state != "invalid-output":
        return None
    message = f"the answer has no effect: {'; '.join(run.problems)}; the hook printed {quoted(run.stdout)}"
    return Fault("host-rejects-output", message, "print one JSON object that the host accepts, or nothing", _own_host(hook))


def _weak_exit(hook: Hook, run: LoggedRun) -> Fault | None:
    """Exit 1 with words of blocking, unless a failure denies."""
    failed_open = run.state == "failed" and run.exit_code == 1 and run.decision == "none"
    if not failed_open or hook.is_async or hook.event in OVER or not BLOCK_WORDS.search(_SYSTEM_ERROR.sub("", run.stderr)):
        return None
    message = f"exit 1 is a failure and allows the action; only exit 2 blocks; stderr was {quoted(run.stderr)}"
    return Fault("weak-exit", message, "exit 2 with the reason on stderr", _own_host(hook))


def _missed(hook: Hook, run: LoggedRun) -> Fault | None:
    """A Stop block where a host does not look."""
    if hook.event != GATE:
        return None
    top = _answer(hook, run).get("decision") == "block"
    nested = _specific(hook, run).get("decision") == "block"
    return output_rules.missing_block(hosts.readers(hook.format), at_top=top, nested=nested)


def _dropped(hook: Hook, run: LoggedRun) -> Fault | None:
    if run.state != "ok" or not run.problems:
        return None
    if isinstance(hook.source, AzureEntry):
        return Fault("host-misses-block", run.problems[0], "give a reason, on stderr with exit 2", _own_host(hook))
    message = f"part of the answer is ignored: {'; '.join(run.problems)}"
    return Fault("host-rejects-output", message, "print only fields that this event supports", _own_host(hook))


_RULES: tuple[_Rule, ...] = (_unusable, _weak_exit, _missed, _dropped)


def _own_host(hook: Hook) -> tuple[str, ...]:
    """The hook's host; AgentHooks has none."""
    return () if isinstance(hook.source, HookDirectory) else (hook.format,)


def _specific(hook: Hook, run: LoggedRun) -> dict[str, Any]:
    specific = _answer(hook, run).get("hookSpecificOutput")
    return specific if isinstance(specific, dict) else {}


def _answer(hook: Hook, run: LoggedRun) -> dict[str, Any]:
    """The JSON that a hook printed; empty if it is not JSON or was too long for the log."""
    readable = hosts.json_spec(hook.format) and run.state == "ok"
    return fast_json.parse_object(run.stdout) if readable else {}
