"""Play the demo as agents would: one `hooktui run` process per event, and the files that tools write."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from hooktui import hosts
from hooktui.demo.scripted_agents import DemoEvent, scenario
from hooktui.demo.world import World
from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader

_SETTLE_S = 5.0  # time limit for the last async hooks
# For each host: arguments of `run`, and its payload keys for event, session, directory and a tool call's number.
_CALLS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "agenthooks": ("", ("event_type", "session_id", "work_dir", "tool_use_id")),
    "claude": (
        "--host claude --format agenthooks --format claude",
        ("hook_event_name", "session_id", "cwd", "tool_use_id"),
    ),
    "azure": ("--host azure --format azure", ("hook_event_name", "execution_summary")),
}


class NotHandledError(Exception):
    """`hooktui run` printed no report for an event."""


class Played(NamedTuple):
    """An event and the report of `hooktui run --json`."""

    event: DemoEvent
    report: Mapping[str, Any]

    def differences(self) -> Iterator[str]:
        decision, label = self.report["decision"], f"{self.event.session} {self.event.event}"
        if decision != self.event.decision:
            yield f"{label}: decision {decision}, expected {self.event.decision}"
        outcomes = {run["name"]: run["skip"] or run["state"] for run in self.report["hooks"]}
        for name, expected in self.event.hooks.items():
            if outcomes.get(name) != expected:
                yield f"{label}: {name} {outcomes.get(name, 'not considered')}, expected {expected}"


def play(world: World, pace: float = 1.0, stop: threading.Event | None = None, number: int = 1) -> Iterator[Played]:
    """Play all events. `pace` scales the pauses, 0 skips them; `stop` ends early. Raises NotHandledError.

    `number` is the round: sessions of later rounds have names of their own.
    """
    stop = stop or threading.Event()
    calls: Counter[str] = Counter()  # tool calls by session
    for each in scenario():
        event = replace(each, session=f"{each.session}-{number}") if number > 1 else each
        if stop.wait(event.pause_s * pace):
            return
        if event.writes:
            world.write(*event.writes)
        if event.event == "pre-tool-call":
            calls[event.session] += 1  # post-tool events have the number of their call
        yield Played(event, _fire(world, event, calls[event.session]))


def settle(world: World) -> None:
    """Wait for async hooks, which would otherwise write to a deleted directory."""
    with suppress(TimeoutError), world.entered():
        asyncio.run(asyncio.wait_for(_all_ended(), _SETTLE_S))


async def _all_ended() -> None:
    log = await LogReader.open()
    try:
        while await log.count(parse("state:started")):
            await asyncio.sleep(0.05)
    finally:
        await log.close()


def _fire(world: World, event: DemoEvent, call: int) -> dict[str, Any]:
    arguments, keys = _CALLS[event.host]
    common = [hosts.spec(event.host).spelling(event.event), event.session, world.project]
    if "tool_name" in event.fields:
        common.append(f"call-{call}")
    ended = subprocess.run(
        [sys.executable, "-I", "-m", "hooktui", "run", "--json", *arguments.split()],
        input=json.dumps({**dict(zip(keys, common, strict=False)), **_with_paths(event.fields, world.project)}),
        env=world.environment,
        cwd=world.project,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        report = json.loads(ended.stdout)
    except ValueError as error:
        raise NotHandledError(f"{event.session} {event.event}: not handled: {ended.stderr.strip()}") from error
    assert isinstance(report, dict)
    return report


def _with_paths(fields: Mapping[str, Any], project: str) -> dict[str, Any]:
    """The fields with the absolute path of a tool's file, as Claude Code sends it."""
    tool_input = fields.get("tool_input", {})
    if "file_path" not in tool_input:
        return dict(fields)
    return {**fields, "tool_input": {**tool_input, "file_path": os.path.join(project, tool_input["file_path"])}}


_FAILURES = ("failed", "timeout", "invalid-output")


def summary(played: Sequence[Played]) -> list[str]:
    """Summarize events, denials, rewrites, failures and skips."""
    runs = [run for result in played for run in result.report["hooks"]]
    denials = Counter(run["label"] for run in runs if run["decision"] in ("deny", "stop"))
    failures = Counter(f"{run['label']} {run['state']}" for run in runs if run["state"] in _FAILURES)
    rewrites = Counter(run["label"] for run in runs if run["modified_input"])
    skips = Counter(run["skip"] for run in runs if run["skip"])
    sessions = len({result.event.session for result in played})
    return [
        f"{len(played)} events in {sessions} sessions",
        f"denied    {_counted(denials)}",
        f"rewritten {_counted(rewrites)}",
        f"failed    {_counted(failures)}",
        f"skipped   {_counted(skips)}",
    ]


def differences(played: Iterable[Played]) -> list[str]:
    """List differences from the expected results."""
    return [difference for result in played for difference in result.differences()]


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"
