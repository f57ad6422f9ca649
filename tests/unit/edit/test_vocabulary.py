"""What a script reads, looks for and answers is told to be lost where its new host has other words for it, or none."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from hooktui.edit.copy_plan import copy
from hooktui.edit.copy_targets import targets

from .test_converting import FORCE, HOSTS, SHELL, add_hook_md, converted, decided, landed
from .world import FILES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import Hook
    from hooktui.edit.change_plan import Plan

    from .world import World

PYTHON = "#!/usr/bin/env python3\nimport json, re, sys\nevent = json.load(sys.stdin)\n"
IF_FORCE = 'if "force" in json.dumps(event):\n    '
EXITS = "sys.exit(2)\n"
SAYS = 'print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}))\n'
READS_PATH = f'{PYTHON}if event["tool_input"].get("file_path", "").endswith(".env"):\n    {EXITS}'
CALLED = {"vscode": "filePath", "copilot": "path", "agenthooks": "path"}
WRITES = {"claude": "Write", "vscode": "create_file", "copilot": "create", "agenthooks": "WriteFile"}


def add_script(world: World, script: str, event: str = "PreToolUse", **beside: str) -> Hook:
    """A hook of Claude Code that runs a script, which may have others beside it."""
    for name, text in {"guard": script, **{f"words.{suffix}": text for suffix, text in beside.items()}}.items():
        world.write(path := world.path(f".claude/hooks/{name}"), text.encode())
        os.chmod(path, 0o755)
    command = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard'}
    world.write(world.path(FILES["claude"]), json.dumps({"hooks": {event: [{"hooks": [command]}]}}).encode())
    return world.hook("claude")


def told(plan: Plan, field: str) -> list[tuple[str, str]]:
    return [(row.fate, row.says) for row in plan.rows if row.field == field]


def denies(world: World, hook: Hook, tools: Mapping[str, str] = SHELL, tool_input: Mapping[str, Any] = FORCE) -> bool:
    return decided(world, hook, tools[hook.format], dict(tool_input))[0] in ("deny", "stop")


@pytest.mark.parametrize("host", CALLED)
def test_a_path_that_another_host_calls_otherwise_is_lost(world: World, host: str) -> None:
    hook = add_script(world, READS_PATH)
    assert denies(world, hook, WRITES, {"file_path": "/shop/.env"})
    plan = converted(world, hook, host)
    assert not denies(world, landed(world, plan), WRITES, {CALLED[host]: "/shop/.env"})
    ((fate, says),) = told(plan, "payload")
    assert fate == "lost"
    assert "the script reads file_path, which " in says
    assert f" calls {CALLED[host]}" in says


@pytest.mark.parametrize("host", CALLED)
def test_a_script_that_knows_both_words_loses_nothing(world: World, host: str) -> None:
    both = f'given = event["tool_input"]\nif ".env" in given.get("file_path", given.get("{CALLED[host]}", "")):\n    {EXITS}'
    plan = converted(world, add_script(world, PYTHON + both), host)
    assert denies(world, landed(world, plan), WRITES, {CALLED[host]: "/shop/.env"})
    assert "lost" not in {row.fate for row in plan.rows if row.field != "tools"}


@pytest.mark.parametrize(
    ("script", "beside"),
    [
        (
            '#!/bin/bash\nHERE=${BASH_SOURCE[0]%/*}\n. "$HERE/words.sh"\nguard\n',
            {"sh": "guard() {\n    jq -r .tool_input.file_path\n}\n"},
        ),
        (
            f"{PYTHON}from words import guard\nguard(event)\n",
            {"py": 'def guard(event): return event["tool_input"]["file_path"]\n'},
        ),
        ('#!/usr/bin/env node\nrequire("./words")\n', {"js": "module.exports = (event) => event.tool_input.file_path\n"}),
    ],
    ids=["sourced", "imported", "required"],
)
def test_words_in_a_file_that_the_script_takes_in_are_its_own(world: World, script: str, beside: dict[str, str]) -> None:
    plan = converted(world, add_script(world, script, **beside), "vscode")
    assert told(plan, "payload") == [("lost", "the script reads file_path, which VS Code calls filePath: mend it there")]


def test_a_hook_md_is_told_by_all_that_its_script_takes_in(world: World) -> None:
    library = 'deny() { cat >/dev/null; echo \'{"decision": "deny", "reason": "no force"}\'; }\n'
    hook = add_hook_md(world, {"scripts/run.sh": '#!/bin/sh\n. "$(dirname "$0")/../lib.sh"\ndeny\n', "lib.sh": library})
    assert denies(world, hook)
    plan = converted(world, hook, "claude")
    assert not denies(world, landed(world, plan))
    assert [fate for fate, _ in told(plan, "answer")] == ["lost"]


LOOKS = {
    "equal": 'if event["tool_name"] != "Bash": sys.exit()\n',
    "one of": 'if event["tool_name"] not in {"Bash", "Edit"}: sys.exit()\n',
    "lower": 'if event["tool_name"].lower() != "bash": sys.exit()\n',
    "words": 'if event["tool_name"] not in "Bash Edit".split(): sys.exit()\n',
    "a regex": 'if not re.search("^Bas", event["tool_name"]): sys.exit()\n',
    "a beginning": 'if not event["tool_name"].startswith("Ba"): sys.exit()\n',
}
CASES = {
    "a case": 'case "$tool" in\n    Bash | Shell) ;;\n    *) exit 0 ;;\nesac\n',
    "a case at once": 'case "$tool" in\n    Bash|Shell) ;;\n    *) exit 0 ;;\nesac\n',
    "grep": 'echo "$tool" | grep -qx Bash || exit 0\n',
    "a loop": 'for one in Bash Edit; do [ "$tool" = "$one" ] && found=1; done\n[ "$found" ] || exit 0\n',
}
READS_TOOL = "tool=$(python3 -c 'import json, sys; print(json.load(sys.stdin)[\"tool_name\"])')\n"
LOOKING = {
    **{name: f"{PYTHON}{line}{EXITS}" for name, line in LOOKS.items()},
    **{name: f"#!/bin/bash\n{READS_TOOL}{line}exit 2\n" for name, line in CASES.items()},
}


@pytest.mark.parametrize("script", LOOKING.values(), ids=LOOKING)
def test_a_script_that_looks_for_a_tool_by_name_is_never_silently_deaf(world: World, script: str) -> None:
    hook = add_script(world, script)
    assert denies(world, hook)
    plan = converted(world, hook, "vscode")
    assert not denies(world, landed(world, plan))
    ((fate, says),) = told(plan, "tools")
    assert fate in ("lost", "approximated")
    assert "its script " in says


ANSWERS = {
    "a variable": ("agenthooks", 'verdict = "deny"\nprint(json.dumps({"decision": verdict}))\n', "claude"),
    "a keyword": ("agenthooks", 'print(json.dumps(dict(decision="deny")))\n', "azure"),
    "no going on": ("claude", 'print(json.dumps({"continue": False, "stopReason": "no"}))\n', "agenthooks"),
    "a block": ("claude", 'verdict = "block"\nprint(json.dumps({"decision": verdict, "reason": "no"}))\n', "agenthooks"),
    "a permission": ("claude", SAYS, "azure"),
}


@pytest.mark.parametrize(("source", "says", "host"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_that_is_not_understood_is_lost_however_it_is_spelled(
    world: World, source: str, says: str, host: str
) -> None:
    script = f"{PYTHON}{says}"
    hook = add_script(world, script) if source == "claude" else add_hook_md(world, {"scripts/run.py": script})
    assert denies(world, hook)
    plan = converted(world, hook, host)
    assert not denies(world, landed(world, plan))
    assert [fate for fate, _ in told(plan, "answer")] == ["lost"]
    assert told(plan, "exit 2") == []  # which it never uses


@pytest.mark.parametrize("host", [host for host in HOSTS if host != "claude"])
def test_a_script_that_exits_with_2_has_lost_nothing_by_what_it_also_says(world: World, host: str) -> None:
    hook = add_script(world, f"{PYTHON}{IF_FORCE}{SAYS}    {EXITS}")
    plan = converted(world, hook, host)
    assert denies(world, landed(world, plan))
    assert "lost" not in {row.fate for row in plan.rows if row.field in ("answer", "exit 2")}
    assert told(plan, "exit 2") == [("kept", "denies, with stderr as the reason")]


def test_a_stop_that_reads_the_last_message_is_lost_where_it_has_another_name(world: World) -> None:
    reads = f'{PYTHON}if "done" not in event["last_assistant_message"]:\n    {EXITS}'
    rows = {host: told(converted(world, add_script(world, reads, "Stop"), host), "payload") for host in ("agenthooks", "azure")}
    assert {fate for ((fate, _),) in rows.values()} == {"lost"}
    assert "calls final_output" in rows["azure"][0][1]


def test_plain_text_that_was_context_is_told_to_be_none(world: World) -> None:
    plan = converted(world, add_script(world, "#!/bin/sh\necho remember the tests\n", "SessionStart"), "agenthooks")
    assert told(plan, "answer") == [
        ("approximated", "text on stdout, which Claude Code takes as context, is none in AgentHooks")
    ]


def test_a_hook_that_is_off_tells_that_its_copy_is_on(world: World) -> None:
    hook = add_hook_md(world, {"scripts/run.sh": "#!/bin/sh\nexit 2\n"})
    os.rename(hook.file, f"{hook.file}.off")
    (row,) = [row for row in converted(world, world.hook("agenthooks"), "claude").rows if row.field == "state"]
    assert (row.fate, row.says) == ("approximated", "off: the copy is on")


def test_tools_of_servers_may_have_other_names(world: World) -> None:
    group = {"matcher": "mcp__github__.*", "hooks": [{"type": "command", "command": "exit 2"}]}
    world.write(world.path(FILES["claude"]), json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    for host in HOSTS:
        if host != "claude":
            assert "approximated" in {
                row.fate for row in converted(world, world.hook("claude"), host).rows if row.field == "servers"
            }


@pytest.mark.parametrize("piece", ["a/", "a.", "tool_name ", "a=", "exit ", "$(dirname ", "__dirname"])
def test_no_text_takes_long_to_be_told(world: World, piece: str) -> None:
    hook = add_hook_md(world, {"scripts/run": f"#!/usr/bin/env node\nrequire('./x')\n{piece * (60_000 // len(piece))}\n"})
    where = next(one for one in targets(hook, world.project) if one.format == "claude")
    before = time.thread_time()
    assert copy(hook, where).rows
    assert time.thread_time() - before < 5  # seconds of this thread; a regex that goes back and forth takes minutes


def test_a_command_that_gets_a_script_to_run_it_is_not_said_to_be_copied(world: World) -> None:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "sh tools/guard.sh"}]}
    world.write(world.path(FILES["claude"]), json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    says = "a script that is made for it runs it: ~/shop/.github/hooks/scripts/guard.sh"
    assert told(converted(world, world.hook("claude"), "vscode"), "command") == [("kept", says)]


@pytest.mark.parametrize("host", [host for host in HOSTS if host not in ("claude", "azure")])
def test_a_copy_for_all_projects_tells_what_only_this_one_has(world: World, host: str) -> None:
    hook = add_script(world, f"{PYTHON}{EXITS}")
    needs = "needs .claude/hooks/guard, which other projects do not have"
    assert told(converted(world, hook, host, "user"), "command") == [("approximated", needs)]


@pytest.mark.parametrize("host", HOSTS)
def test_a_hook_of_one_agent_tells_that_its_copy_is_for_every_one(world: World, host: str) -> None:
    hook = {"type": "command", "matcher": "Bash", "command": "exit 2"}
    document = {"kind": "ExtendedAgent", "metadata": {"name": "keeper"}, "spec": {"hooks": {"PreToolUse": [hook]}}}
    world.write(world.path(FILES["azure"]), json.dumps(document).encode())
    ((fate, says),) = told(converted(world, world.hook("azure"), host), "agent")
    assert fate == "lost"
    assert says.startswith("keeper: ")
    assert says.endswith(" runs it for every agent")
