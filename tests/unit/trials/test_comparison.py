"""A hook and its planned copy, run on the same events by real processes."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from hooktui.catalog import catalog
from hooktui.edit.copy_targets import targets
from hooktui.runner import trust
from hooktui.trials import NotApprovedError, TrialError
from hooktui.trials.comparison import LOGGED, ComparedEvent, ComparisonPlan, plan_comparison, run_comparison
from tests.command_world import CommandWorld, wait_until
from tests.log_world import LogWorld

NO_FORCE = '#!/bin/sh\nif grep -q "push --force"; then echo no force >&2; exit 2; fi\n'
READS_PATH = """\
#!/usr/bin/env python3
import json, sys
event = json.load(sys.stdin)
if event["tool_name"] != "Bash" and event["tool_input"]["file_path"].endswith(".env"):
    print("no secrets", file=sys.stderr)
    sys.exit(2)
"""
REWRITES = """\
#!/usr/bin/env python3
import json, sys
event = json.load(sys.stdin)
answer = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
answer["updatedInput"] = {**event["tool_input"], "CONTENT_KEY": "checked"}
print(json.dumps({"hookSpecificOutput": answer}))
"""


def log_commands(world: CommandWorld, *commands: str) -> None:
    """Log commands of an AgentHooks agent, oldest first."""
    world.db.parent.mkdir(parents=True, exist_ok=True)
    log = LogWorld(str(world.db))
    for command in commands:
        base = {"event_type": "pre-tool-call", "session_id": "s1", "work_dir": str(world.project)}
        payload = {**base, "tool_name": "Shell", "tool_input": {"command": command}}
        log.add(tool="Shell", payload=payload, project=str(world.project))


def add_claude_hook(world: CommandWorld, script: str, event: str = "PreToolUse") -> None:
    """Add a hook of the user for every tool, in Claude's settings."""
    file = world.home / ".claude/settings.json"
    file.parent.mkdir()
    (file.parent / "guard.py").write_text(script)
    entry = {"type": "command", "command": 'python3 "$HOME"/.claude/guard.py'}
    file.write_text(json.dumps({"hooks": {event: [{"hooks": [entry]}]}}))


async def plan(world: CommandWorld, host: str, scope: str = "project") -> ComparisonPlan:
    found = catalog.load(str(world.project))
    [hook] = found.hooks
    target = next(one for one in targets(hook, found.project) if (one.format, one.scope) == (host, scope))
    return await plan_comparison(found, hook, target)


async def compare(world: CommandWorld, host: str, scope: str = "project") -> list[ComparedEvent]:
    results: list[ComparedEvent] = []
    await run_comparison(await plan(world, host, scope), results.append)
    return results


def differences(results: list[ComparedEvent]) -> dict[str, tuple[str, ...]]:
    return {f"{one.event.tool_name} {one.subject}": one.differences for one in results if one.differences}


@pytest.mark.parametrize("scope", ["project", "user"])
@pytest.mark.parametrize("host", ["claude", "vscode", "copilot", "codex"])
async def test_hook_md_decides_the_same_in_every_host_on_logged_events_and_examples(
    here: CommandWorld, host: str, scope: str
) -> None:
    here.hook("guard", NO_FORCE, matcher={"tool": "Shell"})
    log_commands(here, "ls", "git push --force")
    results = await compare(here, host, scope)
    assert differences(results) == {}
    assert [(one.subject, one.is_example, one.copy["decision"]) for one in results[:2]] == [
        ("git push --force", False, "deny"),
        ("ls", False, "none"),
    ]
    assert {one.event.tool_name for one in results if one.is_example} >= {"Shell", "ReadFile"}
    assert {one.copy["reason"] for one in results} == {"no force", None}


async def test_each_side_reads_the_payload_of_its_own_host(here: CommandWorld) -> None:
    add_claude_hook(here, "import sys\nprint(sys.stdin.read(), file=sys.stderr)\nsys.exit(2)\n")
    results = await compare(here, "vscode")
    said = next(one for one in results if one.event.tool_name == "Write")
    original, copy = (json.loads(run["reason"] or "") for run in (said.original, said.copy))
    assert (original["tool_name"], original["tool_input"]["file_path"]) == ("Write", "notes.txt")
    assert (copy["tool_name"], copy["tool_input"]["filePath"]) == ("create_file", "notes.txt")
    assert "timestamp" in copy


async def test_field_that_the_new_host_names_differently_shows_as_a_failure_with_its_traceback(here: CommandWorld) -> None:
    add_claude_hook(here, READS_PATH)
    results = await compare(here, "vscode")
    different = [one for one in results if one.differences]
    assert {one.event.tool_name for one in different} == {"Bash", "Write", "Edit", "Read"}  # on WebFetch both fail
    assert {one.differences for one in different} == {("failure",)}
    assert all("KeyError" in one.copy["stderr"] and one.copy["exit_code"] == 1 for one in different)


