"""Answers that one host obeys and another takes differently, each reported for the host that does."""

from __future__ import annotations

import json

import pytest

from hooktui.catalog import catalog
from tests.unit.diagnostics.host_files import CLAUDE, entry, grouped, put, script
from tests.unit.formats.agenthooks_world import World

CURSOR, DROID, GEMINI = ".cursor/hooks.json", ".factory/hooks.json", ".gemini/settings.json"
CODEX = ".codex/hooks.json"
COPILOT = ".github/hooks/c.json"
SILENT = ("weak-exit", "Codex CLI ignores an exit 2 without a reason on stderr, and the action proceeds")
ENDLESS = ("denies-everything", "Codex CLI has no limit at a stop, and this hook blocks every one")
DENY = '"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}'
TOOL, STOP = "PreToolUse", "Stop"


def problems(world: World) -> set[tuple[str, str]]:
    """Code and first words of the problems that a difference between hosts causes."""
    codes = ("weak-exit", "host-rejects-output", "host-misses-block", "denies-everything", "matches-nothing")
    found = catalog.load(str(world.project)).diagnostics
    return {(one.code, one.message.split(":")[0]) for one in found if one.code in codes}


@pytest.mark.parametrize(
    ("event", "command", "expected"),
    [
        (TOOL, "echo no; exit 2", {SILENT}),
        (TOOL, "exit 2", {SILENT}),
        (TOOL, "echo no >&2; exit 2", set()),
        (TOOL, "npm test || exit 2", set()),  # the tests may say why
        (TOOL, f"echo '{{{DENY}}}'", set()),
        (
            TOOL,
            f"cat <<E\n{{{DENY}, \"mine\": 1}}\nE",
            {("host-rejects-output", "Codex CLI ignores the whole answer because of its key mine")},
        ),
        (
            TOOL,
            'echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}\'',
            {("host-rejects-output", "Codex CLI reports a bare allow as a failed hook; the tool runs either way")},
        ),
        (TOOL, 'echo \'{"continue": false}\'', {("host-rejects-output", "Codex CLI ignores continue")}),
        (STOP, "echo again >&2; exit 2", {ENDLESS}),
        (STOP, "exit 2", {SILENT}),
        (STOP, 'echo \'{"decision": "block", "reason": "more"}\'', {ENDLESS}),
        (STOP, 'echo \'{"decision": "block"}\'', {("host-rejects-output", "Codex CLI ignores a block without a reason")}),
        (STOP, "test -f ok || { echo again >&2; exit 2; }", set()),
    ],
)  # fmt: skip
def test_what_codex_does_with_an_answer(world: World, event: str, command: str, expected: set[tuple[str, str]]) -> None:
    put(world, grouped(command, event), CODEX)
    assert problems(world) == expected


def test_the_same_answers_are_healthy_in_claude_alone(world: World) -> None:
    for number, (event, command) in enumerate([(TOOL, "echo no; exit 2"), (STOP, "echo again >&2; exit 2")]):
        put(world, grouped(command, event), (CLAUDE, CLAUDE.replace(".json", ".local.json"))[number])
    assert problems(world) == set()


def test_an_exit_2_at_a_stop_does_not_hold_copilot(world: World) -> None:
    put(world, entry("echo again >&2; exit 2", "agentStop"), COPILOT)
    assert problems(world) == {("weak-exit", "Copilot CLI stops all the same")}


def test_a_host_that_reads_the_file_too_counts_where_it_is_used(world: World) -> None:
    put(world, grouped('echo \'{"decision": "block", "reason": "no"}\'', TOOL, "Bash"), CLAUDE)
    assert problems(world) == set()
    (world.home / ".copilot").mkdir(parents=True)
    (world.home / ".copilot/config.json").write_text("{}")
    assert problems(world) == {("host-misses-block", "Copilot CLI does not read decision on PreToolUse")}


def test_a_list_with_commas_is_repaired_where_only_claude_knows_it(world: World) -> None:
    put(world, grouped("true", TOOL, "Bash, apply_patch"), CODEX)
    (problem,) = [one for one in catalog.load(str(world.project)).diagnostics if one.code == "matches-nothing"]
    assert problem.message == "Bash, apply_patch matches nothing: Codex CLI does not separate names by commas"
    assert problem.fix is not None
    assert problem.fix.text == '"Bash|apply_patch"'


