"""The scripts of new hooks run, and answer in their own host's protocol."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hooktui import hosts
from hooktui.catalog import catalog
from hooktui.core import events
from hooktui.edit import new_hook_places, script_answers, script_templates
from hooktui.runner import trust
from hooktui.trials import payload_templates, runs
from tests.new_hooks import draft, make, tried
from tests.unit.edit.world import World

pytestmark = pytest.mark.slow  # runs every template

SHELLS = {spec.name: spec.tools["shell"] for spec in hosts.specs() if spec.format not in ("", "own_plugin")}
FORMATS = tuple(SHELLS)
SCOPES = {"kimi": "user"}  # the others have hooks of a project
# The decisions of the answers in a script's comments; the others decide nothing.
DECIDES = {
    "deny": "deny",
    "also deny": "deny",
    "keep it working": "deny",
    "allow": "allow",
    "ask the user": "ask",
}
FORCE = "push.*(--force|it's)"


def where(format_name: str) -> tuple[str, str]:
    """The format and scope of a new hook."""
    return format_name, SCOPES.get(format_name, "project")


def events_of(format_name: str) -> list[str]:
    """The events of a format that have different answers, by canonical name if they have one."""
    if hosts.json_spec(format_name):
        found = (events.canonical(name) or name for name in hosts.spec(format_name).events)
        return [name for name in dict.fromkeys(found) if name in (*events.CANONICAL, "Notification", "PermissionRequest")]
    return [
        name for name in events.CANONICAL if not new_hook_places.default_place("/nowhere", format_name, "project").refusal(name)
    ]


@pytest.mark.parametrize("language", ["sh", "py"])
@pytest.mark.parametrize("format_name", FORMATS)
def test_new_guard_denies_only_what_it_matches(world: World, format_name: str, language: str) -> None:
    asked = {"tool": SHELLS[format_name], "pattern": FORCE, "language": language}
    guard = make(world.project, "guard", "pre-tool-call", *where(format_name), own=True, **asked)
    for command in ("git push --force", "push it's"):
        payload = payload_templates.typed(guard, world.project, SHELLS[format_name], command)
        denied = tried(world.project, guard, payload).outcome
        assert (denied.decision, denied.reason) == ("deny", f"Blocked this {SHELLS[format_name]} call")
        assert denied.problems == ()
    for tool, command in ((SHELLS[format_name], "git push"), ("Other", "git push --force")):
        run = tried(world.project, guard, payload_templates.typed(guard, world.project, tool, command))
        assert (run.outcome.decision, run.state in ("ok", "skipped")) == ("none", True)


@pytest.mark.parametrize("format_name", FORMATS[1:])  # the tests of `hooktui new` cover AgentHooks
def test_on_every_event_a_new_hook_reads_and_objects_to_nothing(world: World, format_name: str) -> None:
    for number, event in enumerate(events_of(format_name)):
        os.mkdir(project := world.path(event))
        hook = make(project, f"on-{number}", event, *where(format_name), own=True, language=("sh", "py")[number % 2])
        found = catalog.load(project, [format_name])
        run = tried(project, hook, loaded=found)
        assert (run.state, run.outcome.decision, run.stderr, run.outcome.problems) == ("ok", "none", "", ()), event
        assert [problem for problem in found.diagnostics if problem.severity == "error"] == [], event


@pytest.mark.parametrize("event", ["pre-tool-call", "post-tool-call", events.GATE, "pre-session", "PermissionRequest"])
@pytest.mark.parametrize("format_name", FORMATS)
def test_every_answer_in_the_comments_is_understood(world: World, format_name: str, event: str) -> None:
    if event not in events_of(format_name) or format_name == "azure":  # its script is in the file, and has fewer answers
        return
    make(world.project, "guard", event, *where(format_name), own=True)
    found = catalog.load(world.project, [format_name])
    [guard] = found.hooks
    [script] = [path for _, path in trust.covered(guard) if path.endswith(".sh")]
    comments = [line[4:] for line in world.read(script).decode().splitlines() if line.startswith("#   ")]
    assert comments[-1] == "no opinion       exit 0, with nothing on stdout"
    for comment in comments[:-1]:
        world.write(script, f"#!/bin/sh\n{comment[16:].strip()}\n".encode())
        [run] = runs.run(found, guard, payload_templates.payload_for(guard, world.project), edited=True).dispatch.runs
        assert (run.state, run.outcome.problems) == ("ok", ()), comment
        assert DECIDES.get(comment[:16].strip(), "none") == run.outcome.decision, comment


@pytest.mark.parametrize(
    ("event", "wanted", "says"),
    [
        ("pre-tool-call", {}, "Runs when a tool is about to run"),
        ("pre-tool-call", {"tool": "Shell"}, "Denies calls to Shell"),
        ("pre-tool-call", {"tool": "Shell|Edit|Write"}, "Denies calls to Shell, Edit or Write"),
        ("pre-tool-call", {"tool": "^mcp__"}, "Denies calls to tools that match ^mcp__"),
        ("pre-tool-call", {"pattern": "git push --force"}, "Denies tool calls whose input matches git push --force"),
        (
            "pre-tool-call",
            {"tool": "Shell", "pattern": "a: 'b' #c"},
            "Denies calls to Shell whose input matches a: 'b' #c",
        ),
        ("post-tool-call", {"tool": "Edit"}, "Runs when a tool has succeeded, for calls to Edit"),
        ("pre-session", {}, "Runs when a session begins"),
    ],
)
def test_description_of_a_new_hook_follows_its_fields(world: World, event: str, wanted: dict[str, str], says: str) -> None:
    assert make(world.project, "guard", event, own=True, **wanted).description == says
    [script] = [path for _, path in trust.covered(catalog.load(world.project).hooks[0]) if path.endswith("run.sh")]
    with open(script, encoding="utf-8") as file:
        assert f"# guard: {says[0].lower()}{says[1:]} ({event})." in file.read()
    assert catalog.load(world.project).diagnostics == ()


@pytest.mark.parametrize("language", ["sh", "py"])
def test_no_pattern_breaks_out_of_its_comment(world: World, language: str) -> None:
    pattern = "x\ntouch broken-out\r\x0btouch\u2028it" + "y" * 2000
    guard = make(world.project, "guard", "pre-tool-call", "claude", own=True, pattern=pattern, language=language)
    assert tried(world.project, guard, payload_templates.typed(guard, world.project, "Bash", "ls")).outcome.decision == "none"
    assert (
        tried(world.project, guard, payload_templates.typed(guard, world.project, "Bash", pattern)).outcome.decision == "deny"
    )
    assert sorted(os.listdir(world.project)) == [".claude"]
    described = make(world.project, "described", "pre-tool-call", own=True, pattern=pattern, language=language)
    assert len(described.description) < 1024


UNREADABLE = (b"", b" \n", b"no JSON", b'{"a":', b"[1, 2]", b"null", b"\xff\xfe", b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}")
# Any tool name and input, even text that a host cut in the middle of a character.
ODD: tuple[dict[str, Any], ...] = (
    {"tool_name": 'it\'s "q" $(touch pwned) `touch pwned`\n\r\u2028', "tool_input": {"command": "a\n'b' \"c\" $HOME ☃"}},
    {"tool_name": "\ud83d", "tool_input": {"command": "\ud83d"}, "toolName": "\ud83d"},
    {"tool_name": 5, "tool_input": None, "toolName": [], "toolArgs": "{"},
    {"tool_name": "Bash", "tool_input": {"command": "x" * 1_000_000}, "toolArgs": {"command": "x" * 1_000_000}},
)


@pytest.mark.parametrize("language", ["sh", "py"])
@pytest.mark.parametrize(("format_name", "wanted"), [("agenthooks", {}), ("vscode", {"tool": "Bash", "pattern": FORCE})])
def test_new_script_reads_any_input_and_reports_an_unreadable_event(
    tmp_path: Path, format_name: str, wanted: dict[str, str], language: str
) -> None:
    path = tmp_path / "run"
    path.write_text(
        script_templates.script(draft("/nowhere", "guard", "pre-tool-call", format_name, language=language, **wanted))
    )
    path.chmod(0o755)
    for stdin in UNREADABLE:
        done = subprocess.run([path], input=stdin, cwd=tmp_path, capture_output=True, check=False)
        said = b"stdin must be a JSON object\n"
        assert (done.returncode, done.stdout, done.stderr) == (2 if wanted else 1, b"", said), stdin  # a guard fails closed
    for event in ODD:
        done = subprocess.run([path], input=json.dumps(event).encode(), cwd=tmp_path, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), event
    assert [one.name for one in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize(("event", "effects"), [("PreToolUse", ["deny", "no opinion"]), ("PostToolUse", ["no opinion"])])
def test_a_script_is_told_only_of_answers_that_its_host_obeys(event: str, effects: list[str]) -> None:
    dialect = script_answers.dialect_of("kimi", event)
    told = script_answers.answers("kimi", dialect, events.canonical(event) or event, event)
    assert [answer.effect for answer in told] == effects