async def test_answer_in_words_that_the_new_host_does_not_know_is_a_different_decision(here: CommandWorld) -> None:
    here.hook("guard", '#!/bin/sh\necho \'{"decision": "deny", "reason": "no"}\'\n')
    results = await compare(here, "claude")
    assert set(differences(results).values()) <= {("decision", "failure"), ("decision",)}
    assert len(differences(results)) == len(results)


@pytest.mark.parametrize(("key", "same"), [("content", True), ("filePath", False)])
async def test_changed_input_is_compared_by_its_effect(here: CommandWorld, key: str, same: bool) -> None:
    add_claude_hook(here, REWRITES.replace("CONTENT_KEY", key))
    results = await compare(here, "vscode")
    [write] = [one for one in results if one.event.tool_name == "Write"]
    assert write.original["modified_input"] != write.copy["modified_input"]
    assert (write.differences == ()) is same


async def test_script_that_finds_the_project_from_its_own_path_finds_it_in_the_copy(here: CommandWorld) -> None:
    script = '#!/bin/sh\ncd "$(dirname "$0")/../../../.." || exit 1\n. ./tools/deny.sh\n'
    here.hook("guard", script, scope="project")
    (here.project / "tools").mkdir()
    (here.project / "tools/deny.sh").write_text('echo "not in $PWD" >&2\nexit 2\n')
    approve(here)
    for host in ("claude", "vscode", "copilot", "codex", "azure"):
        results = await compare(here, host)
        assert differences(results) == {}, results[0].copy
        assert {one.copy["reason"] for one in results} == {f"not in {here.project}"}, host


async def test_script_that_needs_its_neighbour_fails_in_the_copy(here: CommandWorld) -> None:
    here.hook("guard", '#!/bin/sh\n. "$(dirname "$0")/../../lib/deny.sh"\n', scope="project")
    (here.project / ".agents/hooks/lib").mkdir()
    (here.project / ".agents/hooks/lib/deny.sh").write_text("echo no >&2\nexit 2\n")
    approve(here)
    assert len(differences(await compare(here, "claude"))) > 0


async def test_denial_without_a_reason_is_the_same_under_another_name(here: CommandWorld) -> None:
    here.hook("guard", "#!/bin/sh\nexit 2\n")
    assert differences(await compare(here, "claude")) == {}


async def test_comparison_records_nothing_and_leaves_no_file(here: CommandWorld) -> None:
    here.hook("guard", NO_FORCE, scope="project")
    approve(here)
    log_commands(here, "ls")
    before = sorted(os.listdir(here.project))
    await compare(here, "claude")
    assert len(here.run("log").stdout.splitlines()) == 1
    assert sorted(os.listdir(here.project)) == before
    assert os.listdir(here.home / ".local/state/hooktui/tries") == []


async def test_logged_events_that_the_hook_matches_come_first(here: CommandWorld) -> None:
    here.hook("guard", NO_FORCE, matcher={"tool": "Shell", "pattern": "push"})
    log_commands(here, "git push", *["ls"] * LOGGED)
    chosen = (await plan(here, "claude")).events[:LOGGED]
    assert [event.tool_input["command"] for event in chosen] == ["git push", *["ls"] * (LOGGED - 1)]


async def test_hook_that_is_not_approved_is_not_run(here: CommandWorld) -> None:
    here.hook("theirs", "#!/bin/sh\ntouch ran\n", scope="project")
    with pytest.raises(NotApprovedError, match="not approved"):
        await plan(here, "claude")
    approve(here)
    planned = await plan(here, "claude")
    (here.project / ".agents/hooks/theirs/scripts/run").write_text("#!/bin/sh\ntouch ran too\n")
    with pytest.raises(TrialError, match="changed since it was approved"):
        await run_comparison(planned, lambda _result: None)
    assert not (here.project / "ran").exists()


async def test_cancelling_ends_the_hook_that_runs(here: CommandWorld) -> None:
    here.hook("endless", "#!/bin/sh\necho $$ > pid\nsleep 60\n")
    planned = await plan(here, "claude")
    task = asyncio.ensure_future(run_comparison(planned, lambda _result: None))
    written = here.project / "pid"
    await asyncio.to_thread(wait_until, lambda: written.exists() and written.read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(int(written.read_text()), 0)


def approve(world: CommandWorld) -> None:
    hooks = catalog.load(str(world.project)).hooks
    trust.approve(str(world.project), {hook.identity: trust.digest(hook) for hook in hooks})