@pytest.mark.parametrize(
    ("file", "event", "command", "expected"),
    [
        (CURSOR, "preToolUse", "echo checking",
         ("denies-everything", "Cursor expects JSON on stdout, and denies every tool call for other text")),
        (CURSOR, "preToolUse", "echo checking >&2; echo '{}'", None),
        (CURSOR, "preToolUse", "echo checking; echo no >&2; exit 2",
         ("host-rejects-output", "Cursor reads the reason from stdout first")),
        (CURSOR, "preToolUse", "echo '{\"decision\": \"block\", \"reason\": \"no\"}'",
         ("host-misses-block", "Cursor does not read decision on preToolUse")),
        (GEMINI, "BeforeTool", "echo no; exit 3", ("weak-exit", "Gemini CLI denies when a hook prints text and exits with 3")),
        (GEMINI, "BeforeTool", f"echo '{{{DENY}}}'",
         ("host-misses-block", "Gemini CLI does not read permissionDecision")),
        (DROID, TOOL, "echo '{\"hookSpecificOutput\": {\"permissionDecision\": \"ask\"}}'",
         ("host-rejects-output", "without a user at the terminal, Factory droid runs the tool when a hook asks")),
        (DROID, STOP, "echo again >&2; exit 2",
         ("denies-everything", "Factory droid has no limit at a stop, and this hook blocks every one")),
    ],
)  # fmt: skip
def test_what_other_hosts_do_with_an_answer(
    world: World, file: str, event: str, command: str, expected: tuple[str, str] | None
) -> None:
    group = [{"matcher": "*", "hooks": [{"type": "command", "command": command}]}]
    flat = {"version": 1, "hooks": {event: [{"command": command}]}}
    nested = {"hooks": {event: group}} if file == GEMINI else {event: group}
    put(world, json.dumps(flat if file == CURSOR else nested), file)
    assert expected is None or expected in problems(world)
    assert expected or problems(world) == set()


PRINTS = 'import json\nprint(json.dumps({"permissionDecision": "deny"}))\n'
NESTED = 'echo \'{"hookSpecificOutput": {"permissionDecision": "deny", "hookEventName": "PreToolUse"}}\'\n'


@pytest.mark.parametrize(
    ("file", "name", "text", "missed"),
    [
        (GEMINI, "a.py", PRINTS, True),
        (GEMINI, "a.py", PRINTS + "def main():\n    return 2\nsys.exit(main())\n", False),
        (COPILOT, "a.sh", NESTED, True),
        (COPILOT, "a.sh", f"{NESTED}exit 1\n", False),  # denies there
    ],
)
def test_an_answer_beside_an_exit_code_that_denies_is_not_missed(
    world: World, file: str, name: str, text: str, *, missed: bool
) -> None:
    command = f"{'python3' if name == 'a.py' else 'bash'} scripts/{name}"
    put(world, entry(command, "preToolUse") if file == COPILOT else grouped(command, "BeforeTool"), file)
    script(world, text, f"scripts/{name}")
    assert ("host-misses-block" in {code for code, _ in problems(world)}) is missed


ASKS = 'print(json.dumps({"decision": "ask"}))\n'
DENIES_BY_ANSWER = "function deny() {\n  console.log(JSON.stringify({ permission: 'deny' }));\n  process.exit(2);\n}\n"


@pytest.mark.parametrize(
    ("file", "event", "name", "text", "reported"),
    [
        (GEMINI, "BeforeTool", "a.py", f"import json\n{ASKS}", True),
        (GEMINI, "BeforeTool", "a.py", f"import json\nif host == 'gemini': deny()\nelse: {ASKS}", False),
        (CURSOR, "preToolUse", "a.sh", "echo checking\necho no >&2\nexit 2\n", True),
        (CURSOR, "preToolUse", "a.js", f"console.error('no log file');\n\n\n\n{DENIES_BY_ANSWER}", False),
        (CURSOR, "stop", "a.sh", "echo tests failed >&2\nexit 2\n", True),
        (CURSOR, "stop", "a.sh", "[ $# -gt 3 ] && { echo 'usage: a.sh' >&2; exit 2; }\n", False),
    ],
)
def test_a_trap_is_reported_where_the_text_walks_into_it(
    world: World, file: str, event: str, name: str, text: str, *, reported: bool
) -> None:
    runner = {"py": "python3", "sh": "bash", "js": "node"}[name[2:]]
    command = f"{runner} scripts/{name}"
    flat = json.dumps({"version": 1, "hooks": {event: [{"command": command}]}})
    put(world, flat if file == CURSOR else grouped(command, event), file)
    script(world, text, f"scripts/{name}")
    assert bool(problems(world)) is reported
