"""What reads text from outside: each fuzzer reads anything, or refuses it by the reader's own error.

A fuzzer is a Hypothesis property without parameters. `FUZZERS` names them all.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import example, given
from hypothesis import strategies as st

from hooktui import config, formats, hosts
from hooktui.catalog import catalog
from hooktui.core.model import Event, Hook
from hooktui.edit import apply_fixes
from hooktui.hook_tests import example_events, example_files
from hooktui.log.read import query
from hooktui.log.store import import_journal
from hooktui.runner import redaction, run, trust
from hooktui.runner.journal import entry, spool
from hooktui.runner.process import Ended
from hooktui.scripts import commands
from hooktui.scripts.main_program import main_program
from hooktui.scripts.names import names
from hooktui.transcripts.agents import AGENTS
from hooktui.transcripts.reading import Reading, read_lines
from hooktui.transcripts.transcript_spec import TranscriptSpec
from tests import log_world
from tests.fuzz import strategies, transcript_lines
from tests.log_world import LogWorld

_PLACES = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/agents/a.md",
    ".claude/skills/a/SKILL.md",
    ".github/hooks/a.json",
    ".github/hooks/a/HOOK.md",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".cursor/hooks.json",
    ".factory/hooks.json",
    ".factory/settings.json",
)


_SPOOLED_ENTRY = entry.of_dispatch(LogWorld("/log.db").made("pre-tool-call", tool="Bash", runs=[log_world.run("guard")]), ())
_SPOOLED = json.loads(spool.to_json(_SPOOLED_ENTRY))


@contextmanager
def _home() -> Iterator[Path]:
    """A home of one example."""
    others = {name: "" for name in os.environ if name.startswith("XDG_")}
    with tempfile.TemporaryDirectory() as home, mock.patch.dict(os.environ, others | {"HOME": home}):
        yield Path(home)


@given(text=strategies.TEXTS | strategies.FRONTMATTER)
def _hook_file(text: str) -> None:
    for name in hosts.names():
        formats.load(name).parse(text, f"/project/{name}", "project")


@given(payload=strategies.OBJECTS)
def _event(payload: dict[str, Any]) -> None:
    for name in hosts.names():
        try:
            event = hosts.read(name, payload, None, "2026-01-01T00:00:00Z")
        except hosts.UnreadableEventError as error:
            assert str(error)
        else:
            assert isinstance(event.name, str)
            assert isinstance(event.session_id, str)


@given(stdout=strategies.BYTES, code=st.sampled_from([0, 1, 2, 127, -9]))
def _output(stdout: bytes, code: int) -> None:
    for name in hosts.names():
        hook = Hook(
            id="x", name="x", event="pre-tool-call", event_as_written="pre-tool-call", format=name, scope="user", file="/x",
            line=1, source=formats.detached_source(name),
        )  # fmt: skip
        event = Event(
            name="pre-tool-call", as_written="PreToolUse", known=True, host=name, session_id="s", work_dir="/", timestamp="",
            tool_name="Bash", tool_input={},
        )  # fmt: skip
        result = hosts.judge(name, hook, event, Ended(exit_code=code, stdout=stdout, stderr=stdout))
        assert result.state in ("ok", "failed", "invalid-output")
        if result.state != "ok":
            assert result.outcome.decision in ("none", "deny")  # some hosts deny when a hook fails


def _transcript(agent: TranscriptSpec) -> Callable[[], None]:
    @given(lines=transcript_lines.lines_of(agent))
    def read(lines: list[bytes]) -> None:
        reading = agent.begin("/home/sessions/project/session/agents/main/wire.jsonl")
        read_lines(reading, lines, agent.read)
        for event in reading.take():
            assert isinstance(event.tool, str | None)
            assert math.isfinite(event.at)
            json.dumps(agent.payload(agent, reading.session, event, "/home/x"))
        again = Reading.from_json(json.loads(json.dumps(reading.to_json())))
        assert list(again.open) == list(reading.open)

    return read


@given(content=strategies.BYTES)
def _stdin(content: bytes) -> None:
    limit = sys.getrecursionlimit()  # which reading raises
    try:
        assert isinstance(run.read_stdin(content), dict)
    except run.UnreadableStdinError as error:
        assert str(error)
    finally:
        sys.setrecursionlimit(limit)


@given(text=strategies.QUERIES)
def _query(text: str) -> None:
    try:
        query.parse(text)
    except query.QueryError as error:
        assert str(error)


@given(text=strategies.EXAMPLES)
def _examples(text: str) -> None:
    examples, problems = example_files.read(text, "/project/a.yaml")
    for made in examples:
        assert made.name
        assert made.expect
        with suppress(hosts.UnreadableEventError):
            example_events.event_of(made, "/project", "/project")
    assert all(problem.line > 0 and problem.message for problem in problems)


@given(text=strategies.SCRIPTS)
def _command(text: str) -> None:
    names(text)
    main_program(text)
    for script in commands.in_command(text, "/project", {}):
        assert script.path


@given(text=strategies.TEXTS | strategies.SCRIPTS)
def _secrets(text: str) -> None:
    assert redaction.redact(redaction.redact(text)) == redaction.redact(text)


@given(content=strategies.BYTES | strategies.CONFIGURATIONS.map(str.encode))
def _configuration(content: bytes) -> None:
    with _home() as home:
        (home / ".config/hooktui").mkdir(parents=True)
        (home / ".config/hooktui/config.toml").write_bytes(content)
        _settings, faults = config.load_with_faults()
        assert all(map(str, faults))


@given(files=st.dictionaries(st.sampled_from(_PLACES), strategies.FILES, min_size=1, max_size=3))
@example(files={".claude/settings.json": '{"hooks": {"PreToolUse": [{"args": true}]}}'})
@example(files={".claude/settings.json": '{"hooks": {"Stop": [{"hooks": [{"command": "x", "timeout": 1e308}]}]}}'})
@example(files={".codex/config.toml": '[[hooks.Stop]]\nhooks = [{type = "command", command = "x", timeout = nan}]'})
def _project(files: dict[str, str]) -> None:
    _check(files)


@given(text=strategies.HOOK_SCRIPTS, command=st.sampled_from(("scripts/x", "bash scripts/x", "python3 scripts/x x", "{}")))
def _script(text: str, command: str) -> None:
    """A script, or a command, in the files of several hosts."""
    entry = {"type": "command", "command": command.replace("{}", text)}
    hooks = {event: [{"hooks": [entry]}] for event in ("PreToolUse", "PostToolUse", "Stop")}
    places = (".claude/settings.json", ".codex/hooks.json", ".github/hooks/a.json", ".factory/settings.json")
    _check({**dict.fromkeys(places, json.dumps({"hooks": hooks})), "scripts/x": text, "scripts/lib.sh": text})


def _check(files: dict[str, str]) -> None:
    """Load a project with these files, check it and plan its fixes."""
    with _home() as home:
        (home / "project/.git").mkdir(parents=True)
        for place, text in files.items():
            (home / "project" / place).parent.mkdir(parents=True, exist_ok=True)
            (home / "project" / place).write_bytes(text.encode("utf-8", "surrogatepass"))
        loaded = catalog.load(str(home / "project"))
        assert catalog.list_json(loaded) is not None
        assert all(diagnostic.message and diagnostic.line for diagnostic in loaded.diagnostics)
        apply_fixes.plan(loaded)


@given(lines=st.lists(strategies.BYTES | strategies.changed(_SPOOLED).map(str.encode), max_size=4))
def _spooled(lines: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        db = os.path.join(directory, "log.db")
        with open(spool.path_of(db), "wb") as file:
            file.write(b"\n".join(lines))
        spool.append(db, _SPOOLED_ENTRY)
        import_journal.take(db)
        with sqlite3.connect(db) as connection:
            stored = connection.execute("SELECT count(*) FROM dispatch WHERE id = ?", [_SPOOLED_ENTRY.id]).fetchone()
        connection.close()
        assert stored == (1,)
        assert spool.is_empty(db)


@given(content=strategies.BYTES)
def _trust_store(content: bytes) -> None:
    with _home():
        os.makedirs(os.path.dirname(trust.store_path()))
        Path(trust.store_path()).write_bytes(content)
        for approved in trust.approvals("/project").values():
            assert all(isinstance(digest, str) for digest in approved)


FUZZERS: dict[str, Callable[[], None]] = {
    "hook-file": _hook_file,
    "event": _event,
    "output": _output,
    **{f"transcript-{agent.name}": _transcript(agent) for agent in AGENTS},
    "stdin": _stdin,
    "spool": _spooled,
    "query": _query,
    "examples": _examples,
    "command": _command,
    "secrets": _secrets,
    "configuration": _configuration,
    "project": _project,
    "script": _script,
    "trust-store": _trust_store,
}
