"""Trying a hook with unsaved edits: the edited text runs, and nothing that was neither approved nor typed."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from hooktui.catalog import catalog
from hooktui.core.model import Hook
from hooktui.formats import documents
from hooktui.runner import trust
from hooktui.trials import trial_process
from hooktui.trials.payload_templates import TrialError
from hooktui.trials.unsaved_hooks import Edit
from tests.command_world import CommandWorld, wait_until

pytestmark = pytest.mark.slow  # runs hooks

QUIET = "#!/bin/sh\ncat > /dev/null\n"
DENY = "#!/bin/sh\ncat > /dev/null\necho edited >&2\nexit 2\n"
SHELL = {"tool_name": "Shell", "tool_input": {"command": "ls"}}


def edit(path: Path | str, text: str) -> Edit:
    return Edit(str(path), documents.read(str(path)).stamp, text)


def hooks(world: CommandWorld) -> dict[str, Hook]:
    return {hook.name: hook for hook in catalog.load(str(world.project)).hooks}


def approve(world: CommandWorld) -> None:
    trust.approve(str(world.project), {hook.identity: trust.digest(hook) for hook in hooks(world).values()})


async def tried(world: CommandWorld, name: str, *edits: Edit, **payload: Any) -> dict[str, Any]:
    """The one run."""
    report, *_ = await trial_process.try_hook(str(world.project), hooks(world)[name].id, payload or SHELL, edits)
    assert report["synthetic"]
    [run] = report["hooks"]
    assert isinstance(run, dict)
    return run


def everything_below(root: Path) -> dict[str, tuple[bytes, int]]:
    files = [path for path in root.rglob("*") if path.is_file() and ".local" not in path.parts]
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


async def test_the_edited_script_runs_and_the_saved_one_stays_as_it_is(here: CommandWorld) -> None:
    directory = here.hook("guard", QUIET)
    before = everything_below(here.home)
    run = await tried(here, "guard", edit(directory / "scripts/run", DENY))
    assert (run["decision"], run["reason"]) == ("deny", "edited")
    assert (await tried(here, "guard"))["decision"] == "none"
    assert everything_below(here.home) == before


async def test_the_edited_matcher_decides(here: CommandWorld) -> None:
    directory = here.hook("guard", DENY, matcher={"tool": "Shell"})
    text = (directory / "HOOK.md").read_text().replace("Shell", "Write")
    run = await tried(here, "guard", edit(directory / "HOOK.md", text))
    assert (run["state"], run["skip"], run["why"]) == ("skipped", "tool-mismatch", "tool Shell does not match Write")


async def test_the_edited_timeout_holds(here: CommandWorld) -> None:
    directory = here.hook("slow", QUIET, timeout=50_000)
    slow = edit(directory / "scripts/run", "#!/bin/sh\nsleep 60\n")
    text = (directory / "HOOK.md").read_text().replace("50000", "200")
    run = await tried(here, "slow", slow, edit(directory / "HOOK.md", text))
    assert (run["state"], run["problems"]) == ("timeout", ["timed out after 200 ms"])


async def test_files_next_to_the_script_are_available(here: CommandWorld) -> None:
    directory = here.hook("guard", QUIET)
    (directory / "lib").mkdir()
    (directory / "lib/reason.sh").write_text("echo from the library >&2\n")
    script = '#!/bin/sh\n. "$(dirname "$0")/../lib/reason.sh"\nexit 2\n'
    assert (await tried(here, "guard", edit(directory / "scripts/run", script)))["reason"] == "from the library"
    library = edit(directory / "lib/reason.sh", "echo from the edited library >&2\n")
    run = await tried(here, "guard", edit(directory / "scripts/run", script), library)
    assert run["reason"] == "from the edited library"


async def test_the_log_tells_an_edited_version_from_the_saved_one(here: CommandWorld) -> None:
    directory = here.hook("guard", QUIET)
    await tried(here, "guard", edit(directory / "scripts/run", DENY))
    logged = [json.loads(line) for line in here.run("log", "--json").stdout.splitlines()]
    assert [(one["synthetic"], one["session_id"], one["decision"]) for one in logged] == [
        (True, "try", "deny"),
        (True, "try", "none"),
    ]
    places = {(run["id"], run["file"]) for one in logged for run in one["hooks"]}
    assert places == {("agenthooks:user:guard", str(directory / "HOOK.md"))}
    with sqlite3.connect(here.stored()) as connection:
        assert connection.execute("SELECT count(*) FROM hook").fetchone() == (2,)


async def test_an_edited_copy_is_gone_after_the_try(here: CommandWorld) -> None:
    directory = here.hook("guard", QUIET)
    await tried(here, "guard", edit(directory / "scripts/run", DENY))
    assert os.listdir(here.home / ".local/state/hooktui/tries") == []


# Trust


async def test_edits_of_an_unapproved_hook_are_not_run(here: CommandWorld) -> None:
    directory = here.hook("theirs", "#!/bin/sh\ntouch ran\n", scope="project")
    with pytest.raises(TrialError, match="not approved"):
        await tried(here, "theirs", edit(directory / "HOOK.md", (directory / "HOOK.md").read_text() + "more"))
    assert not (here.project / "ran").exists()


async def test_ones_own_edit_of_an_approved_hook_needs_no_approval(here: CommandWorld) -> None:
    directory = here.hook("ours", QUIET, scope="project")
    approve(here)
    assert (await tried(here, "ours", edit(directory / "scripts/run", DENY)))["decision"] == "deny"
    assert (await tried(here, "ours"))["decision"] == "none"  # the saved one is still approved


async def test_an_edit_of_a_file_that_has_changed_on_disk_is_not_run(here: CommandWorld) -> None:
    directory = here.hook("ours", QUIET, scope="project")
    mine = edit(directory / "scripts/run", DENY)
    (directory / "scripts/run").write_text(DENY + "# theirs\n")
    approve(here)
    with pytest.raises(TrialError, match="changed by another program"):
        await tried(here, "ours", mine)


async def test_another_file_of_the_hook_that_changed_since_approval_keeps_the_edit_from_running(here: CommandWorld) -> None:
    directory = here.hook("ours", QUIET, scope="project")
    approve(here)
    (directory / "scripts/new.sh").write_text("touch ran\n")
    with pytest.raises(TrialError, match="changed since it was approved"):
        await tried(here, "ours", edit(directory / "scripts/run", '#!/bin/sh\n. "$(dirname "$0")/new.sh"\n'))
    assert not (here.project / "ran").exists()


# Entries of JSON and YAML files


def settings(world: CommandWorld, command: str) -> Path:
    """Claude's settings of the project, with one hook."""
    file = world.project / ".claude/settings.json"
    entry = {"type": "command", "command": command}
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}, indent=2))
    return file


