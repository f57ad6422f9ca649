"""Trying a hook on past events: real hooks on real logged events, the saved next to the edited version."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from hooktui.catalog import catalog
from hooktui.formats import documents
from hooktui.runner import trust
from hooktui.trials import backtest_events, backtest_search
from hooktui.trials.backtest_events import PastEvent, PastTrial
from hooktui.trials.payload_templates import TrialError
from hooktui.trials.unsaved_hooks import Edit
from tests.command_world import CommandWorld, wait_until
from tests.log_world import LogWorld, run

pytestmark = pytest.mark.slow  # runs hooks

NO_FORCE = '#!/bin/sh\nif grep -q "push --force"; then echo no force >&2; exit 2; fi\n'
NO_PUSH = '#!/bin/sh\nif grep -q "git push"; then echo no push >&2; exit 2; fi\n'
COMMANDS = ("ls", "git push", "git push --force", "make")


def happened(world: CommandWorld, *commands: str, **more: Any) -> LogWorld:
    """Log these commands of an agent, oldest first."""
    world.db.parent.mkdir(parents=True, exist_ok=True)
    log = LogWorld(str(world.db))
    for command in commands:
        called(log, world, command, **more)
    return log


def called(log: LogWorld, world: CommandWorld, command: str, tool: str = "Shell", **more: Any) -> int:
    """Log a command; its id."""
    base = {"event_type": "pre-tool-call", "session_id": "s1", "work_dir": str(world.project)}
    payload = {**base, "tool_name": tool, "tool_input": {"command": command}}
    return log.add(tool=tool, payload=payload, project=str(world.project), **more)


def edit(path: Path, old: str, new: str) -> Edit:
    text = path.read_text()
    assert old in text
    return Edit(str(path), documents.read(str(path)).stamp, text.replace(old, new))


async def planned(world: CommandWorld, name: str, *edits: Edit, last: int | None = None) -> PastTrial:
    found = catalog.load(str(world.project))
    [hook] = [hook for hook in found.hooks if hook.name == name]
    return await backtest_events.plan(found, hook, edits, last=last)


async def played(world: CommandWorld, name: str, *edits: Edit) -> list[PastEvent]:
    rows: list[PastEvent] = []
    await backtest_events.play(await planned(world, name, *edits), rows.append)
    return backtest_events.in_order(rows)


def table(rows: list[PastEvent]) -> list[tuple[str, str | None, str | None, str]]:
    """Subject, decision before and after, and the change."""
    said = [(row.before, row.after) for row in rows]
    decisions = [(before.decision if before else None, after.decision if after else None) for before, after in said]
    return [(row.about, *decided, row.change) for row, decided in zip(rows, decisions, strict=True)]


async def test_it_shows_where_the_edited_version_would_decide_otherwise(here: CommandWorld) -> None:
    directory = here.hook("guard", NO_FORCE)
    happened(here, *COMMANDS)
    rows = await played(here, "guard", edit(directory / "scripts/run", NO_FORCE, NO_PUSH))
    assert table(rows) == [
        ("git push", "none", "deny", "decision"),
        ("make", "none", "none", "none"),
        ("git push --force", "deny", "deny", "none"),
        ("ls", "none", "none", "none"),
    ]
    assert rows[0].after is not None
    assert (rows[0].after.reason, rows[0].after.state) == ("no push", "ok")


async def test_without_edits_it_is_held_against_what_the_log_has(here: CommandWorld) -> None:
    directory = here.hook("guard", NO_PUSH)
    for command in COMMANDS[:2]:
        here.fire(tool_name="Shell", tool_input={"command": command})
    (directory / "scripts/run").write_text(NO_FORCE)
    assert table(await played(here, "guard")) == [("git push", "deny", "none", "decision"), ("ls", "none", "none", "none")]


async def test_a_new_hook_was_not_considered_then(here: CommandWorld) -> None:
    happened(here, "git push")
    here.hook("guard", NO_PUSH)
    assert table(await played(here, "guard")) == [("git push", None, "deny", "decision")]


async def test_what_does_not_match_is_neither_run_nor_logged(here: CommandWorld) -> None:
    directory = here.hook("guard", "#!/bin/sh\necho run >> ran\n", matcher={"tool": "Read"})
    happened(here, *COMMANDS)
    plan = await planned(here, "guard", edit(directory / "HOOK.md", '"Read"', '"Read|Write"'))
    assert (plan.runs, len(plan.decided)) == (0, 4)
    rows = await played(here, "guard", edit(directory / "HOOK.md", '"Read"', '"Read|Write"'))
    assert {(row.before and row.before.skip, row.after and row.after.why) for row in rows} == {
        ("tool-mismatch", "tool Shell does not match Read|Write")
    }
    assert not (here.project / "ran").exists()
    assert len(here.run("log").stdout.splitlines()) == 4


async def test_a_wider_matcher_runs_only_the_edited_version(here: CommandWorld) -> None:
    directory = here.hook("guard", "#!/bin/sh\necho run >> ran\n", matcher={"tool": "Read"})
    happened(here, "ls")
    wider = edit(directory / "HOOK.md", '"Read"', '"Shell"')
    assert (await planned(here, "guard", wider)).runs == 1
    [row] = await played(here, "guard", wider)
    assert row.before is not None
    assert row.after is not None
    assert (row.before.state, row.after.state, row.change) == ("skipped", "ok", "effect")
    assert (here.project / "ran").read_text() == "run\n"


async def test_another_input_or_context_is_a_change_of_its_own(here: CommandWorld) -> None:
    says = '#!/bin/sh\necho \'{"additional_context": "careful"}\'\n'
    directory = here.hook("guard", says)
    happened(here, "ls")
    assert [row.change for row in await played(here, "guard", edit(directory / "scripts/run", "careful", "relax"))] == [
        "effect"
    ]


async def test_a_users_hook_is_tried_on_the_past_of_all_projects_and_earlier_tries_do_not_count(here: CommandWorld) -> None:
    here.hook("guard", NO_PUSH)
    here.hook("ours", NO_PUSH, scope="project")
    here.approve()
    log = happened(here, *COMMANDS)
    log.add(payload={"event_type": "pre-tool-call", "tool_name": "Shell"}, project="/home/dev/other")
    happened(here, "git push", synthetic=True, at=2_000_000_000.0)
    assert ((await planned(here, "guard")).events, (await planned(here, "ours")).events) == (5, 4)
    newest = await planned(here, "ours", last=2)
    assert [row.about for row in newest.waiting] == ["make", "git push --force"]


async def test_of_a_long_past_only_what_matches_or_ran_then_is_looked_at(
    here: CommandWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backtest_search, "KEPT", 3)
    directory = here.hook("guard", NO_PUSH, matcher={"pattern": "git push"})
    here.fire(tool_name="Shell", tool_input={"command": "git push"})
    (directory / "HOOK.md").write_text((directory / "HOOK.md").read_text().replace("git push", "make"))
    happened(here, *COMMANDS)
    plan = await planned(here, "guard")
    assert (plan.events, [row.about for row in plan.waiting]) == (5, ["make"])
    assert [(row.about, row.change) for row in plan.decided] == [("git push", "decision")]


async def test_what_other_hooks_denied_is_no_earlier_decision_of_this_one(here: CommandWorld) -> None:
    here.hook("guard", NO_PUSH)
    log = happened(here, "ls", "git push", origin="transcript")
    called(log, here, "git push -f", decision="deny", runs=[run("scan", decision="deny")], origin="transcript")
    called(log, here, "make", decision="deny", origin="transcript")
    rows = await played(here, "guard")
    assert table(rows) == [
        ("git push -f", None, "deny", "decision"),
        ("git push", None, "deny", "decision"),
        ("make", None, "none", "none"),
        ("ls", None, "none", "none"),
    ]
    assert [row.denied_then for row in rows] == ["denied by scan then", "", "denied then", ""]
    assert backtest_events.summary(rows).of_changes == "would now deny 2"


async def test_earlier_version_with_another_id_was_this_hook(here: CommandWorld) -> None:
    guard = here.project / ".claude" / "settings.json"
    guard.parent.mkdir()
    entry = {"type": "command", "command": "sh -c 'exit 2' guard"}
    guard.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}))
    found = catalog.load(str(here.project))
    trust.approve(str(here.project), {hook.identity: trust.digest(hook) for hook in found.hooks})
    [hook] = found.hooks
    denial = run("guard", decision="deny")
    known = denial.hook.replace(identity="claude:project:earlier", file=hook.file, label=hook.label)
    base = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(here.project), "tool_name": "Bash"}
    more: dict[str, Any] = {"tool": "Bash", "project": str(here.project), "host": "claude"}
    happened(here).add(payload={**base, "tool_input": {"command": "ls"}}, runs=[denial.replace(hook=known)], **more)
    rows = await played(here, "settings.json:PreToolUse:1")
    assert table(rows) == [("ls", "deny", "deny", "none")]
    assert backtest_events.summary(rows).of_changes == "0 with a different decision"


async def test_inputs_that_were_cut_are_counted_and_left_out(here: CommandWorld) -> None:
    here.hook("guard", NO_PUSH)
    happened(here, "ls").add(payload={f"key {n}": "x" * 1000 for n in range(2000)}, project=str(here.project))
    assert (await planned(here, "guard")).left_out == 1
    assert len(await played(here, "guard")) == 1


async def test_only_the_newest_matches_are_run_and_the_others_counted(
    here: CommandWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backtest_events, "MAX_EVENTS", 2)
    here.hook("guard", NO_PUSH)
    happened(here, *COMMANDS)
    plan = await planned(here, "guard")
    assert ([row.about for row in plan.waiting], plan.runs, plan.untried) == (["make", "git push --force"], 2, 2)


async def test_a_try_on_the_past_leaves_the_log_as_it_was(here: CommandWorld) -> None:
    directory = here.hook("guard", NO_PUSH)
    happened(here, *COMMANDS)
    before = here.run("log", "--json").stdout
    await played(here, "guard")
    await played(here, "guard", edit(directory / "scripts/run", NO_PUSH, NO_FORCE))
    assert here.run("log", "--json").stdout == before


async def test_an_unapproved_hook_is_not_run_on_the_past(here: CommandWorld) -> None:
    here.hook("theirs", "#!/bin/sh\ntouch ran\n", scope="project")
    happened(here, "ls")
    with pytest.raises(TrialError, match="not approved"):
        await planned(here, "theirs")


async def test_what_changes_meanwhile_is_not_run_either(here: CommandWorld) -> None:
    directory = here.hook("ours", "#!/bin/sh\n", scope="project")
    happened(here, "ls")
    trust.approve(str(here.project), {hook.identity: trust.digest(hook) for hook in catalog.load(str(here.project)).hooks})
    plan = await planned(here, "ours")
    (directory / "scripts/run").write_text("#!/bin/sh\ntouch ran\n")
    with pytest.raises(TrialError, match="changed since it was approved"):
        await backtest_events.play(plan, lambda _row: None)
    assert not (here.project / "ran").exists()


async def test_cancelling_ends_every_hook_that_runs(here: CommandWorld) -> None:
    here.hook("endless", "#!/bin/sh\necho $$ >> pids\nsleep 60\n")
    happened(here, *COMMANDS)
    plan = await planned(here, "endless")
    rows: list[PastEvent] = []
    task = asyncio.ensure_future(backtest_events.play(plan, rows.append))
    pids = here.project / "pids"
    await asyncio.to_thread(wait_until, lambda: pids.exists() and pids.read_text().count("\n") == 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for pid in map(int, pids.read_text().splitlines()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert rows == []
    assert len(pids.read_text().splitlines()) == 2  # and no other was started


async def test_what_an_agents_own_hook_answered_unobserved_is_unknown(here: CommandWorld) -> None:
    guard = here.project / ".claude" / "settings.json"
    guard.parent.mkdir()
    entry = {"type": "command", "command": "sh -c 'exit 2' guard"}
    guard.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}))
    found = catalog.load(str(here.project))
    trust.approve(str(here.project), {hook.identity: trust.digest(hook) for hook in found.hooks})
    base = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(here.project), "tool_name": "Bash"}
    log = happened(here)
    log.add(tool="Bash", payload={**base, "tool_input": {"command": "ls"}}, project=str(here.project), host="claude")
    observed = run("other").replace(hook=run("other").hook.replace(identity="claude:observed:other"))
    log.add(tool="Bash", payload={**base, "tool_input": {"command": "make"}}, project=str(here.project), runs=[observed])
    rows = await played(here, "settings.json:PreToolUse:1")
    assert [(row.about, row.change) for row in rows] == [("make", "decision"), ("ls", "unknown")]
    assert (backtest_events.summary(rows).changed, backtest_events.summary(rows).of_changes) == (1, "would now deny 2")
