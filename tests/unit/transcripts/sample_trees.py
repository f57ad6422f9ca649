"""The sample trees: real transcripts, and what a correct reader finds in them (expected.json)."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from hooktui.transcripts.agents import AGENTS
from hooktui.transcripts.reading import Reading, read_lines
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent
from hooktui.transcripts.transcript_spec import TranscriptSpec

SAMPLES = Path(__file__).parent / "samples"
TREES = {tree["sample"]: tree for tree in json.loads((SAMPLES / "expected.json").read_text())["samples"]}
_AGENT_NAMES = {agent.name: agent for agent in AGENTS} | {"kimi-code": next((a for a in AGENTS if a.name == "kimi"), None)}


def agent_of(tree: dict[str, Any]) -> TranscriptSpec | None:
    return _AGENT_NAMES.get(tree["host"])


def home_of(agent: TranscriptSpec) -> str:
    """The directory in the home of which a sample is a copy."""
    first = agent.host.transcripts[0]
    return os.path.dirname(first) if first.endswith(".db") else "/".join(first.split("/")[:2])


def below(agent: TranscriptSpec, root: Path | str) -> TranscriptSpec:
    """An agent whose transcripts are in a copy of a sample."""
    moved = {
        name: tuple(path.replace(home_of(agent), str(root), 1) for path in getattr(agent.host, name))
        for name in ("transcripts", "transcripts_of_subagents")
    }
    return replace(agent, host=agent.host.replace(**moved))


def install(sample: str, directory: Path) -> None:
    """Copy a sample to where its agent keeps it; a database is made from its SQL."""
    shutil.copytree(SAMPLES / sample, directory, dirs_exist_ok=True)
    for script in directory.glob("*.sql"):
        with closing(sqlite3.connect(script.with_suffix(".db"))) as database:
            database.executescript(script.read_text())


def readings(agent: TranscriptSpec, root: Path, chunk: int = 1 << 30) -> dict[str, list[Reading]]:
    """What is read of every file below a root, by session; `chunk` lines at a time, with the state stored in between."""
    sessions: dict[str, list[Reading]] = {}
    spec = below(agent, root)
    for file in sorted(spec.found(spec), key=lambda file: file.path):
        reading = agent.begin(file.path)
        stored: dict[str, TranscriptEvent] = {}
        portions = list(agent.portions(file))
        lines = [line for portion in portions for line in portion.lines]
        reading.skipped = sum(portion.cut for portion in portions)
        for first in range(0, len(lines), chunk):
            wanted = (line for line in lines[first : first + chunk] if not agent.is_idle(line))
            read_lines(reading, wanted, agent.read)
            for event in reading.take():
                event.stored = True
                stored[event.key] = event
            for event in reading.take_removed():
                stored.pop(event.key)
            reading = type(reading).from_json(json.loads(json.dumps(reading.to_json())))
        reading.changed = stored
        sessions.setdefault(reading.session.id, []).append(reading)
    return sessions


def matches(expected: object, actual: object) -> bool:
    """Whether a value is the expected one; an expected text that ends in … is a beginning."""
    if isinstance(expected, str) and expected.endswith("…"):
        return isinstance(actual, str) and actual.startswith(expected[:-1])
    return expected == actual


def kind(run: ReportedRun, event: str) -> str:
    """The kind of a run in expected.json."""
    if run.decision == "deny":
        return "blocked" if event.startswith("post-tool-call") else "denied"
    return run.state


def run_fields(run: ReportedRun, event: str) -> dict[str, Any]:
    return {
        "event": run.event,
        "kind": kind(run, event),
        "command": run.command,
        "exit_code": run.exit_code,
        "stdout": run.stdout,
        "stderr": run.stderr,
        "context": run.context,
        "reason": run.reason,
        "error": run.reason,
        "decision": run.decision,
        "modified_input": run.modified_input,
        "system_message": run.system_message,
        "timeout_ms": run.timeout_ms,
        "stop": run.decision == "stop",
        "stop_reason": run.reason,
    }


def event_fields(event: TranscriptEvent) -> dict[str, Any]:
    details = event.details
    return {
        "event": event.event,
        "tool": event.written_tool or event.tool,
        "input": written_input(event),
        "id": event.call,
        "outcome": event.outcome,
        "agent": event.agent,
        "parent_call": event.parent_call,
        **{name: details.get(name) for name in ("prompt", "source", "trigger", "agent_type", "task", "origin")},
        "final_message": details.get("last_assistant_message") or details.get("final_message"),
    }


def written_input(event: TranscriptEvent) -> object:
    """The input in the transcript's words, where hooks see another (Codex)."""
    if event.written_tool == "exec_command" and isinstance(event.input, dict):
        return {"cmd": event.input["command"]}
    return event.input


NOT_COMPARED = {"note", "hooks", "error"}


def differences(expected: list[dict[str, Any]], events: Iterable[TranscriptEvent]) -> list[str]:
    """What differs between the expected events of a session and those that were read, in any order."""
    left = list(events)
    wrong = []
    for wanted in expected:
        fields = {name: value for name, value in wanted.items() if name not in NOT_COMPARED and value is not None}
        index = next(
            (
                index
                for index, event in enumerate(left)
                if all(matches(value, event_fields(event)[name]) for name, value in fields.items())
            ),
            None,
        )
        if index is None:
            wrong.append(f"missing: {fields}")
            continue
        event = left.pop(index)
        wrong += [f"{fields}: {problem}" for problem in run_differences(wanted["hooks"], event)]
    return wrong + [f"not expected: {event_fields(event)}" for event in left if event.event != "pre-session"]


def run_differences(expected: list[dict[str, Any]], event: TranscriptEvent) -> list[str]:
    left = [run_fields(run, event.event) for run in event.hooks]
    wrong = []
    for wanted in expected:
        fields = {name: value for name, value in wanted.items() if name not in ("source", "hook_run")}
        found = next((run for run in left if all(matches(value, run[name]) for name, value in fields.items())), None)
        if found is None:
            wrong.append(f"hook {fields} among {left}")
        else:
            left.remove(found)
    return wrong + [f"hook not expected: {run}" for run in left]