BASH = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
ENTRY = "settings.json:PreToolUse:1"


async def test_an_edited_entry_runs_its_edited_command(here: CommandWorld) -> None:
    file = settings(here, "exit 0")
    approve(here)
    run = await tried(here, ENTRY, edit(file, file.read_text().replace("exit 0", "echo edited >&2; exit 2")), **BASH)
    assert (run["decision"], run["reason"]) == ("deny", "edited")
    assert "exit 0" in file.read_text()


async def test_an_edited_script_of_an_entry_runs_in_its_place(here: CommandWorld) -> None:
    file = settings(here, 'sh "$CLAUDE_PROJECT_DIR/.claude/guard.sh" --strict')
    script = file.parent / "guard.sh"
    script.write_text("exit 0\n")
    (file.parent / "lib.sh").write_text('echo "from the library $1" >&2\n')
    approve(here)
    run = await tried(here, ENTRY, edit(script, '. "$(dirname "$0")/lib.sh"\nexit 2\n'), **BASH)
    assert (run["decision"], run["reason"]) == ("deny", "from the library --strict")


async def test_an_edited_entry_cannot_run_an_unapproved_script(here: CommandWorld) -> None:
    file = settings(here, "exit 0")
    (file.parent / "theirs.sh").write_text("touch ran\n")
    approve(here)
    changed = file.read_text().replace("exit 0", "sh .claude/theirs.sh")
    with pytest.raises(TrialError, match=r"theirs\.sh, which is not approved"):
        await tried(here, ENTRY, edit(file, changed), **BASH)
    assert not (here.project / "ran").exists()


async def test_an_entry_that_was_deleted_in_the_editor_cannot_be_tried(here: CommandWorld) -> None:
    file = settings(here, "exit 0")
    approve(here)
    with pytest.raises(TrialError, match="no longer in the text"):
        await tried(here, ENTRY, edit(file, '{"hooks": {}}'), **BASH)


async def test_an_edited_azure_hook_is_tried(here: CommandWorld) -> None:
    file = here.project / "agents/agent.yaml"
    file.parent.mkdir()
    hook = {"type": "command", "matcher": "Bash", "command": "exit 0"}
    about = {"api_version": "azuresre.ai/v2", "kind": "ExtendedAgent", "metadata": {"name": "mine"}}
    file.write_text(json.dumps({**about, "spec": {"hooks": {"PostToolUse": [hook]}}}))
    approve(here)
    run = await tried(
        here, "mine:PostToolUse:1", edit(file, file.read_text().replace("exit 0", "exit 2")),
        hook_event_name="PostToolUse", agent_name="mine", tool_name="Bash", tool_input={},
    )  # fmt: skip
    assert run["decision"] == "deny"


async def test_cancelling_ends_the_edited_hook(here: CommandWorld) -> None:
    directory = here.hook("guard", QUIET)
    endless = edit(directory / "scripts/run", "#!/bin/sh\necho $$ > pid\nsleep 60\n")
    task = asyncio.ensure_future(tried(here, "guard", endless))
    written = here.project / "pid"
    await asyncio.to_thread(wait_until, lambda: written.exists() and written.read_text())
    pid = int(written.read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
