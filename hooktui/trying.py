"""Trying one hook: on a made-up event that fits it, on a logged one, or on a payload that a person has written."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

from hooktui import events, handling, hosts, matching, patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.catalog import Catalog
    from hooktui.handling import Handled
    from hooktui.model import Event, Hook

SESSION = "try"  # tries have a session of their own, so that they lengthen no real one
_GRACE_S = 2.0  # how long a cancelled try may take to end its hook

_INPUTS: Mapping[str, Mapping[str, str]] = {
    "Shell": {"command": "ls"},
    "WriteFile": {"path": "notes.txt", "content": "text\n"},
    "ReadFile": {"path": "notes.txt"},
    "FetchURL": {"url": "https://example.com/"},
}
_SUBAGENT = {"subagent_name": "reviewer", "subagent_type": "coder", "task_description": "Review the change"}
# Values of the fields of events.FIELDS, as the examples of seed 001 §5 have them.
_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "pre-session": {"model": "kimi-latest", "args": {"ui": "shell", "agent": "default"}},
    "post-session": {"duration_seconds": 3600, "total_steps": 25, "exit_reason": "user_exit"},
    "pre-agent-turn": {"prompt": "Fix the failing test"},
    events.GATE: {
        "stop_reason": "no_tool_calls",
        "step_count": 5,
        "final_message": {"role": "assistant", "content": "Task completed successfully"},
    },
    "post-tool-call": {"tool_output": "done"},
    "post-tool-call-failure": {"error": "exit code 1"},
    "pre-subagent": _SUBAGENT,
    "post-subagent": _SUBAGENT,
    "pre-context-compact": {"trigger": "auto"},
}
# How a simple regex becomes a text that it finds: each step takes something away that stands for a choice.
_SIMPLER = (
    (r"\\b|(?<!\\)[\^$()]|\(\?:", ""),
    (r"(\\[Sw]|(?<!\\)\.)[*+]", "x"),
    (r"\\d[*+]?", "1"),
    (r"(\\s| )[*+]", " "),
    (r"(?<!\\)[*+?]", ""),
    (r"\\(.)", r"\1"),
)


class CannotTry(Exception):
    """A hook that cannot be tried on an event; the message says why, in a sentence."""


def payload_for(hook: Hook, project: str) -> dict[str, Any]:
    """An event for a hook, in the hook's own vocabulary; its tool and input fit the matcher where that is a simple one."""
    payload: dict[str, Any] = {
        "event_type": hook.event_as_written,
        "timestamp": _now(),
        "session_id": SESSION,
        "work_dir": project,
        "context": {},
    }
    if hook.event in events.TOOL_EVENTS:
        tool = _tool_for(hook)
        payload |= {"tool_name": tool, "tool_input": _input_for(hook, tool), "tool_use_id": "tool_1"}
    return {**payload, **_FIELDS.get(hook.event, {})}


def payload_again(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A logged event for another go, in the session of the tries."""
    return {**payload, "session_id": SESSION}


def event_of(hook: Hook, payload: Mapping[str, Any], project: str) -> Event:
    """The event that a payload makes for a hook. Raises CannotTry when it is another one than the hook listens to."""
    told = payload.get("event_type", payload.get("hook_event_name", hook.event_as_written))
    if (events.canonical(str(told)) or told) != hook.event:
        raise CannotTry(f"{hook.name} listens to {hook.event}, and this is an event of {told}")
    whole = {"work_dir": project, "session_id": SESSION, **payload}
    try:
        event: Event = hosts.load(hosts.detect(whole)).read(whole, hook.event_as_written, _now())
    except hosts.UnreadableEvent as error:
        raise CannotTry(str(error)) from error
    return event


def run(found: Catalog, hook: Hook, payload: Mapping[str, Any]) -> Handled:
    """Run one hook, alone, under its real limits, and record it as synthetic. Raises CannotTry."""
    event = event_of(hook, payload, found.project)
    if found.trust[hook.id] not in ("user", "trusted"):
        state = "changed since it was approved" if found.trust[hook.id] == "changed" else "not approved"
        raise CannotTry(f"{hook.name} is {state}: look at it and approve it with `hooktui trust --hook {hook.name}`")
    alone = hook.replace(rivals=())  # also one that a project's hook replaces can be tried
    return handling.handle(event, found.project, [alone], found.settings, synthetic=True)


async def try_hook(project: str, hook_id: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Try a hook through `hooktui try` in a process of its own; the report (contract.md).

    Cancelling ends the hook and all it started. Raises CannotTry.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "hooktui", "try", hook_id),
        *("--project", project, "--payload", "-", "--json"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        stdout, stderr = await process.communicate(json.dumps(dict(payload)).encode())
    finally:
        await _end(process)
    if process.returncode:
        raise CannotTry(stderr.decode(errors="replace").strip().removeprefix("hooktui: "))
    report = json.loads(stdout)
    assert isinstance(report, dict)
    return report


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask a try that still runs to end its hook, which leads a process group of its own; then end the try."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.returncode is not None:
            return
        os.killpg(process.pid, number)
        try:
            await asyncio.wait_for(process.wait(), _GRACE_S)
        except TimeoutError:
            continue


def _tool_for(hook: Hook) -> str:
    if hook.tool is None:
        return next(iter(_INPUTS))
    names = (*_INPUTS, *_texts_for(hook.tool))
    return next((name for name in names if _finds(hook.tool, name)), next(iter(_INPUTS)))


def _input_for(hook: Hook, tool: str) -> dict[str, str]:
    plain = dict(_INPUTS.get(tool, _INPUTS["Shell"]))
    pattern = hook.pattern
    if pattern is None or any(_finds(pattern, value) for value in plain.values()):
        return plain
    texts = (text for part in _texts_for(pattern) for text in (f"example{part}", part))
    fitting = next((text for text in texts if _finds(pattern, text)), None)
    return plain if fitting is None else {**plain, next(iter(plain)): fitting}


def _texts_for(regex: str) -> Iterator[str]:
    """Texts that a simple regex may find, one an alternative: guesses, to be checked."""
    for alternative in re.split(r"(?<!\\)\|", regex):
        text = alternative
        for pattern, replacement in _SIMPLER:
            text = re.sub(pattern, replacement, text)
        yield text


def _finds(regex: str, text: str) -> bool:
    try:
        return patterns.search(regex, text, time.monotonic() + matching.MATCH_BUDGET_S) is not None
    except (patterns.BadPattern, patterns.TooSlow):
        return False


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
